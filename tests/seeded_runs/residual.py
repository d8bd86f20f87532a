"""A small residual network (arXiv:1512.03385) on pictures that are flipped and cropped by chance."""

import random

import numpy as np
from PIL import Image

from .data import pictures


def train(paddle, steps):
    paddle.seed(42)
    np.random.seed(42)
    random.seed(42)
    nn = paddle.nn
    transforms = paddle.vision.transforms
    images, labels = pictures(64, 4, 20, channels=3, seed=1)
    images = (np.clip(images, 0, 1) * 255).astype("uint8").transpose(0, 2, 3, 1)
    images = [Image.fromarray(picture) for picture in images]
    augment = transforms.Compose([transforms.RandomCrop(16), transforms.RandomHorizontalFlip(),
                                  transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.5] * 3)])

    class Block(nn.Layer):
        def __init__(self, channels, out, stride):
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv2D(channels, out, 3, stride, 1, bias_attr=False), nn.BatchNorm2D(out), nn.Silu(),
                nn.Conv2D(out, out, 3, 1, 1, bias_attr=False), nn.BatchNorm2D(out))
            self.way = nn.Sequential(nn.Conv2D(channels, out, 1, stride, bias_attr=False), nn.BatchNorm2D(out))

        def forward(self, x):
            return nn.functional.silu(self.body(x) + self.way(x))

    kaiming = paddle.ParamAttr(initializer=nn.initializer.KaimingNormal())
    net = nn.Sequential(nn.Conv2D(3, 8, 3, padding=1, weight_attr=kaiming), nn.BatchNorm2D(8), nn.Silu(),
                        Block(8, 8, 1), Block(8, 16, 2), nn.AdaptiveAvgPool2D(1), nn.Flatten(), nn.Dropout(0.2),
                        nn.Linear(16, 4))
    schedule = paddle.optimizer.lr.CosineAnnealingDecay(0.01, steps)
    momentum = paddle.optimizer.Momentum(schedule, 0.9, net.parameters(), weight_decay=5e-4)
    losses = []
    for _ in range(steps):
        chosen = paddle.randperm(64)[:16].numpy()
        x = paddle.stack([augment(images[i]) for i in chosen])
        y = paddle.to_tensor(labels[chosen])
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        momentum.step()
        momentum.clear_grad()
        schedule.step()
        losses.append(float(loss))
    return losses

"""A MobileNetV2: depthwise convolutions, inverted residuals, clipped activations."""

import numpy as np
import proa as paddle
from proa import nn


def divisible(value, by=4):
    new = max(by, int(value + by / 2) // by * by)
    return new + by if new < 0.9 * value else new


class ConvBNReLU(nn.Sequential):
    def __init__(self, inside, outside, kernel=3, stride=1, groups=1):
        super().__init__(
            nn.Conv2D(inside, outside, kernel, stride, (kernel - 1) // 2, groups=groups, bias_attr=False),
            nn.BatchNorm2D(outside), nn.ReLU6())


class InvertedResidual(nn.Layer):
    def __init__(self, inside, outside, stride, ratio):
        super().__init__()
        hidden = int(round(inside * ratio))
        self.shortcut = stride == 1 and inside == outside
        layers = []
        if ratio != 1:
            layers.append(ConvBNReLU(inside, hidden, kernel=1))
        layers += [ConvBNReLU(hidden, hidden, stride=stride, groups=hidden),
                   nn.Conv2D(hidden, outside, 1, bias_attr=False), nn.BatchNorm2D(outside)]
        self.conv = nn.Sequential(*layers)

    def forward(self, x):
        if self.shortcut:
            return x + self.conv(x)
        return self.conv(x)


class MobileNet(nn.Layer):
    def __init__(self, scale=0.5, classes=4, with_pool=True):
        super().__init__()
        self.classes, self.with_pool = classes, with_pool
        inside = divisible(16 * scale)
        features = [ConvBNReLU(3, inside, stride=2)]
        for ratio, channels, count, stride in ((1, 16, 1, 1), (4, 24, 2, 2)):
            outside = divisible(channels * scale)
            for i in range(count):
                features.append(InvertedResidual(inside, outside, stride if i == 0 else 1, ratio))
                inside = outside
        self.features = nn.Sequential(*features)
        if with_pool:
            self.pool = nn.AdaptiveAvgPool2D(1)
        if classes > 0:
            self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(inside, classes))

    def forward(self, x):
        x = self.features(x)
        if self.with_pool:
            x = self.pool(x)
        if self.classes > 0:
            x = self.classifier(paddle.flatten(x, 1))
        return x


def test_training(same_curve):
    def train(convert):
        net = MobileNet()
        static = convert(net)
        rms = paddle.optimizer.RMSProp(1e-3, parameters=net.parameters())
        rng, losses = np.random.RandomState(0), []
        for _ in range(20):
            x = paddle.to_tensor(rng.rand(4, 3, 16, 16).astype("float32"))
            loss = nn.functional.cross_entropy(static(x), paddle.to_tensor(rng.randint(0, 4, 4)))
            loss.backward()
            rms.step()
            rms.clear_grad()
            losses.append(float(loss))
        return losses

    same_curve(train, rtol=5e-3, atol=1e-3)

"""LeNet (LeCun et al., 1998) on pictures of ten classes."""

import numpy as np

from .data import pictures


def train(paddle, steps):
    paddle.seed(2023)
    np.random.seed(2023)
    images, labels = pictures(256, 10, 28)

    class Digits(paddle.io.Dataset):
        def __getitem__(self, index):
            return images[index], labels[index:index + 1]

        def __len__(self):
            return len(images)

    class LeNet(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            nn = paddle.nn
            self.features = nn.Sequential(nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
                                          nn.Conv2D(6, 16, 5), nn.ReLU(), nn.MaxPool2D(2, 2))
            self.fc = nn.Sequential(nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10))

        def forward(self, x):
            return self.fc(paddle.flatten(self.features(x), 1))

    net = LeNet()
    adam = paddle.optimizer.Adam(learning_rate=0.001, parameters=net.parameters())
    loader = paddle.io.DataLoader(Digits(), batch_size=32, shuffle=True, drop_last=True)
    losses = []
    while True:
        for x, y in loader():
            loss = paddle.nn.functional.cross_entropy(net(x), y)
            loss.backward()
            adam.step()
            adam.clear_grad()
            losses.append(float(loss))
            if len(losses) == steps:
                return losses

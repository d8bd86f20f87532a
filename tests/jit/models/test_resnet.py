"""A ResNet of two kinds of blocks, trained and evaluated in turns."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
from proa import nn


class BasicBlock(nn.Layer):
    expansion = 1

    def __init__(self, inside, outside, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2D(inside, outside, 3, stride=stride, padding=1, bias_attr=False)
        self.bn1 = nn.BatchNorm2D(outside)
        self.conv2 = nn.Conv2D(outside, outside, 3, padding=1, bias_attr=False)
        self.bn2 = nn.BatchNorm2D(outside)
        self.downsample = None
        if stride != 1 or inside != outside:
            self.downsample = nn.Sequential(nn.Conv2D(inside, outside, 1, stride=stride, bias_attr=False),
                                            nn.BatchNorm2D(outside))

    def forward(self, x):
        identity = x
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return F.relu(out)


class ResNet(nn.Layer):
    def __init__(self, classes=5):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2D(3, 8, 3, padding=1, bias_attr=False), nn.BatchNorm2D(8), nn.ReLU(),
                                  nn.MaxPool2D(3, 2, 1))
        self.blocks = nn.LayerList()
        for inside, outside, stride in ((8, 8, 1), (8, 16, 2)):
            self.blocks.append(nn.Sequential(BasicBlock(inside, outside, stride), BasicBlock(outside, outside)))
        self.pool = nn.AdaptiveAvgPool2D(1)
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.fc(paddle.flatten(self.pool(x), 1))


def test_training_and_evaluation(same_curve):
    def train(convert):
        net = ResNet()
        static = convert(net)
        momentum = paddle.optimizer.Momentum(
            paddle.optimizer.lr.PiecewiseDecay([10], [0.05, 0.01]), parameters=net.parameters(), weight_decay=1e-4)
        criterion = nn.CrossEntropyLoss()
        rng, found = np.random.RandomState(0), []
        for step in range(20):
            static.train()
            x = paddle.to_tensor(rng.rand(4, 3, 12, 12).astype("float32"))
            loss = criterion(static(x), paddle.to_tensor(rng.randint(0, 5, (4, 1))))
            loss.backward()
            momentum.step()
            momentum.clear_grad()
            found.append(float(loss))
            if step % 5 == 4:
                static.eval()
                with paddle.no_grad():
                    found += static(x).numpy().ravel().tolist()
        return found

    same_curve(train, rtol=5e-3, atol=1e-3)

"""A small residual network (arXiv:1512.03385) for images of 16×16, with momentum, weight decay and clipping."""

from ..workloads import values

SIZES = (8, 5)


def build(paddle):
    nn = paddle.nn
    functional = nn.functional

    class Block(nn.Layer):
        def __init__(self, inward, outward, stride):
            super().__init__()
            self.first = nn.Conv2D(inward, outward, 3, stride, 1, bias_attr=False)
            self.second = nn.Conv2D(outward, outward, 3, 1, 1, bias_attr=False)
            self.norms = nn.LayerList([nn.BatchNorm2D(outward), nn.BatchNorm2D(outward)])
            self.shortcut = None
            if stride != 1 or inward != outward:
                self.shortcut = nn.Conv2D(inward, outward, 1, stride, bias_attr=False)

        def forward(self, x):
            y = functional.relu(self.norms[0](self.first(x)))
            y = self.norms[1](self.second(y))
            if self.shortcut is not None:
                x = self.shortcut(x)
            return functional.relu(x + y)

    class Residual(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.norm = nn.Conv2D(3, 8, 3, 1, 1, bias_attr=False), nn.BatchNorm2D(8)
            self.blocks = nn.Sequential(Block(8, 8, 1), Block(8, 8, 1), Block(8, 16, 2), Block(16, 16, 1),
                                        Block(16, 32, 2), Block(32, 32, 1))
            self.head = nn.Linear(32, 10)

        def forward(self, x):
            x = self.blocks(functional.relu(self.norm(self.stem(x))))
            x = functional.adaptive_avg_pool2d(x, 1).flatten(1)
            return self.head(x)

    net = paddle.jit.to_static(Residual())
    momentum = paddle.optimizer.Momentum(0.1, parameters=net.parameters(), weight_decay=1e-4,
                                         grad_clip=nn.ClipGradByGlobalNorm(1.0))

    def step(size):
        images, labels = values.random(1, size, 3, 16, 16), values.labels(2, size, 10)
        loss = functional.cross_entropy(net(paddle.to_tensor(images)), paddle.to_tensor(labels))
        loss.backward()
        momentum.step()
        momentum.clear_grad()
        return float(loss)

    return step

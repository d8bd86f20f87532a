"""A training step of LeNet on 28×28 images with Adam; with `norm`, batch normalization over all ranks."""

from . import values
from .training import paddle_step, torch_step

SIZE = {"batch": 64, "norm": 0}
CONVOLUTIONS, PRODUCTS = (28 * 28 * 6 * 9, 10 * 10 * 16 * 150), 400 * 120 + 120 * 84 + 84 * 10


def operations(size):
    return 2 * size["batch"] * (2 * CONVOLUTIONS[0] + 3 * CONVOLUTIONS[1] + 3 * PRODUCTS)


def _data(size):
    return values.random(1, size["batch"], 1, 28, 28), values.labels(2, size["batch"], 10)


def in_paddle(paddle, mode, size):
    nn = paddle.nn
    norms = [[nn.SyncBatchNorm(6)], [nn.SyncBatchNorm(16)]] if size["norm"] else [[], []]
    net = nn.Sequential(
        nn.Conv2D(1, 6, 3, padding=1), *norms[0], nn.ReLU(), nn.MaxPool2D(2, 2),
        nn.Conv2D(6, 16, 5), *norms[1], nn.ReLU(), nn.MaxPool2D(2, 2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
    values.fill_paddle(net)
    adam = paddle.optimizer.Adam(0.001, parameters=net.parameters())
    return paddle_step(paddle, mode, net, nn.CrossEntropyLoss(), adam, *_data(size))


def in_torch(torch, mode, size):
    nn = torch.nn
    norms = [[nn.SyncBatchNorm(6)], [nn.SyncBatchNorm(16)]] if size["norm"] else [[], []]
    net = nn.Sequential(
        nn.Conv2d(1, 6, 3, padding=1), *norms[0], nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 16, 5), *norms[1], nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
    values.fill_torch(torch, net.parameters())
    adam = torch.optim.Adam(net.parameters(), 0.001)
    return torch_step(torch, mode, net, nn.CrossEntropyLoss(), adam, *_data(size))

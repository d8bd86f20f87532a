"""A training step of 784-200-200-10 (`depth` hidden layers of `width`) on rows and labels, with Adam."""

from . import values
from .training import paddle_step, program_step, torch_step

SIZE = {"batch": 64, "width": 200, "depth": 2}


def operations(size):
    first, inner, last = 784 * size["width"], (size["depth"] - 1) * size["width"] ** 2, size["width"] * 10
    return 2 * size["batch"] * (2 * first + 3 * inner + 3 * last)  # the first layer's input needs no gradient


def traffic(size):
    parameters = 784 * size["width"] + (size["depth"] - 1) * size["width"] ** 2 + size["width"] * 10
    return 4 * 8 * parameters  # Adam reads parameter, gradient and two moments and writes all but the gradient


def _data(size):
    return values.random(1, size["batch"], 784), values.labels(2, size["batch"], 10)


def in_paddle(paddle, mode, size):
    nn = paddle.nn
    if mode == "program":
        return program_step(paddle, lambda x, y: _as_program(paddle, size, x, y), paddle.optimizer.Adam(0.001),
                            *_data(size))
    layers, features = [], 784
    for _ in range(size["depth"]):
        layers += [nn.Linear(features, size["width"]), nn.ReLU()]
        features = size["width"]
    net = values.fill_paddle(nn.Sequential(*layers, nn.Linear(features, 10)))
    adam = paddle.optimizer.Adam(0.001, parameters=net.parameters())
    return paddle_step(paddle, mode, net, nn.CrossEntropyLoss(), adam, *_data(size))


def _as_program(paddle, size, x, y):
    for _ in range(size["depth"]):
        x = paddle.static.nn.fc(x, size["width"], activation="relu")
    return paddle.nn.functional.cross_entropy(paddle.static.nn.fc(x, 10), paddle.reshape(y, [-1, 1]))


def in_torch(torch, mode, size):
    nn = torch.nn
    layers, features = [], 784
    for _ in range(size["depth"]):
        layers += [nn.Linear(features, size["width"]), nn.ReLU()]
        features = size["width"]
    net = nn.Sequential(*layers, nn.Linear(features, 10))
    values.fill_torch(torch, net.parameters())
    adam = torch.optim.Adam(net.parameters(), 0.001)
    return torch_step(torch, mode, net, nn.CrossEntropyLoss(), adam, *_data(size))

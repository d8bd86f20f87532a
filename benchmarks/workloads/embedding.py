"""A training step of an embedding of many rows, of which a batch reads few, and a layer over it, with SGD.

The gradient of the embedding is of the rows that were read (`sparse=True`).
"""

from . import values
from .training import paddle_step, torch_step

SIZE = {"batch": 256, "words": 16, "rows": 100_000, "width": 64}


def _data(size):
    words = values.labels(1, size["batch"] * size["words"], size["rows"]).reshape(size["batch"], size["words"])
    return words, values.labels(2, size["batch"], 10)


def in_paddle(paddle, mode, size):
    nn = paddle.nn
    net = values.fill_paddle(nn.Sequential(nn.Embedding(size["rows"], size["width"], sparse=True), nn.Flatten(),
                                           nn.Linear(size["words"] * size["width"], 10)))
    sgd = paddle.optimizer.SGD(0.01, parameters=net.parameters())
    return paddle_step(paddle, mode, net, nn.CrossEntropyLoss(), sgd, *_data(size))


def in_torch(torch, mode, size):
    nn = torch.nn
    net = nn.Sequential(nn.Embedding(size["rows"], size["width"], sparse=True), nn.Flatten(),
                        nn.Linear(size["words"] * size["width"], 10))
    values.fill_torch(torch, net.parameters(), untouched=1)
    sgd = torch.optim.SGD(net.parameters(), 0.01)
    return torch_step(torch, mode, net, nn.CrossEntropyLoss(), sgd, *_data(size))

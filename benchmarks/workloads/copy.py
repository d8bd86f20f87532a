"""A copy of an array that no cache holds: the bandwidth of the memory."""

from . import values

SIZE = {"megabytes": 256}


def traffic(size):
    return 2e6 * size["megabytes"]


def in_paddle(paddle, mode, size):
    source = paddle.to_tensor(values.random(1, 250_000 * size["megabytes"]))
    target = paddle.zeros_like(source)
    return lambda: paddle.assign(source, target)


def in_torch(torch, mode, size):
    source = torch.as_tensor(values.random(1, 250_000 * size["megabytes"]))
    target = torch.zeros_like(source)
    return lambda: target.copy_(source)

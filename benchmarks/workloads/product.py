"""A large matrix product: the peak of the cores."""

from . import values

SIZE = {"side": 2048}


def operations(size):
    return 2 * size["side"] ** 3


def in_paddle(paddle, mode, size):
    x, y = (paddle.to_tensor(values.random(seed, size["side"], size["side"])) for seed in (1, 2))
    return lambda: paddle.matmul(x, y)


def in_torch(torch, mode, size):
    x, y = (torch.as_tensor(values.random(seed, size["side"], size["side"])) for seed in (1, 2))
    return lambda: torch.matmul(x, y)

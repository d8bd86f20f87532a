"""A collective by itself: the sum of all ranks' arrays of so many bytes, in place."""

import numpy as np

SIZE = {"bytes": 1 << 20}


def _data(size):
    return np.full(size["bytes"] // 4, 0.0, "float32")


def in_paddle(paddle, mode, size):
    x = paddle.to_tensor(_data(size))

    def step():
        paddle.distributed.all_reduce(x)

    return step


def in_torch(torch, mode, size):
    x = torch.from_numpy(_data(size))

    def step():
        torch.distributed.all_reduce(x)

    return step

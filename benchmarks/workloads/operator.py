"""One operator, named by the mode, on arrays of so many elements. A step is one eager call without gradients."""

import functools

import numpy as np

from .cases import CASES

SIZE = {"elements": 10_000}


class Inputs:
    """Arguments that cases choose from; the same numbers in every framework."""

    def __init__(self, make, elements):
        random = np.random.default_rng(0)
        side = round(elements ** 0.5)
        self.elements, self.side = elements, side
        self.array = random.standard_normal((side, side), "float32")
        self.x = make(self.array)
        self.y = make(random.standard_normal((side, side), "float32"))
        self.row = make(random.standard_normal(side, "float32"))
        self.positive = make(random.uniform(0.1, 0.9, (side, side)).astype("float32"))
        self.whole = make(random.integers(1, 100, (side, side)))
        self.other_whole = make(random.integers(1, 100, (side, side)))
        self.true = make(random.random((side, side)) < 0.5)
        self.also_true = make(random.random((side, side)) < 0.5)
        self.rows = make(random.permutation(side))
        self.classes = make(random.integers(0, side, side))
        self._images(make, random, elements)

    def _images(self, make, random, elements):
        batch, channels = (1, 4) if elements < 1000 else (4, 16)
        side = int((elements / batch / channels) ** 0.5)
        self.image = make(random.standard_normal((batch, channels, side, side), "float32"))
        self.kernel = make(random.standard_normal((channels, channels, 3, 3), "float32"))
        self.kernel_1d = make(random.standard_normal((channels, channels, 3), "float32"))
        self.signal = make(random.standard_normal((batch, channels, side * side), "float32"))
        self.stack = make(random.standard_normal((batch * channels, side, side), "float32"))
        self.scale = make(np.ones(channels, "float32"))
        self.shift = make(np.zeros(channels, "float32"))
        self.mean = make(np.zeros(channels, "float32"))
        self.variance = make(np.ones(channels, "float32"))


@functools.lru_cache(maxsize=8)
def _inputs(make, elements):
    return Inputs(make, elements)


def in_paddle(paddle, mode, size):
    inputs = _inputs(paddle.to_tensor, size["elements"])
    return functools.partial(CASES[mode].paddle, paddle, paddle.nn.functional, inputs)


def in_torch(torch, mode, size):
    inputs = _inputs(torch.from_numpy, size["elements"])
    return functools.partial(CASES[mode].torch, torch, torch.nn.functional, inputs)

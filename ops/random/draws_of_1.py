"""What operators with a seed of their own draw in Paddle 1.x: by minstd_rand, and by the C library's `rand`."""

import numpy as np

from ...backend.random import F32
from ...core import rand_of_c
from ...core.mersenne_twister import Engine
from ...core.minimal_standard import LARGEST_RANGE, MinimalStandard, MinimalStandardByTwo
from .draws import Seeded


class SeededOf1(Seeded):
    """The generators of 1.8.5 on a CPU."""

    def floats(self, kind: np.dtype, seed: int) -> Engine:
        """A number makes a float of 32 bits, two make one of 64."""
        return MinimalStandard(seed) if kind is F32 else MinimalStandardByTwo(seed)

    def integers(self, sizes: tuple[int, ...], low: int, high: int, seed: int) -> np.ndarray:
        """A number for each."""
        if high - low > LARGEST_RANGE:
            return super().integers(sizes, low, high, seed)
        return MinimalStandard(seed).integers(sizes, low, high)

    def order(self, count: int, seed: int) -> np.ndarray:
        """By exchanges with the places that `rand` says."""
        return np.array(rand_of_c.order(seed, count), "int64")

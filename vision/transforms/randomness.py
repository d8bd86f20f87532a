"""Where the randomness of transforms comes from: the only module here that asks for random numbers.

As in Paddle it is Python's `random`, and for areas and rectangles to erase NumPy's global state: after
`random.seed(n); numpy.random.seed(n)` transforms draw what Paddle's draw. `paddle.seed(n)` touches only the noise
that `RandomErasing(value="random")` puts into Tensors. A DataLoader's workers seed all of them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ops.random.sampling import normal


def happens(probability: float) -> bool:
    """True with this probability."""
    return random.random() < probability


def between(low: float, high: float) -> float:
    """A number of the range."""
    return random.uniform(low, high)


def whole(low: int, high: int) -> int:
    """One of low … high."""
    return random.randint(low, high)


def shuffled(items: Sequence[Any]) -> list[Any]:
    """The items in random order."""
    order = list(items)
    random.shuffle(order)
    return order


def area_between(low: float, high: float) -> float:
    """A number of the range, for areas and ratios."""
    return float(np.random.uniform(low, high))


def place_below(count: int) -> int:
    """One of 0 … count - 1, for a rectangle to erase."""
    return int(np.random.randint(0, count))


def noise(shape: Sequence[int]) -> np.ndarray:
    """Normal numbers, of mean 0 and deviation 1."""
    return np.random.normal(size=shape)


def tensor_noise(shape: Sequence[int]) -> Any:
    """The same as a Tensor, from the framework's generator."""
    return normal(shape=list(shape))

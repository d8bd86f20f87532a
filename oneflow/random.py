"""`flow.random`: bernoulli, shuffle, generate_random_batch_permutation_indices, coin_flip, gen_seed.

Numbers come from the generator of the process, which `paddle.seed` and `flow.manual_seed` start. A `seed` of one
function alone would not give OneFlow's numbers, and is accepted without effect, as `flow.nn.dropout`'s is.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from ..core.dtype import int8
from ..ops.array.full import full
from ..ops.math.casting import in_dtype
from ..ops.random import sampling
from .array.gathering import gather
from .charge import their_face


@their_face
def bernoulli(x: Any, seed: int | None = None, dtype: Any = None, name: str = "Bernoulli") -> Any:
    """1 with the probability that stands in x, otherwise 0, element by element, in x's dtype unless one is given."""
    return in_dtype(sampling.bernoulli(x), x.dtype if dtype is None else dtype)


@their_face
def generate_random_batch_permutation_indices(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """The positions of the rows of `value` in random order, int32."""
    return sampling.randperm(int(value.shape[0]), "int32")


@their_face
def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """The rows of `value` in random order."""
    return gather(value, generate_random_batch_permutation_indices(value, seed))


@their_face
def coin_flip(batch_size: int = 1, seed: int | None = None, probability: float = 0.5, name: str = "CoinFlip") -> Any:
    """A vector of int8, each 1 with a probability, otherwise 0."""
    return in_dtype(sampling.bernoulli(full([int(batch_size)], probability, "float32")), int8)


CoinFlip = coin_flip


def gen_seed(seed: int | None = None) -> tuple[int, bool]:
    """A seed, and that there is one: the one given, or one drawn with Python's generator."""
    return (random.randint(-sys.maxsize, sys.maxsize) if seed is None else seed), True

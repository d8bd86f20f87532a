"""`flow.random`: bernoulli, shuffle, generate_random_batch_permutation_indices, coin_flip, gen_seed.

Numbers come from the generator that `flow.manual_seed` starts. A `seed` of one function alone is refused: what draws
here is either that generator or begins with the same numbers in each call, and neither is what OneFlow does.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from ..core.dtype import int8
from ..ops.array.full import full
from ..ops.math.elementwise import in_dtype
from ..ops.random import sampling
from .array.gathering import gather


def _without_seed(what: str, seed: int | None) -> None:
    if seed is not None:
        raise NotImplementedError(f"{what}(seed): one function has no generator of its own. Call flow.manual_seed("
                                  f"{seed}) before the job runs, which starts the one that all draw from.")


def bernoulli(x: Any, seed: int | None = None, dtype: Any = None, name: str = "Bernoulli") -> Any:
    """1 with the probability that stands in x, otherwise 0, element by element, in x's dtype unless one is given."""
    _without_seed("bernoulli", seed)
    return in_dtype(sampling.bernoulli(x), x.dtype if dtype is None else dtype)


def generate_random_batch_permutation_indices(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """The positions of the rows of `value` in random order, int32."""
    _without_seed("generate_random_batch_permutation_indices", seed)
    return sampling.randperm(int(value.shape[0]), "int32")


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """The rows of `value` in random order."""
    return gather(value, generate_random_batch_permutation_indices(value, seed))


def coin_flip(batch_size: int = 1, seed: int | None = None, probability: float = 0.5, name: str = "CoinFlip") -> Any:
    """A vector of int8, each 1 with a probability, otherwise 0."""
    _without_seed("coin_flip", seed)
    return in_dtype(sampling.bernoulli(full([int(batch_size)], probability, "float32")), int8)


CoinFlip = coin_flip


def gen_seed(seed: int | None = None) -> tuple[int, bool]:
    """A seed, and that there is one: the one given, or one drawn with Python's generator."""
    return (random.randint(-sys.maxsize, sys.maxsize) if seed is None else seed), True

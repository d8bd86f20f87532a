"""The minimal standard generator as C++ has it (minstd_rand): what an operator's own `seed` begins in Paddle 1.x.

Park and Miller, Random number generators: good ones are hard to find, 1988, with the multiplier 48271.
"""

from __future__ import annotations

import numpy as np

from .mersenne_twister import Engine

_MODULUS, _MULTIPLIER = 2**31 - 1, 48271
_POWERS = [np.array([_MULTIPLIER], "uint64")]  # of the multiplier, as many as were needed


def _powers(count: int) -> np.ndarray:
    found = _POWERS[0]
    while found.size < count:
        found = np.concatenate([found, found * found[-1] % np.uint64(_MODULUS)])
    _POWERS[0] = found
    return found[:count]


def state_of_seed(seed: int) -> np.ndarray:
    """The state, one number, that the engine makes of a seed."""
    return np.array([seed % _MODULUS or 1], "uint64")


def advance(state: np.ndarray, out: np.ndarray) -> None:
    """Fills `out` with the words that follow: 31 bits each, the highest of 64, which floats are made of."""
    numbers = state[0] * _powers(out.size) % np.uint64(_MODULUS)
    state[0] = numbers[-1]
    np.left_shift(numbers - np.uint64(1), np.uint64(33), out=out)


class MinimalStandard(Engine):
    """Words whose highest bits are this generator's: for floats of 32 bits, a word each; their lower bits are 0."""

    advance = staticmethod(advance)

    def __init__(self, seed: int):
        super().__init__(state_of_seed, seed)

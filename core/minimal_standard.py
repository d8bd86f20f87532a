"""The minimal standard generator as C++ has it (minstd_rand): what an operator's own `seed` begins in Paddle 1.x.

Park and Miller, Random number generators: good ones are hard to find, 1988, with the multiplier 48271.
"""

from __future__ import annotations

import math

import numpy as np

from .mersenne_twister import Engine

_MODULUS, _MULTIPLIER = 2**31 - 1, 48271
_RANGE = _MODULUS - 1  # how many numbers there are, from 1 on
LARGEST_RANGE = _RANGE - 1
"""From how many whole numbers one number can choose."""
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


def _following(state: np.ndarray, count: int) -> np.ndarray:
    """The numbers that follow, less 1."""
    numbers = state[0] * _powers(count) % np.uint64(_MODULUS)
    state[0] = numbers[-1]
    return numbers - np.uint64(1)


def advance(state: np.ndarray, out: np.ndarray) -> None:
    """Fills `out` with the words that follow: 31 bits each, the highest of 64, which floats are made of."""
    np.left_shift(_following(state, out.size), np.uint64(33), out=out)


def advance_by_two(state: np.ndarray, out: np.ndarray) -> None:
    """Fills `out` with words of two numbers each, as floats of 64 bits are made of them (std::generate_canonical)."""
    low, high = _following(state, 2 * out.size).astype("float64").reshape(-1, 2).T
    share = (low + high * float(_RANGE)) / float(_RANGE)**2
    out[...] = np.minimum(share, 1 - 2.0**-53) * 2.0**64


class MinimalStandard(Engine):
    """Words whose highest bits are this generator's: for floats of 32 bits, a word each; their lower bits are 0."""

    advance = staticmethod(advance)

    def __init__(self, seed: int):
        super().__init__(state_of_seed, seed)

    def integers(self, sizes: tuple[int, ...], low: int, high: int) -> np.ndarray:
        """Whole numbers, int64, from `low` up to `high`, without it, LARGEST_RANGE different ones at most.

        As `std::uniform_int_distribution` of libstdc++ makes them: equal parts of the range, and what remains refused.
        """
        bound, count = high - low, math.prod(sizes)
        part, found = np.uint64(LARGEST_RANGE // bound), np.zeros(0, "uint64")
        while found.size < count:
            numbers = (self.words(count - found.size) >> np.uint64(33)) // part
            found = np.concatenate([found, numbers[numbers < bound]])
        return found.astype("int64").reshape(sizes) + low


class MinimalStandardByTwo(MinimalStandard):
    """Words that are made of two numbers each: for floats of 64 bits."""

    advance = staticmethod(advance_by_two)


class Numbers:
    """The generator's numbers one by one, with its multiplier or the older one of minstd_rand0, 16807."""

    def __init__(self, seed: int, multiplier: int = _MULTIPLIER):
        self._state, self._multiplier = seed % 2**64 % _MODULUS or 1, multiplier

    def skip(self, count: int) -> None:
        """Passes over so many numbers."""
        self._state = self._state * pow(self._multiplier, count, _MODULUS) % _MODULUS

    def next(self) -> int:
        """The next number, from 1 on."""
        self._state = self._state * self._multiplier % _MODULUS
        return self._state

    def up_to(self, last: int) -> int:
        """An integer from 0 to `last`."""
        part = LARGEST_RANGE // (last + 1)
        while True:
            found = (self.next() - 1) // part
            if found <= last:
                return found

    def order(self, count: int) -> list[int]:
        """The numbers 0 … count - 1 in random order: `std::shuffle` with an exchange for each number drawn."""
        found = list(range(count))
        for place in range(1, count):
            other = self.up_to(place)
            found[place], found[other] = found[other], found[place]
        return found

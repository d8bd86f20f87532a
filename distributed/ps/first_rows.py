"""What rows of a sparse table hold at first: numbers made from the seed and the row's number alone.

So a row is the same on whichever server it lies, however many there are, and whenever it is made.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .row_slots import GOLDEN

FirstRows = Callable[[np.ndarray, int, int], np.ndarray]
"""Rows, float64 or float32 [ids, width], from their numbers, the width and the seed."""

_CHUNK = 1 << 16  # numbers at a time, so that what is in between stays small


def _mixed(words: np.ndarray) -> np.ndarray:
    """SplitMix64's finalizer (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014), in place."""
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


def words_of(ids: np.ndarray, width: int, seed: int, turn: int = 0) -> np.ndarray:
    """A random word for each element of these rows, uint64 [ids, width]; others with each turn."""
    key = _mixed(np.array([seed & 0xFFFFFFFFFFFFFFFF], "uint64") + GOLDEN)
    rows = _mixed(np.ascontiguousarray(ids, "int64").view("uint64") ^ key)
    columns = (np.arange(turn * width, (turn + 1) * width, dtype="uint64") + np.uint64(1)) * GOLDEN
    return _mixed(rows[:, None] + columns)


def _in_chunks(make: FirstRows) -> FirstRows:
    def rows(ids: np.ndarray, width: int, seed: int) -> np.ndarray:
        each = max(_CHUNK // max(width, 1), 1)
        if len(ids) <= each:
            return make(ids, width, seed)
        return np.concatenate([make(ids[begin:begin + each], width, seed) for begin in range(0, len(ids), each)])

    return rows


def constant(value: float = 0.0) -> FirstRows:
    """The same number everywhere."""
    return lambda ids, width, seed: np.full((len(ids), width), value, "float32")


def uniform(low: float = -1.0, high: float = 1.0) -> FirstRows:
    """Evenly spread from `low` to below `high`."""
    if not low <= high:
        raise ValueError(f"uniform(low, high): low is at most high. Received {low} and {high}.")
    return _in_chunks(lambda ids, width, seed: (words_of(ids, width, seed) >> np.uint64(40)).astype("float32")
                      * np.float32((high - low) * 2.0**-24) + np.float32(low))


def _standard_normal(words: np.ndarray) -> np.ndarray:
    """By Box and Muller: the upper half of a word for the distance, the lower half for the angle."""
    distance = ((words >> np.uint64(32)).astype("float64") + 0.5) * 2.0**-32
    angle = (words & np.uint64(0xFFFFFFFF)).astype("float64") * (2.0**-31 * np.pi)
    return np.sqrt(-2.0 * np.log(distance)) * np.cos(angle)


def normal(mean: float = 0.0, std: float = 1.0) -> FirstRows:
    """Normally distributed."""
    return _in_chunks(lambda ids, width, seed: (_standard_normal(words_of(ids, width, seed)) * std + mean
                                                ).astype("float32"))


def truncated_normal(mean: float = 0.0, std: float = 1.0) -> FirstRows:
    """Normally distributed, where nothing is farther from the mean than twice `std`."""
    def make(ids: np.ndarray, width: int, seed: int) -> np.ndarray:
        found = _standard_normal(words_of(ids, width, seed))
        turn = 1
        while (far := np.abs(found) > 2).any():
            found = np.where(far, _standard_normal(words_of(ids, width, seed, turn)), found)
            turn += 1
        return (found * std + mean).astype("float32")

    return _in_chunks(make)

"""Which of several things happened, of given probabilities, with replacement or without."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from ...core.mersenne_twister import Engine
from .uniform import uniform

_LONG = 1 << 10  # elements of a row that are worth a call for each row
_FEW_ROWS = 16  # are looked through one by one: the same halves are asked in the same order


def multinomial(engine: Engine, weights: np.ndarray, count: int, replacement: bool) -> np.ndarray:
    """`count` places, int64, in each row of weights, float32 or float64: not negative, and not all 0.

    A place is looked for by bisection in the running sums of a row, which are made anew when one is taken out.
    """
    if weights.ndim == 1 and replacement:  # one row: the same without the loop over rows
        ends = np.add.accumulate(weights)
        ends /= ends[-1]
        drawn = uniform(engine, (count,), weights.dtype)
        ends[-1] = 1
        return ends.searchsorted(drawn).astype("int64", copy=False)
    rows = weights.reshape(-1, weights.shape[-1])
    ends = np.add.accumulate(rows, 1)
    ends /= ends[:, -1:].copy()
    drawn = uniform(engine, (len(rows), count), weights.dtype)
    found = np.empty((len(rows), count), "int64")
    if replacement:
        ends[:, -1] = 1
        for row, end in enumerate(ends):
            found[row] = end.searchsorted(drawn[row])
    else:
        for step in range(count):
            ends[:, -1] = 1
            found[:, step] = _bisected(ends, drawn[:, step])
            if step < count - 1:
                _take_out(ends, found[:, step])
    return found.reshape(*weights.shape[:-1], count)


def _bisected(ends: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """For each row the place of the first end that is not below the number drawn."""
    if len(ends) <= _FEW_ROWS:
        return np.array([bisect_left(row, number) for row, number in zip(ends, drawn, strict=True)], "int64")
    rows = np.arange(len(ends))
    left, right = np.zeros(len(ends), "int64"), np.full(len(ends), ends.shape[1])
    while (left < right).any():
        middle = np.minimum(left + (right - left) // 2, ends.shape[1] - 1)
        below = ends[rows, middle] < drawn
        open_ = left < right
        left = np.where(open_ & below, middle + 1, left)
        right = np.where(open_ & ~below, middle, right)
    return left


def _take_out(ends: np.ndarray, places: np.ndarray) -> None:
    """Sets the probability of a place of each row to 0, in place: those of the others grow."""
    rows, kind = np.arange(len(ends)), ends.dtype.type
    before = np.where(places > 0, ends[rows, places - 1], kind(0))
    own = ends[rows, places] - before
    left = (1.0 - own.astype("float64")).astype(kind)
    if len(ends) <= _FEW_ROWS or ends.shape[1] >= _LONG:
        for row, place, taken, rest in zip(ends, places, own, left, strict=True):
            row[place:] -= taken
            row /= rest
        return
    behind = np.arange(ends.shape[1]) >= places[:, None]
    ends -= np.where(behind, own[:, None], kind(0))
    ends /= left[:, None]

"""The sums and the maxima of the rows of sequences that lie one behind the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import i32, i64, parallel
from .arrays import bound, flat, takes_floats

LEAST = 1 << 10  # elements of what is pooled


@loops.kernel
def _sum(x, offsets, divisors, out, count, width, work):
    for s in parallel(count, work):
        begin = i64(offsets[s])
        row = out + s * width
        for c in range(width):
            row[c] = 0.0
        for r in range(begin, offsets[s + 1]):
            source = x + r * width
            for c in range(width):
                row[c] = row[c] + source[c]
        divisor = divisors[s]
        for c in range(width):
            row[c] = row[c] / divisor


@loops.kernel
def _maximum(x, offsets, out, places, count, width, work):
    for s in parallel(count, work):
        begin = i64(offsets[s])
        end = i64(offsets[s + 1])
        row = out + s * width
        at = places + s * width
        for c in range(width):
            row[c] = x[begin * width + c] if begin < end else 0.0
            at[c] = i32(begin) if begin < end else i32(-1)
        for r in range(begin + 1, end):
            source = x + r * width
            for c in range(width):
                is_more = source[c] > row[c] or (source[c] != source[c] and row[c] == row[c])
                row[c] = source[c] if is_more else row[c]
                at[c] = i32(r) if is_more else at[c]


_run_sum = bound(_sum, "T* i64* T* T* i64 i64 i64")
_run_maximum = bound(_maximum, "T* i64* T* i32* i64 i64 i64")


def sums(x: np.ndarray, offsets: np.ndarray, divisors: np.ndarray) -> Any:
    """The sum of each sequence's rows divided by a number for it; 0 for an empty one."""
    count = offsets.size - 1
    if not takes_floats(x, LEAST, _sum) or not count:
        return NotImplemented
    out = np.empty((count, *x.shape[1:]), x.dtype)
    _run_sum(x.dtype, flat(x), flat(offsets), divisors.astype(x.dtype), out, count, out[0].size, x.size // count)
    return out


def maxima(x: np.ndarray, offsets: np.ndarray) -> Any:
    """The maxima of each sequence's rows, 0 for an empty one, and the rows in which they stand first, -1 for none."""
    count = offsets.size - 1
    if not takes_floats(x, LEAST, _maximum) or not count:
        return NotImplemented
    out, places = np.empty((count, *x.shape[1:]), x.dtype), np.empty((count, *x.shape[1:]), "int32")
    _run_maximum(x.dtype, flat(x), flat(offsets), out, places, count, out[0].size, x.size // count)
    return out, places

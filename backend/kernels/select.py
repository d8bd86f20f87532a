"""Elements by their rank along a dimension, without sorting what lies elsewhere: medians, quantiles, the k-th smallest.

The elements are counted by the upper digit of their ordinal (see `sort.py`); only those whose digit the rank falls on
are sorted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import i64, parallel
from ..threads import get_num_threads
from .sort import along_last, code, order_of, ordinal_of, put_along, sort_words, takes_any

LEAST = _LEAST = 1 << 6
_SHORTEST = 1 << 6  # of rows: fewer elements are sorted sooner than the counts of their digits are set to 0
_DIGIT = 11


@loops.kernel
def _select_rows(x, out, indices, words, counts, rows, n, parts, rank, several, shift, propagate, real, base):
    for p in parallel(parts, rows // parts * n * 2):
        own = words + p * 2 * n
        count = counts + p * 2048
        for r in range(p * rows // parts, (p + 1) * rows // parts):
            row = x + r * n
            for d in range(2048):
                count[d] = 0
            lost = 0
            for i in range(n):
                ordinal = ordinal_of(row[i], real) - base
                own[n + i] = ordinal
                lost += 1 if ordinal == 4294967295 else 0
            for i in range(n, 2 * n):
                digit = own[i] >> shift
                count[digit] = count[digit] + 1
            first = rank
            last = rank + several - 1
            if lost * propagate > 0:
                first = n - 1
                last = n - 1
            low = 0
            before = 0
            while before + i64(count[low]) <= first:
                before += i64(count[low])
                low += 1
            high = low
            until = before + i64(count[low])
            while until <= last:
                high += 1
                until += i64(count[high])
            held = 0
            for i in range(n):
                ordinal = own[n + i]
                digit = ordinal >> shift
                own[held] = (ordinal << 31) | i
                held += 1 if digit >= low and digit <= high else 0
            place = sort_words(own, count, held, 8, 4)
            for i in range(several):
                position = own[place + min(first + i, last) - before] & 2147483647
                indices[r * several + i] = position
                out[r * several + i] = row[position]


def order_statistics(x: np.ndarray, *, rank: int, count: int = 1, axis: int = -1, propagate_nan: bool = False) -> Any:
    """The elements, and their positions, that sorting would bring to the places from `rank` on: one or two."""
    if count > 2 or not x.ndim or x.shape[axis] < _SHORTEST or not 0 <= rank <= x.shape[axis] - count \
            or not takes_any(x, _LEAST, _select_rows):
        return NotImplemented
    moved = along_last(x, axis)
    order = order_of(moved, False)
    if order is None:
        return NotImplemented
    n = moved.shape[-1]
    rows = x.size // n
    parts = min(rows, get_num_threads())
    out = np.empty((*moved.shape[:-1], count), order.seen.dtype)
    indices = np.empty(out.shape, "int64")
    run = code(_select_rows, order.seen, "i64* i64* i32*", 9)
    run(parts, order.seen, out, indices, np.empty(parts * 2 * n, "int64"), np.empty(parts * 2048, "int32"), rows, n,
        parts, rank, count, max(0, order.bits - _DIGIT), int(propagate_nan and order.real), order.real, order.base)
    return put_along(x, axis, out.view(x.dtype), indices)

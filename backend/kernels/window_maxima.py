"""The maxima of windows that a table of positions names, and where they are: windows of any sizes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel
from .arrays import bound, flat, takes_floats

_LEAST = 1 << 9


@loops.kernel
def _maxima(x, table, out, places, planes, size, count, longest):
    for q in parallel(planes, count * longest * 2):
        plane = x + q * size
        best = out + q * count
        place = places + q * count
        for w in range(count):
            best[w] = plane[table[w]]
            place[w] = table[w]
        for k in range(1, longest):
            windows = table + k * count
            for w in range(count):
                value = plane[windows[w]]
                before = best[w]
                is_more = value > before or (value != value and before == before)  # the first of equal ones, or a NaN
                best[w] = value if is_more else before
                place[w] = windows[w] if is_more else place[w]


_run = bound(_maxima, "T* i32* T* i32* i64 i64 i64 i64")


def maxima(x: Any, table: np.ndarray) -> Any:
    """The maxima [N, C, *out] of the windows of x [N, C, *sizes], and their positions (int32) in the channel.

    `table` [longest, *out] has the positions in each window.
    """
    if type(x) is not np.ndarray or not takes_floats(x, _LEAST, _maxima) or not table.size:
        return NotImplemented
    shape = (*x.shape[:2], *table.shape[1:])
    out, places = np.empty(shape, x.dtype), np.empty(shape, "int32")
    _run(x.dtype, flat(x), table, out, places, math.prod(shape[:2]), math.prod(x.shape[2:]),
         math.prod(table.shape[1:]), len(table))
    return out, places

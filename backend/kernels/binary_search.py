"""Where values go into a sorted sequence (searchsorted, bucketize): a binary search of many values at a time.

Every value takes as many steps, so that four of them go side by side, without branches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel
from .arrays import bound_plain, flat

LEAST = _LEAST = 1 << 8  # values
_TYPES = {np.dtype("float32"): "f32", np.dtype("float64"): "f64", np.dtype("int32"): "i32", np.dtype("int64"): "i64"}


@loops.function
def moved(place, by, element, value, right):
    """The place behind `by` more elements, where the last of these stands before the value."""
    return place + by if element < value or (right > 0 and element == value) else place


@loops.kernel
def _places(sequence, values, out, odd, n, count, right):
    for q in parallel((count + 3) // 4, 4 * 64):
        first = q * 4
        i, j, k = min(first + 1, count - 1), min(first + 2, count - 1), min(first + 3, count - 1)
        va, vb, vc, vd = values[first], values[i], values[j], values[k]
        if va != va or vb != vb or vc != vc or vd != vd:
            odd[0] = 1
        a, b, c, d = 0, 0, 0, 0
        left = n
        while left > 1:
            half = left >> 1
            a = moved(a, half, sequence[a + half - 1], va, right)
            b = moved(b, half, sequence[b + half - 1], vb, right)
            c = moved(c, half, sequence[c + half - 1], vc, right)
            d = moved(d, half, sequence[d + half - 1], vd, right)
            left -= half
        out[first] = moved(a, 1, sequence[a], va, right)
        out[i] = moved(b, 1, sequence[b], vb, right)
        out[j] = moved(c, 1, sequence[c], vc, right)
        out[k] = moved(d, 1, sequence[d], vd, right)


_run = {dtype: bound_plain(_places, f"{name}* {name}* i64* u8* i64 i64 i64") for dtype, name in _TYPES.items()}


def searchsorted(sequence: np.ndarray, values: np.ndarray, *, out_int32: bool = False, right: bool = False) -> Any:
    """Where each value goes into a sorted sequence [n], before (right: behind) equal elements."""
    dtype = values.dtype
    if (sequence.ndim != 1 or not sequence.size or sequence.dtype != dtype or dtype not in _TYPES
            or values.size < _LEAST or not loops.is_ready() or not _places.is_due(values.size)):
        return NotImplemented
    out, odd = np.empty(values.shape, "int64"), np.zeros(1, "uint8")
    _run[dtype](flat(sequence), flat(values), out, odd, sequence.size, values.size, int(right))
    if odd[0]:  # a NaN goes behind all numbers
        return NotImplemented
    return out.astype("int32") if out_int32 else out

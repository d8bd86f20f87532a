"""Updates of some rows of a parameter, in one pass over them: what lies far apart is fetched once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import loops
from ..aliasing import changing
from ..loops.names import i64, parallel
from .arrays import bound, flat, takes_floats

LEAST = 1 << 12  # elements of the rows


@loops.exact_kernel
def _sgd(rows, values, param, rates, count, width):
    for r in parallel(count, width):
        value = values + r * width
        target = param + i64(rows[r]) * width
        rate = rates[0]
        for c in range(width):
            target[c] = target[c] - rate * value[c]


_sgd_by = bound(_sgd, "i64* T* T* T* i64 i64")


def sgd(param: np.ndarray, learning_rate: np.ndarray, values: np.ndarray, rows: np.ndarray) -> Any:
    """param[rows] -= rate * values, of rows that are there once."""
    if values.size < LEAST or param.dtype is not values.dtype or not param.flags.carray or rows.dtype != np.int64:
        return NotImplemented
    if rows.ndim != 1 or learning_rate.size != 1 or values.size != len(rows) * math.prod(param.shape[1:]):
        return NotImplemented
    if rows.min() < 0 or rows.max() >= len(param) or not takes_floats(values, LEAST, _sgd):
        return NotImplemented
    param, rate = changing(param), np.asarray(learning_rate, param.dtype).reshape(-1)
    _sgd_by(param.dtype, flat(rows), flat(values), param, rate, len(rows), values.size // len(rows))
    return param

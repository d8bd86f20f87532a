"""A dimension of an array made anew: each element a weighted sum of some, after a table of positions and weights."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel
from .arrays import around, bound, flat, takes_floats

_LEAST = 1 << 9


@loops.kernel
def _along_rows(x, at, weights, out, rows, n, count, taps):
    for r in parallel(rows, count * taps * 2):
        row = x + r * n
        result = out + r * count
        for j in range(count):
            result[j] = weights[j] * row[at[j]]
        for t in range(1, taps):
            for j in range(count):
                result[j] = result[j] + weights[t * count + j] * row[at[t * count + j]]


@loops.kernel
def _along_columns(x, at, weights, out, outer, n, inner, count, taps):
    for q in parallel(outer * count, inner * taps):
        j = q % count
        plane = x + q // count * n * inner
        result = out + q * inner
        first = plane + at[j] * inner
        for c in range(inner):
            result[c] = weights[j] * first[c]
        for t in range(1, taps):
            weight = weights[t * count + j]
            row = plane + at[t * count + j] * inner
            for c in range(inner):
                result[c] = result[c] + weight * row[c]


_run_rows = bound(_along_rows, "T* i64* T* T* i64 i64 i64 i64")
_run_columns = bound(_along_columns, "T* i64* T* T* i64 i64 i64 i64 i64")
_Table = tuple[tuple[np.ndarray, np.ndarray | None], ...]


@lru_cache(256)
def _joined(table: tuple[tuple[bytes, bytes], ...], dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """A table's positions and weights, as one array each."""
    positions = np.concatenate([np.frombuffer(at, np.int64) for at, _ in table])
    return positions, np.concatenate([np.frombuffer(weights, np.float64) for _, weights in table]).astype(dtype)


def weighted(x: Any, axis: int, table: _Table) -> Any:
    """x with a dimension made anew after a table: for each tap positions (int64) and weights (float64), 1 for None."""
    if type(x) is not np.ndarray or not x.flags.c_contiguous or not takes_floats(x, _LEAST, _along_rows):
        return NotImplemented
    outer, n, inner = around(x.shape, axis)
    count = len(table[0][0])
    ones = np.ones(count)
    key = tuple([(at.astype(np.int64, copy=False).tobytes(), (ones if w is None else w).astype(np.float64).tobytes())
                 for at, w in table])
    positions, weights = _joined(key, x.dtype.name)
    out = np.empty((*x.shape[:axis], count, *x.shape[axis + 1:]), x.dtype)
    if not out.size:
        return NotImplemented
    if inner == 1:
        _run_rows(x.dtype, flat(x), positions, weights, out, outer, n, count, len(table))
    else:
        _run_columns(x.dtype, flat(x), positions, weights, out, outer, n, inner, count, len(table))
    return out

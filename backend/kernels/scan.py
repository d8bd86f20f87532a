"""Running sums along a dimension: of several rows at a time, as one sum must wait for the one before."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel
from .arrays import around, bound, flat, takes_floats

LEAST = _LEAST = 1 << 9
_BLOCK = 1 << 10


@loops.kernel
def _rows(x, out, rows, n):
    for q in parallel((rows + 3) // 4, n * 4):
        first = q * 4
        if first + 4 <= rows:
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            row = x + first * n
            result = out + first * n
            for i in range(n):
                a = a + row[i]
                b = b + row[n + i]
                c = c + row[2 * n + i]
                d = d + row[3 * n + i]
                result[i] = a
                result[n + i] = b
                result[2 * n + i] = c
                result[3 * n + i] = d
        else:
            for r in range(first, rows):
                total = 0.0
                for i in range(r * n, r * n + n):
                    total = total + x[i]
                    out[i] = total


@loops.kernel
def _columns(x, out, outer, n, inner, block, blocks):
    for p in parallel(outer * blocks, n * block // 4):
        first = p % blocks * block
        width = min(block, inner - first)
        start = p // blocks * n * inner + first
        for c in range(start, start + width):
            out[c] = x[c]
        for i in range(1, n):
            row = start + i * inner
            for c in range(row, row + width):
                out[c] = out[c - inner] + x[c]


_run_rows = bound(_rows, "T* T* i64 i64")
_run_columns = bound(_columns, "T* T* i64 i64 i64 i64 i64")


def cumsum(x: np.ndarray, *, axis: int = -1, flatten: bool = False, exclusive: bool = False,
           reverse: bool = False) -> Any:
    """The running sum along a dimension, or of x flattened, from its beginning."""
    if exclusive or reverse or not takes_floats(x, _LEAST, _rows) or not x.ndim:
        return NotImplemented
    x = flat(x)
    outer, n, inner = (1, x.size, 1) if flatten else around(x.shape, axis % x.ndim)
    out = np.empty(x.size if flatten else x.shape, x.dtype)
    if inner == 1:
        _run_rows(x.dtype, x, out, outer, n)
    else:
        block = min(inner, _BLOCK)
        _run_columns(x.dtype, x, out, outer, n, inner, block, -(-inner // block))
    return out

"""The product of one or two rows with a matrix, x [rows, k] @ w [k, n], plus a bias [n].

Reading the matrix is all that it takes: each thread has columns of its own and goes along their rows, eight at a
time, in the order in which they lie in memory. A library's code for matrices reads it in tiles, and takes half as long
again where it comes from memory, several times as long where it comes from the cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel
from ..threads import get_num_threads
from .arrays import F32, bound_plain

MOST_ROWS = 2
_WIDTH = 64  # columns at the least that a thread takes: a line of the cache and more
_MOST_COLUMNS = 1 << 12  # at a time: their sums stay in the cache
_LITTLE = 3  # an element counts as so little of one, 2**-3, for when the loop is due
_NONE = np.zeros(1, np.float32)


@loops.kernel
def _products(x, w, bias, out, rows, k, n, block, blocks, has_bias):
    for p in parallel(blocks, k * block // 8):
        first = p * block
        width = min(block, n - first)
        eights = k // 8 * 8
        for r in range(rows):
            values = x + r * k
            result = out + (r * n + first)
            for c in range(width):
                result[c] = bias[(first + c) * has_bias]
            for i in range(0, eights, 8):
                a = w + (i * n + first)
                b = a + n * 4
                for c in range(width):
                    result[c] = result[c] + (
                        ((values[i] * a[c] + values[i + 1] * a[n + c])
                         + (values[i + 2] * a[n * 2 + c] + values[i + 3] * a[n * 3 + c]))
                        + ((values[i + 4] * b[c] + values[i + 5] * b[n + c])
                           + (values[i + 6] * b[n * 2 + c] + values[i + 7] * b[n * 3 + c])))
            for i in range(eights, k):
                a = w + (i * n + first)
                for c in range(width):
                    result[c] = result[c] + values[i] * a[c]


def _is_wanted(w: np.ndarray) -> bool:
    """Whether loops can be had for a matrix, and are due: what computes before that is not much slower."""
    return w.size > 0 and w.dtype is F32 and loops.is_ready() and _products.is_due(w.size >> _LITTLE)


_run = bound_plain(_products, "f32* f32* f32* f32* i64 i64 i64 i64 i64 i64")


def row_product(x: np.ndarray, w: np.ndarray, bias: np.ndarray | None) -> Any:
    """x [..., k] @ w [k, n] + bias: [..., n], of at most `MOST_ROWS` rows; all lie in order, as C has it."""
    k, n = w.shape
    if x.size > MOST_ROWS * k or x.shape[-1] != k or not _is_wanted(w) or x.dtype is not F32:
        return NotImplemented
    if bias is not None and (bias.dtype is not F32 or bias.shape != (n,)):
        return NotImplemented
    if not all(each is None or each.flags.c_contiguous for each in (x, w, bias)):
        return NotImplemented
    out = np.empty((*x.shape[:-1], n), F32)
    share = -(-n // get_num_threads())
    block = min(-(-share // _WIDTH) * _WIDTH, _MOST_COLUMNS)
    _run(x, w, _NONE if bias is None else bias, out, x.size // k, k, n, block, -(-n // block), bias is not None)
    return out

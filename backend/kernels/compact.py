"""What a mask chooses: the positions where it is true, and the elements that stand there.

The mask is seen in rows. How many each holds is counted first, so that rows can be written by several threads; within a
row nothing branches on the mask, which nobody could predict.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import i64, parallel
from .arrays import bound_plain, flat

LEAST = _LEAST = 1 << 10
_WIDTH = 1 << 12  # of rows, where the array has none of its own


@loops.kernel
def _count(mask, counts, rows, width, size):
    for r in parallel(rows, max(1, width // 8)):
        total = 0
        for i in range(r * width, min(size, r * width + width)):
            total += i64(mask[i])
        counts[r + 1] = total


@loops.kernel
def _places(mask, ends, shape, out, rows, width, rank):
    for r in parallel(rows, width):
        place = ends[r]
        end = ends[r + 1]
        column = out + (rank - 1)
        start = r * width
        if rank > 1:
            start = 0
        row = mask + r * width
        i = 0
        while place < end:
            column[place * rank] = start + i
            place += i64(row[i])
            i += 1
        rest = r
        for back in range(1, rank):
            d = rank - 1 - back
            value = rest % shape[d]
            rest = rest // shape[d]
            for k in range(ends[r], end):
                out[k * rank + d] = value


@loops.kernel
def _elements(x, mask, ends, out, rows, width):
    for r in parallel(rows, width):
        place = ends[r]
        end = ends[r + 1]
        row = mask + r * width
        values = x + r * width
        i = 0
        while place < end:
            out[place] = values[i]
            place += i64(row[i])
            i += 1


_count_true = bound_plain(_count, "u8* i64* i64 i64 i64")
_write_places = bound_plain(_places, "u8* i64* i64* i64* i64 i64 i64")
_BITS = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}
_write_elements = {size: bound_plain(_elements, f"{kind}* u8* i64* {kind}* i64 i64") for size, kind in _BITS.items()}


def _ends(mask: np.ndarray, rows: int, width: int) -> np.ndarray:
    """Where the true ones of each row begin and end among all of them."""
    ends = np.empty(rows + 1, "int64")
    ends[0] = 0
    _count_true(mask, ends, rows, width, mask.size)
    return np.add.accumulate(ends, out=ends)


def _is_due(size: int) -> bool:
    return loops.is_ready() and _count.is_due(size)


def where_index(condition: np.ndarray) -> Any:
    """The places of what is not 0, a row each."""
    if condition.size < _LEAST or condition.ndim == 0 or not _is_due(condition.size):
        return NotImplemented
    mask = flat(condition if condition.dtype.kind == "b" else condition != 0).view("uint8")
    rank = mask.ndim
    width = mask.shape[-1] if rank > 1 else _WIDTH
    rows = -(-mask.size // width)
    ends = _ends(mask, rows, width)
    out = np.empty((ends[-1], rank), "int64")
    _write_places(mask, ends, np.array(mask.shape), out, rows, width, rank)
    return out


def masked_select(x: np.ndarray, mask: np.ndarray) -> Any:
    """The elements that stand where a mask of x's shape is true."""
    if x.size < _LEAST or x.itemsize not in _BITS or mask.shape != x.shape or not _is_due(x.size):
        return NotImplemented
    x, mask = flat(x), flat(mask).view("uint8")
    rows = -(-x.size // _WIDTH)
    ends = _ends(mask, rows, _WIDTH)
    out = np.empty(ends[-1], x.dtype)
    _write_elements[x.itemsize](x, mask, ends, out, rows, _WIDTH)
    return out

"""Rows of a table by number, and the sum of gradients into such rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import i64, parallel
from ..loops.tape import Declined, Tape, Value
from .arrays import F32, F64, bound, flat, takes_floats

LEAST = 1 << 10  # elements of what is taken
_INTEGERS = {np.dtype("int64"): "i64*", np.dtype("int32"): "i32*"}


@loops.kernel
def _lookup(ids, table, out, wrong, count, rows, width, padding):
    for r in parallel(count, width):
        row = i64(ids[r])
        result = out + r * width
        if row == padding and row != -1:
            for c in range(width):
                result[c] = 0.0
        elif row < 0 or row >= rows:
            wrong[0] = 1
        else:
            source = table + row * width
            for c in range(width):
                result[c] = source[c]


@loops.kernel
def _scatter(ids, g, out, wrong, count, rows, width, padding):
    for b in parallel((width + 31) // 32, count * min(width, 32)):
        first = b * 32
        size = min(32, width - first)
        for r in range(count):
            row = i64(ids[r])
            if row != padding or row == -1:
                if row < 0 or row >= rows:
                    wrong[0] = 1
                else:
                    source = g + r * width + first
                    target = out + row * width + first
                    for c in range(size):
                        target[c] = target[c] + source[c]


_NUMBERS = "u8*", "i64", "i64", "i64", "i64"
_lookup_by, _scatter_by = (
    {dtype: bound(kernel, " ".join((name, "T* T*", *_NUMBERS))) for dtype, name in _INTEGERS.items()}
    for kernel in (_lookup, _scatter))


def lookup(ids: np.ndarray, w: np.ndarray, *, is_sparse: bool = False, is_distributed: bool = False,
           padding_idx: int = -1, remote_prefetch: bool = False) -> Any:
    """The rows of w with the numbers ids; zeros for the padding's."""
    width = w.shape[1]
    size = ids.size * width
    if size < LEAST or w.ndim != 2 or ids.dtype not in _INTEGERS or not w.flags.c_contiguous or not w.flags.aligned:
        return NotImplemented
    if not (w.dtype is F32 or w.dtype is F64) or not loops.is_ready() or not _lookup.is_due(size):
        return NotImplemented
    out, wrong = np.empty((*ids.shape, width), w.dtype), np.zeros(1, "uint8")
    _lookup_by[ids.dtype](w.dtype, flat(ids), w, out, wrong, ids.size, len(w), width, padding_idx)
    return NotImplemented if wrong[0] else out


def taped_lookup(tape: Tape, ids: Value, w: Value, padding_idx: int) -> Value:
    """`lookup` as steps of a tape, which a number that is none of a row ends."""
    if ids.dtype not in _INTEGERS or w.ndim != 2 or w.dtype.char not in "fd":
        raise Declined
    out = tape.new((*ids.shape, w.shape[1]), w.dtype)
    wrong = tape.filled((1,), np.dtype("int64"), 0)
    tape.step(_lookup, ids, w, out, wrong, ids.size, *w.shape, padding_idx)
    tape.stop_if(wrong)
    return out


def taken(x: np.ndarray, index: np.ndarray, axis_tensor: Any = None, *, axis: int = 0,
          overwrite: bool = False) -> Any:
    """The slices of x at these positions along its first dimension."""
    if axis != 0 or axis_tensor is not None or x.ndim < 2 or not x.size or not x.flags.c_contiguous or index.ndim != 1:
        return NotImplemented
    found = lookup(index, x.reshape(len(x), -1))
    return found if found is NotImplemented else found.reshape(-1, *x.shape[1:])


def lookup_grad(ids: np.ndarray, g: np.ndarray, *, shape: Sequence[int], padding_idx: int = -1,
                is_sparse: bool = False) -> Any:
    """Zeros of the table's shape, to whose rows the rows of g are added by their numbers, except the padding's."""
    rows, width = shape
    if is_sparse or g.size != ids.size * width or ids.dtype not in _INTEGERS or not takes_floats(g, LEAST, _scatter):
        return NotImplemented
    out, wrong = np.zeros((rows, width), g.dtype), np.zeros(1, "uint8")
    _scatter_by[ids.dtype](g.dtype, flat(ids), flat(g), out, wrong, ids.size, rows, width, padding_idx)
    return NotImplemented if wrong[0] else out

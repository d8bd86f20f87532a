"""The product of two float32 matrices of any order, by oneDNN's own function for it: nothing has to be prepared.

Where a result has few rows or columns, that function reads its operands where they lie. One whose rows begin 2 or 4 KiB
apart then costs twice the time: a column of it lies in a few sets of a core's cache. It is copied apart before. Not
where vectors of 64 bytes are whole: there the copy costs more than it wins, and a few rows times a matrix that is read
by columns are the matrix times their columns.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ...core.processors import has_whole_wide_vectors
from ..threads import get_num_threads
from .library import Library, library
from .routine import SMALL, address_of, with_threads

STRIDE = 512  # rows that begin a multiple of so many elements apart fall into few sets of a cache
GAP = 16  # elements between the rows of a copy: 64 bytes, a line of a cache
_DEEP = 64  # rows from which on this is felt
_REUSED = 32  # how often an element must be used for a copy to be worth it
_TURNED = 1 << 14  # of an operand that is read by columns: rows of the result times those of the operand
_READ_IN_PLACE = 0.0038  # oneDNN's threshold for 1/m + 1/n
_THIN = (16, 32, 1 << 17)  # rows, from and to, and elements of the matrix from which on both operands are turned


def _order(matrix: np.ndarray) -> tuple[bytes, int] | None:
    """How a matrix lies: by rows or by columns, and how far apart these are; None where neither holds."""
    rows, columns = matrix.shape
    down, across = matrix.strides
    if (across == 4 or columns == 1) and (down >= 4 * columns and down % 4 == 0 or rows == 1):
        return b"N", max(down // 4, columns) if rows > 1 else columns
    if (down == 4 or rows == 1) and (across >= 4 * rows and across % 4 == 0 or columns == 1):
        return b"T", max(across // 4, rows) if columns > 1 else rows
    return None


def _apart(rows: np.ndarray) -> np.ndarray:
    """A copy of a matrix with gaps between its rows."""
    copy = np.empty((rows.shape[0], rows.shape[1] + GAP), np.float32)[:, :rows.shape[1]]
    copy[...] = rows
    return copy


def for_the_compiled_form() -> tuple[Any, ...] | None:
    """What `serve_gemm` of the compiled form takes, which then calls the same function; None where it cannot."""
    loaded = library()
    found = None if loaded is None else loaded.product_addresses()
    if found is None:
        return None
    gap, reused, thin = (0, sys.maxsize, _THIN) if has_whole_wide_vectors() else (GAP, _REUSED, (1, 0, 0))
    return *found, get_num_threads, SMALL // 2, _DEEP, STRIDE, gap, reused, _TURNED, _READ_IN_PLACE, thin


def _turned(loaded: Library, x: np.ndarray, left: tuple[bytes, int], y: np.ndarray, right: tuple[bytes, int],
            out: np.ndarray | None) -> np.ndarray:
    """x @ y, as the product of both turned, turned back."""
    (m, k), n = x.shape, y.shape[1]
    across = np.empty((n, m), np.float32)
    status = loaded.sgemm(b"N", b"T" if left[0] == b"N" else b"N", n, m, k, 1.0, address_of(y), right[1],
                          address_of(x), left[1], 0.0, address_of(across), m)
    if status:
        loaded.check(f"product of matrices {list(x.shape)} and {list(y.shape)}", status)
    if out is None:
        return np.ascontiguousarray(across.T)
    out[...] = across.T
    return out


def multiply(x: np.ndarray, y: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """x @ y of float32 matrices, neither of them empty; `out` is C-contiguous, and neither x nor y."""
    loaded = library()
    assert loaded is not None
    with_threads(loaded, 1 if 2 * x.size * y.shape[1] < SMALL else None)
    left, right = _order(x), _order(y)
    if left is None:
        x = np.ascontiguousarray(x)
        left = (b"N", x.shape[1])
    if right is None:
        y = np.ascontiguousarray(y)
        right = (b"N", y.shape[1])
    (m, k), n = x.shape, y.shape[1]
    if has_whole_wide_vectors():
        if right[0] == b"T" and _THIN[0] <= m <= _THIN[1] and k * n >= _THIN[2]:
            return _turned(loaded, x, left, y, right, out)
    elif k >= _DEEP and 1.0 / m + 1.0 / n >= _READ_IN_PLACE:
        if left[0] == b"T" and left[1] % STRIDE == 0 and n >= _REUSED:
            x = _apart(x.T).T
            left = (b"T", m + GAP)
        if right[0] == b"N" and right[1] % STRIDE == 0 and m >= _REUSED:
            y = _apart(y)
            right = (b"N", n + GAP)
        if right[0] == b"T" and right[1] % STRIDE == 0 and 2 * m >= _REUSED and m * k >= _TURNED:
            y = _apart(y.T).T
            right = (b"T", k + GAP)
    if out is None:
        out = np.empty((m, n), np.float32)
    status = loaded.sgemm(left[0], right[0], m, n, k, 1.0, address_of(x), left[1], address_of(y), right[1], 0.0,
                          address_of(out), n)
    if status:
        loaded.check(f"product of matrices {list(x.shape)} and {list(y.shape)}", status)
    return out

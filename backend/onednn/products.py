"""The product of two float32 matrices of any order, by oneDNN's own function for it: nothing has to be prepared."""

from __future__ import annotations

import numpy as np

from .library import library
from .routine import address_of, with_threads


def _order(matrix: np.ndarray) -> tuple[bytes, int] | None:
    """How a matrix lies: by rows or by columns, and how far apart these are; None where neither holds."""
    rows, columns = matrix.shape
    down, across = matrix.strides
    if (across == 4 or columns == 1) and (down >= 4 * columns and down % 4 == 0 or rows == 1):
        return b"N", max(down // 4, columns) if rows > 1 else columns
    if (down == 4 or rows == 1) and (across >= 4 * rows and across % 4 == 0 or columns == 1):
        return b"T", max(across // 4, rows) if columns > 1 else rows
    return None


def multiply(x: np.ndarray, y: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """x @ y of float32 matrices, neither of them empty; `out` is C-contiguous, and neither x nor y."""
    loaded = library()
    assert loaded is not None
    with_threads(loaded)
    left, right = _order(x), _order(y)
    if left is None:
        x = np.ascontiguousarray(x)
        left = (b"N", x.shape[1])
    if right is None:
        y = np.ascontiguousarray(y)
        right = (b"N", y.shape[1])
    (m, k), n = x.shape, y.shape[1]
    if out is None:
        out = np.empty((m, n), np.float32)
    status = loaded.sgemm(left[0], right[0], m, n, k, 1.0, address_of(x), left[1], address_of(y), right[1], 0.0,
                          address_of(out), n)
    loaded.check(f"product of matrices {list(x.shape)} and {list(y.shape)}", status)
    return out

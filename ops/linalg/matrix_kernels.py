"""Array code of linear algebra that NumPy and CuPy lack: triangular systems and LU with partial pivoting, in batches.

Both work on blocks, so that most of what they compute are products of matrices.
"""

from __future__ import annotations

from typing import Any

from ...backend.linear_algebra import solution
from ..core.infer import product

_BLOCK = 48
"""Columns to a block: below, the work is in the loop's steps, and above, in its small products."""


def adjoint_array(x: Any) -> Any:
    """The conjugate transposes of matrices."""
    x = x.swapaxes(-1, -2)
    return x.conj() if x.dtype.kind == "c" else x


def triangular_solution(xp: Any, a: Any, b: Any, upper: bool, unit: bool) -> Any:
    """a^-1 b, of a only the one triangle (without the diagonal, which is 1, where `unit`)."""
    a = xp.triu(a) if upper else xp.tril(a)
    if unit:
        a = xp.where(xp.eye(a.shape[-1], dtype=bool), xp.ones((), a.dtype), a)
    if upper:
        return _substituted_back(xp, a, b)
    return _substituted_back(xp, a[..., ::-1, ::-1], b[..., ::-1, :])[..., ::-1, :]


def _substituted_back(xp: Any, a: Any, b: Any) -> Any:
    """a^-1 b of upper triangular a. A general solver exchanges no rows of such a block: it substitutes back as well."""
    size = a.shape[-1]
    if size <= _BLOCK:
        return solution(xp, a, b)
    half = size // 2
    last = _substituted_back(xp, a[..., half:, half:], b[..., half:, :])
    first = _substituted_back(xp, a[..., :half, :half], b[..., :half, :] - a[..., :half, half:] @ last)
    shape = (*last.shape[:-2], half, last.shape[-1])
    return xp.concatenate([xp.broadcast_to(first, shape), last], -2)


def lu_factors(xp: Any, x: Any, pivot: bool) -> tuple[Any, Any, Any]:
    """L (below the diagonal) and U in one matrix; the rows exchanged, counted from 1; the first pivot 0, or 0."""
    rows, columns = x.shape[-2:]
    batch, count = x.shape[:-2], min(rows, columns)
    a = xp.array(x).reshape(product(batch), rows, columns)
    pivots = xp.zeros((len(a), count), "int32") + xp.arange(1, count + 1, dtype="int32")
    for start in range(0, count, _BLOCK):
        end = min(start + _BLOCK, count)
        for column in range(start, end):
            if pivot:
                _exchange(xp, a, pivots, column)
            _eliminate(xp, a, column, end)
        if end < columns:
            block = a[:, start:end, start:end]
            a[:, start:end, end:] = triangular_solution(xp, block, a[:, start:end, end:], upper=False, unit=True)
            a[:, end:, end:] -= a[:, end:, start:end] @ a[:, start:end, end:]
    zero = a.diagonal(0, 1, 2) == 0
    first = zero.argmax(1) if count else xp.zeros(len(a), "int64")
    infos = xp.where(zero.any(1), first + 1, 0).astype("int32")
    return a.reshape(x.shape), pivots.reshape(*batch, count), infos.reshape(batch or (1,))


def _exchange(xp: Any, a: Any, pivots: Any, column: int) -> None:
    """Brings the row with the largest element of the column to its place."""
    each = xp.arange(len(a))
    found = xp.abs(a[:, column:, column]).argmax(1) + column
    pivots[:, column] = found + 1
    current = a[:, column].copy()
    a[:, column] = a[each, found]
    a[each, found] = current


def _eliminate(xp: Any, a: Any, column: int, end: int) -> None:
    """Subtracts multiples of the pivot's row from the rows below, up to the column `end`."""
    pivot = a[:, column, column]
    below = a[:, column + 1:, column]
    below /= xp.where(pivot == 0, xp.ones_like(pivot), pivot)[:, None]
    a[:, column + 1:, column + 1:end] -= below[:, :, None] * a[:, column, None, column + 1:end]


def permutation(xp: Any, pivots: Any, rows: int, dtype: Any) -> Any:
    """The matrices P with A = P L U, from the rows exchanged."""
    count = pivots.shape[-1]
    steps = pivots.reshape(product(pivots.shape[:-1]), count)
    each = xp.arange(len(steps))
    order = xp.zeros((len(steps), rows), "int64") + xp.arange(rows)
    for n in range(count):
        found = steps[:, n].astype("int64") - 1
        current = order[:, n].copy()
        order[:, n] = order[each, found]
        order[each, found] = current
    placed = xp.arange(rows)[:, None] == order[:, None, :]
    return placed.astype(dtype).reshape(*pivots.shape[:-1], rows, rows)

"""LU: matrices as products of a permutation, a lower and an upper triangular matrix."""


from typing import Any

from ...core import dtype as dt
from ..array.concat_split import concat
from ..array.creation import eye
from ..array.full import full_of_shape
from ..array.pad import pad_op
from ..core.infer import check_rank
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import dtype_of
from .matrices import (
    adjoint,
    check_matrices,
    checked,
    halves,
    known_sizes,
    lower,
    mm,
    smaller,
    transposed,
    upper,
    without_zero_pivots,
)
from .matrix_kernels import lu_factors, permutation
from .triangular import solve_triangle, triangular_op


def _lu(xp, x, *, pivots: bool = True):
    return lu_factors(xp, x, pivots)


def _infer_lu(x, *, pivots=True):
    check_matrices("lu(x)", x)
    batch = x.shape[:-2]
    return x, Spec((*batch, smaller(*x.shape[-2:])), dt.int32), Spec(batch or (1,), dt.int32)


def _lu_gradient(g: Any, out: Any, pivots: Any) -> Any:
    """A = P L U, the square parts L1 and U1: P L1^-H (tril(L^H gL - gU2 U2^H) + triu(gU U^H - L2^H gL2)) U1^-H."""
    m, n = known_sizes("lu(x)", out.shape)
    k = min(m, n)
    rows, below = halves(out, -2, k, m)
    g_rows, g_below = halves(g, -2, k, m)
    square, beside = halves(rows, -1, k, n)
    g_square, g_beside = halves(g_rows, -1, k, n)
    unit = lower(square, -1) + eye(k, dtype=str(square.dtype.name))
    square = without_zero_pivots(square)
    inner_l = mm(adjoint(unit), lower(g_square, -1))
    inner_u = mm(upper(g_square), adjoint(upper(square)))
    if beside is not None:
        inner_l = inner_l - mm(g_beside, adjoint(beside))
    if below is not None:
        inner_u = inner_u - mm(adjoint(below), g_below)
    inner = _from_left(square, lower(inner_l, -1) + upper(inner_u))
    result = _from_right(square, inner)
    if beside is not None:
        result = concat([result, _from_left(square, g_beside)], -1)
    if below is not None:
        result = concat([result, _from_right(square, g_below)], -2)
    p, _, _ = apply(lu_unpack_op, out, pivots, unpack_ludata=False, unpack_pivots=True)
    return mm(p, result)


def _from_left(square: Any, x: Any) -> Any:
    """L^-H x, L in the lower triangle with a diagonal of 1."""
    return apply(triangular_op, _conjugate(square), x, upper=False, transpose=True, unitriangular=True)


def _from_right(square: Any, x: Any) -> Any:
    """x U^-H, U in the upper triangle."""
    return adjoint(solve_triangle(square, adjoint(x), upper=True))


def _conjugate(x: Any) -> Any:
    return transposed(adjoint(x))


lu_op = operator("lu", "X -> Out, Pivots, Infos", kernel=_lu, infer=_infer_lu, grad={
    "X": lambda g, Out, Pivots: _lu_gradient(g, Out, Pivots)}, lod="drop")


def lu(x: Any, pivot: bool = True, get_infos: bool = False, name: str | None = None) -> Any:
    """The factors of x = P @ L @ U, of matrices [..., m, n], in one: L below the diagonal (its own is 1), and U.

    With them come the pivots, int32 [..., min(m, n)]: row i was exchanged with row pivots[i], counted from 1; and with
    `get_infos` the number of the first pivot that is 0, or 0. `lu_unpack` takes the parts out.

    >>> import proa as paddle
    >>> packed, pivots = paddle.linalg.lu(paddle.to_tensor([[1.0, 2.0], [2.0, 2.0]]))
    >>> packed.tolist(), pivots.tolist()
    ([[2.0, 2.0], [0.5, 1.0]], [2, 2])
    """
    packed, pivots, infos = checked(lu_op, x, pivots=pivot)
    return (packed, pivots, infos) if get_infos else (packed, pivots)


def _lu_unpack(xp, x, pivots, *, unpack_ludata: bool = True, unpack_pivots: bool = True):
    m, n = x.shape[-2:]
    k = min(m, n)
    p = permutation(xp, pivots, m, x.dtype) if unpack_pivots else xp.zeros((0,), x.dtype)
    if not unpack_ludata:
        return p, xp.zeros((0,), x.dtype), xp.zeros((0,), x.dtype)
    return p, xp.tril(x[..., :, :k], -1) + xp.eye(m, k, dtype=x.dtype), xp.triu(x[..., :k, :])


def _infer_lu_unpack(x, pivots, *, unpack_ludata=True, unpack_pivots=True):
    check_matrices("lu_unpack(x)", x)
    check_rank("lu_unpack(y)", pivots, 1)
    batch, (m, n) = x.shape[:-2], x.shape[-2:]
    k = smaller(m, n)
    if pivots.shape[-1] != k and -1 not in (pivots.shape[-1], k):
        raise ValueError(f"lu_unpack(x, y): y must hold min(m, n)={k} pivots a matrix, as lu() gives them. "
                         f"Received x.shape={list(x.shape)}, y.shape={list(pivots.shape)}.")
    empty = Spec((0,), x.dtype)
    return (Spec((*batch, m, m), x.dtype) if unpack_pivots else empty,
            Spec((*batch, m, k), x.dtype) if unpack_ludata else empty,
            Spec((*batch, k, n), x.dtype) if unpack_ludata else empty)


def _lu_unpack_gradient(gl: Any, gu: Any, shape: Any, unpack_ludata: bool) -> Any:
    if not unpack_ludata:
        return full_of_shape(shape, 0.0, dtype_of(gl))
    m, n = known_sizes("lu_unpack(x)", shape)
    widths = [0] * (2 * (gl.ndim - 1))
    left, above = lower(gl, -1), upper(gu)
    if n > m:
        left = apply(pad_op, left, paddings=[*widths, 0, n - m])
    elif m > n:
        above = apply(pad_op, above, paddings=[*widths[:-2], 0, m - n, 0, 0])
    return left + above


lu_unpack_op = operator("lu_unpack", "X, Pivots -> Pmat, L, U", kernel=_lu_unpack, infer=_infer_lu_unpack, grad={
    "X": lambda d_L, d_U, X_shape, unpack_ludata: _lu_unpack_gradient(d_L, d_U, X_shape, unpack_ludata)},
    fails="values", lod="drop")


def lu_unpack(x: Any, y: Any, unpack_ludata: bool = True, unpack_pivots: bool = True, name: str | None = None) -> Any:
    """P, L and U with P @ L @ U the matrix that `lu` took apart into x and the pivots y.

    What is not asked for comes as an empty tensor.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0, 2.0], [2.0, 2.0]])
    >>> p, l, u = paddle.linalg.lu_unpack(*paddle.linalg.lu(x))
    >>> (p @ l @ u).tolist()
    [[1.0, 2.0], [2.0, 2.0]]
    """
    return checked(lu_unpack_op, x, y, unpack_ludata=unpack_ludata, unpack_pivots=unpack_pivots)

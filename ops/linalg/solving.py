"""Square matrices as equations: inverse, solve, determinants, powers, and products of several matrices.

M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation", 2008.
"""


import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.linear_algebra import failing_as, linalg, power, solution
from ...backend.linear_algebra import inverse as inverted
from ...core.dtype import promote
from ...core.errors import no_list
from ..array.full import is_value
from ..array.gradient_shapes import reshape_to, sum_to
from ..array.reshape import shape_handle, squeeze_op, unsqueeze_op
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.elementwise import conj_of
from ..math.reduce import sum
from .matrices import (
    adjoint,
    as_column,
    as_row,
    check_square,
    check_system,
    checked,
    mm,
    nan_where_zero,
    part,
    transposed,
)

_SINGULAR = ("has no inverse: a matrix is singular. Check it with paddle.linalg.matrix_rank, or take "
             "paddle.linalg.pinv or paddle.linalg.lstsq, which need none.")


def _square(what: str) -> Any:
    def infer(x: Spec, **_: Any) -> Spec:
        check_square(what, x)
        return x

    return infer


# inverse

def _inverse(xp, x):
    with failing_as(f"inv(x): x {_SINGULAR}"):
        return inverted(xp, x)


inverse_op = operator("inverse", "Input -> Output", kernel=_inverse, infer=_square("inv(x)"), grad={
    "Input": lambda g, Output: mm(mm(adjoint(Output), g), adjoint(Output)) * -1.0}, fails="values")


def inverse(x: Any, name: str | None = None) -> Any:
    """The inverses of square matrices [..., n, n]. Raises ValueError where one is singular.

    >>> import proa as paddle
    >>> paddle.inverse(paddle.to_tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return checked(inverse_op, x)


# solve

def _is_vector(x: tuple, y: tuple) -> bool:
    """Whether, by the shapes, y holds vectors: it has one dimension, or all of x but the last."""
    return len(y) == 1 or y == x[:-1]


def _solve(xp, x, y):
    with failing_as(f"solve(x, y): x {_SINGULAR}"):
        if _is_vector(x.shape, y.shape):
            return solution(xp, x, y[..., None])[..., 0]
        return solution(xp, x, y)


def _infer_solve(x, y):
    rest = x.shape[:-1]
    open_sizes = -1 in (*y.shape, *rest) and (y.shape != rest or set(rest) == {-1})
    if y.rank == len(rest) > 1 and open_sizes and all(
            a == b or -1 in (a, b) for a, b in zip(y.shape, rest, strict=True)):
        raise ValueError("solve(x, y): whether y holds vectors or matrices depends on sizes that are not known. "
                         f"Declare them, or give vectors as columns. Received x.shape={list(x.shape)}, "
                         f"y.shape={list(y.shape)}.")
    if not _is_vector(x.shape, y.shape):
        return check_system("solve(x, y)", x, y)
    result = check_system("solve(x, y)", x, Spec((*y.shape, 1), y.dtype))
    return Spec(result.shape[:-1], result.dtype)


def _solve_gradients(g: Any, x: Any, out: Any, x_shape: Any, y_shape: Any, wants: Any) -> Any:
    vector = _is_vector(tuple(x.shape), tuple(y_shape if type(y_shape) is tuple else y_shape.shape))
    columns = as_column(g) if vector else g
    dy = apply(solve_op, adjoint(x), columns)
    dx = None
    if wants[0]:
        dx = sum_to(mm(dy, adjoint(as_column(out) if vector else out)) * -1.0, x_shape)
    return dx, sum_to(apply(squeeze_op, dy, axes=[dy.ndim - 1]) if vector else dy, y_shape)


solve_op = operator(
    "solve", "X, Y -> Out", kernel=_solve, infer=_infer_solve,
    grad={"X, Y": lambda g, X, Out, X_shape, Y_shape, wants: _solve_gradients(g, X, Out, X_shape, Y_shape, wants)},
    fails="values")


def solve(x: Any, y: Any, name: str | None = None) -> Any:
    """The solution of x @ out = y for square matrices x [..., n, n] and y [..., n, k], or vectors y.

    y holds vectors where it has one dimension, or the shape of x without its last. Other leading dimensions broadcast.
    Raises ValueError where x is singular.

    >>> import proa as paddle
    >>> paddle.linalg.solve(paddle.to_tensor([[3.0, 1.0], [1.0, 2.0]]), paddle.to_tensor([9.0, 8.0])).tolist()
    [2.0, 3.0]
    """
    return checked(solve_op, x, y)


# determinants

def _determinant(xp, x):
    return xp.asarray(linalg(xp).det(x))


def _infer_determinant(x):
    check_square("det(x)", x)
    return Spec(x.shape[:-2], x.dtype)


def _others(xp: Any, x: Any) -> Any:
    """For each element the product of the others along the last dimension."""
    ones = xp.ones((*x.shape[:-1], 1), x.dtype)
    before = xp.cumprod(xp.concatenate([ones, x[..., :-1]], -1), -1)
    behind = xp.cumprod(xp.concatenate([ones, x[..., :0:-1]], -1), -1)[..., ::-1]
    return before * behind


_WELL_CONDITIONED = 1e6  # ten digits of float64 are left


def _cofactors_by_inverse(xp: Any, x: Any) -> Any:
    """In float64, where no digit that counts is lost by it: some hundred times as fast. None for other matrices."""
    wide = x.astype("complex128" if x.dtype.kind == "c" else "float64", copy=False)
    try:
        inverse = linalg(xp).inv(wide)
    except np.linalg.LinAlgError:
        return None
    condition = xp.abs(wide).sum(-1).max(-1) * xp.abs(inverse).sum(-1).max(-1)
    if not bool((condition < _WELL_CONDITIONED).all()):
        return None
    return linalg(xp).det(wide)[..., None, None] * xp.swapaxes(inverse, -1, -2)


def _cofactors(xp, x):
    """det(x) x^-T, also where x has no inverse."""
    if not x.shape[-1]:
        return x.copy()
    if not bool(xp.isfinite(x).all()):
        return xp.full_like(x, xp.nan)
    by_inverse = _cofactors_by_inverse(xp, x)
    if by_inverse is not None:
        return by_inverse.astype(x.dtype, copy=False)
    u, s, vh = linalg(xp).svd(x)
    sign = linalg(xp).det(u) * linalg(xp).det(vh)
    others = _others(xp, s).astype(x.dtype) * xp.asarray(sign)[..., None]
    result = (u.conj() * others[..., None, :]) @ vh.conj()
    return result.astype(x.dtype, copy=False)


def _cofactors_gradient(g: Any, x: Any, out: Any) -> Any:
    """Through det(x) x^-T: the second derivative of a determinant is asked for where x has an inverse only."""
    inner = conj_of(sum(conj_of(g) * out, [-2, -1], keepdim=True))
    inverse_t = conj_of(transposed(apply(inverse_op, x)))
    return inner * inverse_t - mm(mm(conj_of(out), transposed(g)), inverse_t)


determinant_op = operator("determinant", "Input -> Out", kernel=_determinant, infer=_infer_determinant, grad={
    "Input": lambda g, Input: as_row(as_column(g)) * conj_of(apply(cofactors_op, Input))})
cofactors_op = operator("cofactors", "X -> Out", kernel=_cofactors, infer=_square("det(x)"), grad={
    "X": lambda g, X, Out: _cofactors_gradient(g, X, Out)}, only_here=True)


def det(x: Any, name: str | None = None) -> Any:
    """The determinants of square matrices [..., n, n]: [...]. Its gradient needs no inverse.

    >>> import proa as paddle
    >>> round(float(paddle.linalg.det(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))), 4)
    -2.0
    """
    return checked(determinant_op, x)


def _slogdeterminant(xp, x):
    return xp.stack(linalg(xp).slogdet(x)).astype(x.dtype, copy=False)


def _infer_slogdeterminant(x):
    check_square("slogdet(x)", x)
    if x.dtype.is_complex:
        raise ValueError("slogdet(x): x must be real, since sign and logarithm come in one tensor. Received "
                         f"{x.dtype.name}; use paddle.linalg.det.")
    return Spec((2, *x.shape[:-2]), x.dtype)


def _slogdeterminant_gradient(g: Any, x: Any, out: Any) -> Any:
    """x^-T; all of it NaN where x has no inverse."""
    sign, g = (apply(squeeze_op, part(value, 0, *ends), axes=[0]) for value, ends in ((out, (0, 1)), (g, (1, 2))))
    return as_row(as_column(g)) * transposed(apply(inverse_op, x + as_row(as_column(nan_where_zero(sign)))))


slogdeterminant_op = operator(
    "slogdeterminant", "Input -> Out", kernel=_slogdeterminant, infer=_infer_slogdeterminant,
    grad={"Input": lambda g, Input, Out: _slogdeterminant_gradient(g, Input, Out)})


def slogdet(x: Any, name: str | None = None) -> Any:
    """The sign of the determinant and the logarithm of its absolute value: [2, ...] for x [..., n, n].

    A singular matrix has sign 0 and logarithm -inf, without gradient.

    >>> import proa as paddle
    >>> sign, log = paddle.linalg.slogdet(paddle.to_tensor([[0.0, 1.0], [1.0, 0.0]]))
    >>> sign.item(), log.item()
    (-1.0, 0.0)
    """
    return checked(slogdeterminant_op, x)


# matrix_power

def _matrix_power(xp, x, *, n: int):
    with failing_as(f"matrix_power(x, n): for n={n} x {_SINGULAR}"):
        found = power(xp, x, n)
    return found.view() if found is x else found


def _power_gradient(g: Any, x: Any, n: int) -> Any:
    """The sum of A^k g A^(n-1-k) for k = 0 … n-1, A = x^H."""
    if n == 0:
        return g * 0.0
    if n < 0:
        back = apply(inverse_op, x)
        inner = adjoint(back)
        return mm(mm(inner, _power_gradient(g, back, -n)), inner) * -1.0
    base = adjoint(x)
    total, highest = g, base
    for k in range(1, n):
        total = mm(base, total) + mm(g, highest)
        highest = mm(highest, base) if k < n - 1 else highest
    return total


matrix_power_op = operator("matrix_power", "X -> Out~X", kernel=_matrix_power, infer=_square("matrix_power(x, n)"),
                           grad={"X": lambda g, X, n: _power_gradient(g, X, n)}, fails="values")


def matrix_power(x: Any, n: int, name: str | None = None) -> Any:
    """The n-th power of square matrices [..., m, m]; of their inverses for a negative n.

    >>> import proa as paddle
    >>> paddle.linalg.matrix_power(paddle.to_tensor([[1.0, 1.0], [0.0, 1.0]]), 5).tolist()
    [[1.0, 5.0], [0.0, 1.0]]
    """
    if isinstance(n, bool) or not isinstance(n, numbers.Integral):
        raise TypeError(f"matrix_power(x, n): n must be an int. Received {n!r}.")
    return checked(matrix_power_op, x, n=int(n))


# multi_dot

def _order(sizes: Sequence[int]) -> list[list[int]]:
    """Where to cut a chain of matrices, by its first and last one, for the fewest multiplications."""
    count = len(sizes) - 1
    cost = [[0] * count for _ in range(count)]
    cut = [[0] * count for _ in range(count)]
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            cost[i][j], cut[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j))
    return cut


def _multi_dot(xp, x):
    matrices = [x[0][None] if x[0].ndim == 1 else x[0], *x[1:-1], x[-1][:, None] if x[-1].ndim == 1 else x[-1]]
    cut = _order([matrices[0].shape[0], *(m.shape[1] for m in matrices)])

    def chain(i: int, j: int) -> Any:
        return matrices[i] if i == j else chain(i, cut[i][j]) @ chain(cut[i][j] + 1, j)

    return chain(0, len(x) - 1).reshape(x[0].shape[:-1] + x[-1].shape[1:])


def _infer_multi_dot(x):
    received = [list(spec.shape) for spec in x]
    if len(x) < 2:
        raise ValueError(f"multi_dot(x): x must be a list of at least two tensors. Received {len(x)}.")
    for n, spec in enumerate(x):
        if spec.rank != 2 and not (spec.rank == 1 and n in (0, len(x) - 1)):
            raise ValueError("multi_dot(x): the tensors must be matrices; only the first and the last may be vectors. "
                             f"Received shapes {received}.")
    for left, right in zip(x[:-1], x[1:], strict=True):
        if left.shape[-1] != right.shape[0] and -1 not in (left.shape[-1], right.shape[0]):
            raise ValueError("multi_dot(x): each tensor must have as many columns as the next has rows. "
                             f"Received shapes {received}.")
    dtype = x[0].dtype
    for spec in x[1:]:
        dtype = promote(dtype, spec.dtype)
    return Spec((*x[0].shape[:-1], *x[-1].shape[1:]), dtype)


def _multi_dot_gradients(g: Any, x: Sequence[Any]) -> list[Any]:
    first = as_row(x[0]) if x[0].ndim == 1 else x[0]
    last = as_column(x[-1]) if x[-1].ndim == 1 else x[-1]
    if x[-1].ndim == 1:
        g = apply(unsqueeze_op, g, None, None, axes=[g.ndim])
    if x[0].ndim == 1:
        g = apply(unsqueeze_op, g, None, None, axes=[0])
    matrices = [adjoint(m) for m in (first, *x[1:-1], last)]
    found = [apply(multi_dot_op, [*matrices[:n][::-1], g, *matrices[n + 1:][::-1]]) for n in range(len(x))]
    return [reshape_to(d, shape_handle(m)) if m.ndim == 1 else d for d, m in zip(found, x, strict=True)]


multi_dot_op = operator("multi_dot", "X* -> Out", kernel=_multi_dot, infer=_infer_multi_dot,
                        grad={"X": lambda g, X: _multi_dot_gradients(g, X)})


def multi_dot(x: Sequence[Any], name: str | None = None) -> Any:
    """The product of several matrices in the order that takes the fewest multiplications.

    The first may be a vector, which counts as a row, and the last, which counts as a column.

    >>> import proa as paddle
    >>> paddle.linalg.multi_dot([paddle.ones([2, 30]), paddle.ones([30, 3]), paddle.ones([3, 4])]).shape
    [2, 4]
    """
    if is_value(x):
        raise no_list("multi_dot(x)", x)
    return checked(multi_dot_op, list(x))


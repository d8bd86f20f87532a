"""Triangular matrices: the Cholesky factor, and systems of equations with triangular or factored matrices.

Gradients: I. Murray, "Differentiation of the Cholesky decomposition", 2016, https://arxiv.org/abs/1602.07527.
"""


from typing import Any

from ...backend.linear_algebra import cholesky as factor
from ...backend.linear_algebra import failing_as
from ..array.gradient_shapes import sum_to
from ..core.operator import operator
from ..core.trace import apply
from ..math.elementwise import conj_of
from .matrices import (
    adjoint,
    check_square,
    check_system,
    checked,
    diagonal_matrix,
    diagonal_of,
    lower,
    mm,
    transposed,
    upper,
)
from .matrix_kernels import adjoint_array, triangular_solution

# triangular_solve

def _triangular_solve(xp, x, y, *, upper: bool = True, transpose: bool = False, unitriangular: bool = False):
    if transpose:
        x, upper = x.swapaxes(-1, -2), not upper
    with failing_as("triangular_solve(x, y): x has a 0 on its diagonal, so there is no solution. "
                    "Give unitriangular=True where the diagonal is meant to be 1."):
        return triangular_solution(xp, x, y, upper, unitriangular)


def _infer_triangular(x, y, *, upper=True, transpose=False, unitriangular=False):
    return check_system("triangular_solve(x, y)", x, y)


def _triangle(x: Any, is_upper: bool, unit: bool) -> Any:
    return upper(x, int(unit)) if is_upper else lower(x, -int(unit))


def _triangular_gradients(g: Any, x: Any, out: Any, x_shape: Any, y_shape: Any, attrs: dict, wants: Any) -> Any:
    dy = apply(triangular_op, conj_of(x), g, **{**attrs, "transpose": not attrs["transpose"]})
    dx = None
    if wants[0]:
        dx = mm(dy, adjoint(out)) * -1.0
        dx = transposed(dx) if attrs["transpose"] else dx
        dx = sum_to(_triangle(dx, attrs["upper"], attrs["unitriangular"]), x_shape)
    return dx, sum_to(dy, y_shape)


triangular_op = operator(
    "triangular_solve", "X, Y -> Out", kernel=_triangular_solve, infer=_infer_triangular,
    grad={"X, Y": lambda g, X, Out, X_shape, Y_shape, upper, transpose, unitriangular, wants: _triangular_gradients(
        g, X, Out, X_shape, Y_shape,
        {"upper": upper, "transpose": transpose, "unitriangular": unitriangular}, wants)}, fails="values", lod="drop")


def triangular_solve(x: Any, y: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False,
                     name: str | None = None) -> Any:
    """The solution of x @ out = y for triangular matrices x [..., n, n] and y [..., n, k].

    Of x only the upper triangle counts (the lower one with upper=False), and its diagonal as 1 where `unitriangular`;
    `transpose` exchanges its last two dimensions after that. Leading dimensions broadcast. Raises ValueError for a
    diagonal with a 0.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[2.0, 1.0], [0.0, 4.0]])
    >>> paddle.linalg.triangular_solve(x, paddle.to_tensor([[4.0], [8.0]])).tolist()
    [[1.0], [2.0]]
    """
    return checked(triangular_op, x, y, upper=upper, transpose=transpose, unitriangular=unitriangular)


def solve_triangle(x: Any, y: Any, upper: bool, adjoint: bool = False) -> Any:
    """x^-1 y, or with `adjoint` x^-H y, for gradient rules."""
    return apply(triangular_op, conj_of(x) if adjoint else x, y, upper=upper, transpose=adjoint, unitriangular=False)


# cholesky

def _cholesky(xp, x, *, upper: bool = False):
    with failing_as("cholesky(x): x must be positive definite, and is not. Add a small multiple of the identity, or "
                    "use paddle.linalg.lu or paddle.linalg.eigh."):
        return adjoint_array(factor(xp, adjoint_array(x))) if upper else factor(xp, x)


def _infer_cholesky(x, *, upper=False):
    check_square("cholesky(x)", x)
    return x


def _cholesky_gradient(g: Any, out: Any, is_upper: bool) -> Any:
    """With L: L^-H phi(L^H g) L^-1, made Hermitian; phi takes the lower triangle and half of the diagonal."""
    factors, g = (adjoint(out), adjoint(g)) if is_upper else (out, g)
    inner = lower(mm(adjoint(factors), g))
    inner = inner - diagonal_matrix(diagonal_of(inner)) * 0.5
    left = solve_triangle(factors, inner, upper=False, adjoint=True)
    both = adjoint(solve_triangle(factors, adjoint(left), upper=False, adjoint=True))
    return (both + adjoint(both)) * 0.5


cholesky_op = operator("cholesky", "X -> Out", kernel=_cholesky, infer=_infer_cholesky,
                       grad={"X": lambda g, Out, upper: _cholesky_gradient(g, Out, upper)}, fails="values")


def cholesky(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """The lower triangular L with L @ L^H = x, or with `upper` U with U^H @ U = x, of positive definite matrices.

    x is [..., n, n], symmetric or Hermitian; only the one triangle is read. Raises ValueError where x is not positive
    definite.

    >>> import proa as paddle
    >>> paddle.linalg.cholesky(paddle.to_tensor([[4.0, 2.0], [2.0, 2.0]])).tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    return checked(cholesky_op, x, upper=upper)


# cholesky_solve

def _cholesky_solve(xp, x, y, *, upper: bool = False):
    first, second = (adjoint_array(y), y) if upper else (y, adjoint_array(y))
    with failing_as("cholesky_solve(x, y): y has a 0 on its diagonal, so it is no factor of a positive definite "
                    "matrix."):
        inner = triangular_solution(xp, first, x, False, False)
        return triangular_solution(xp, second, inner, True, False)


def _infer_cholesky_solve(x, y, *, upper=False):
    return check_system("cholesky_solve(x, y)", y, x, ("y", "x"))


def _cholesky_solve_gradients(g: Any, y: Any, out: Any, x_shape: Any, y_shape: Any, is_upper: bool, wants: Any) -> Any:
    dx = apply(cholesky_solve_op, g, y, upper=is_upper)
    dy = None
    if wants[1]:
        matrix = mm(dx, adjoint(out)) * -1.0
        matrix = matrix + adjoint(matrix)
        dy = upper(mm(upper(y), matrix)) if is_upper else lower(mm(matrix, lower(y)))
        dy = sum_to(dy, y_shape)
    return sum_to(dx, x_shape), dy


cholesky_solve_op = operator(
    "cholesky_solve", "X, Y -> Out", kernel=_cholesky_solve, infer=_infer_cholesky_solve,
    grad={"X, Y": lambda g, Y, Out, X_shape, Y_shape, upper, wants: _cholesky_solve_gradients(
        g, Y, Out, X_shape, Y_shape, upper, wants)}, fails="values")


def cholesky_solve(x: Any, y: Any, upper: bool = False, name: str | None = None) -> Any:
    """The solution of A @ out = x, where y is the Cholesky factor of A: A = y @ y^H, or y^H @ y with `upper`.

    x is [..., n, k], y [..., n, n]; leading dimensions broadcast.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([[8.0], [6.0]]), paddle.to_tensor([[2.0, 0.0], [1.0, 1.0]])
    >>> paddle.linalg.cholesky_solve(x, y).tolist()
    [[1.0], [2.0]]
    """
    return checked(cholesky_solve_op, x, y, upper=upper)


"""Eigenvalues and eigenvectors: eigh and eigvalsh of symmetric and Hermitian matrices, eig and eigvals of general ones.

M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation", 2008;
C. Boeddeker et al., "On the computation of complex-valued gradients", 2017, https://arxiv.org/abs/1701.00392.
"""


from typing import Any

from ...backend.linear_algebra import eigen, linalg
from ..array.full import value_of
from ..array.rearrange import real_op
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.elementwise import conj_of
from .matrices import (
    COMPLEX,
    REAL,
    adjoint,
    as_like,
    as_row,
    check_square,
    checked,
    diagonal_matrix,
    diagonal_of,
    finite,
    in_dtype,
    mm,
    over_gaps,
)
from .solving import solve_op

# of Hermitian matrices

def _eigh(xp, x, *, UPLO: str = "L"):
    values, vectors = linalg(xp).eigh(finite("eigh(x)", xp, x), UPLO)
    return values, vectors


def _infer_eigh(x, *, UPLO="L", is_test=False):
    check_square("eigh(x)", x)
    if UPLO not in ("L", "U"):
        raise ValueError(f"eigh(x, UPLO): UPLO must be 'L' or 'U', the triangle that is read. Received {UPLO!r}.")
    return Spec(x.shape[:-1], REAL.get(x.dtype, x.dtype)), Spec((0,) if is_test else x.shape, x.dtype)


def _hermitian_gradient(gw: Any, gv: Any, w: Any, v: Any) -> Any:
    """A Hermitian matrix, so that a step along it leaves one: vectors turn by the skew part of v^H gv alone."""
    inner = diagonal_matrix(as_like(gw, v))
    if gv is not None:
        turned = mm(adjoint(v), gv)
        inner = inner + over_gaps((turned - adjoint(turned)) * 0.5, w)
    return mm(mm(v, inner), adjoint(v))


eigh_op = operator("eigh", "X -> Eigenvalues, Eigenvectors", kernel=_eigh, infer=_infer_eigh, grad={
    "X": lambda d_Eigenvalues, d_Eigenvectors, Eigenvalues, Eigenvectors: _hermitian_gradient(
        d_Eigenvalues, d_Eigenvectors, Eigenvalues, Eigenvectors)}, fails="values", lod="drop")


def eigh(x: Any, UPLO: str = "L", name: str | None = None) -> Any:
    """The eigenvalues [..., n], in order, and eigenvectors (columns) of symmetric or Hermitian matrices [..., n, n].

    Only the triangle that UPLO names is read. A gradient with respect to the vectors is finite only where all
    eigenvalues differ.

    >>> import proa as paddle
    >>> values, vectors = paddle.linalg.eigh(paddle.to_tensor([[2.0, 0.0], [0.0, 1.0]]))
    >>> values.tolist()
    [1.0, 2.0]
    """
    return checked(eigh_op, x, UPLO=UPLO)


def _eigvalsh(xp, x, *, UPLO: str = "L", is_test: bool = False):
    if is_test:
        return linalg(xp).eigvalsh(finite("eigvalsh(x)", xp, x), UPLO), xp.zeros((0,), x.dtype)
    return _eigh(xp, x, UPLO=UPLO)


def _eigvalsh_gradient(gw: Any, gv: Any, x: Any, w: Any, v: Any, uplo: str, is_test: bool) -> Any:
    if is_test:
        _, v = apply(eigh_op, x, UPLO=uplo)
    return _hermitian_gradient(gw, None if is_test else gv, w, v)


eigvalsh_op = operator("eigvalsh", "X -> Eigenvalues, Eigenvectors", kernel=_eigvalsh, infer=_infer_eigh, grad={
    "X": lambda d_Eigenvalues, d_Eigenvectors, X, Eigenvalues, Eigenvectors, UPLO, is_test: _eigvalsh_gradient(
        d_Eigenvalues, d_Eigenvectors, X, Eigenvalues, Eigenvectors, UPLO, is_test)}, fails="values", lod="drop")


def eigvalsh(x: Any, UPLO: str = "L", name: str | None = None) -> Any:
    """The eigenvalues [..., n], in order, of symmetric or Hermitian matrices [..., n, n]; see `eigh`.

    >>> import proa as paddle
    >>> paddle.linalg.eigvalsh(paddle.to_tensor([[2.0, 0.0], [0.0, 1.0]])).tolist()
    [1.0, 2.0]
    """
    x = value_of(x)
    return checked(eigvalsh_op, x, UPLO=UPLO, is_test=x.stop_gradient)[0]


# of general matrices

def _eig(xp, x):
    return eigen(xp, x)


def _infer_eig(x):
    check_square("eig(x)", x)
    dtype = COMPLEX.get(x.dtype, x.dtype)
    return Spec(x.shape[:-1], dtype), Spec(x.shape, dtype)


def _eig_gradient(gw: Any, gv: Any, w: Any, v: Any, dtype: Any) -> Any:
    """The vectors have length 1, so their gradients along themselves do not count."""
    vh = adjoint(v)
    inner = mm(vh, gv)
    along = as_like(apply(real_op, diagonal_of(inner)), v)
    inner = over_gaps(inner - mm(vh, v * as_row(along)), conj_of(w)) + diagonal_matrix(gw)
    return in_dtype(apply(solve_op, vh, mm(inner, vh)), dtype)


eig_op = operator("eig", "X -> Eigenvalues, Eigenvectors", kernel=_eig, infer=_infer_eig, grad={
    "X": lambda d_Eigenvalues, d_Eigenvectors, Eigenvalues, Eigenvectors, X_dtype: _eig_gradient(
        d_Eigenvalues, d_Eigenvectors, Eigenvalues, Eigenvectors, X_dtype)}, fails="values", lod="drop")


def eig(x: Any, name: str | None = None) -> Any:
    """The eigenvalues [..., n] and eigenvectors (columns) of square matrices [..., n, n]: complex, in no order.

    The vectors have length 1. Their gradients are finite only where all eigenvalues differ.

    >>> import proa as paddle
    >>> values, vectors = paddle.linalg.eig(paddle.to_tensor([[0.0, 1.0], [-1.0, 0.0]]))
    >>> sorted(values.imag().tolist())
    [-1.0, 1.0]
    """
    return checked(eig_op, x)


def _eigvals(xp, x):
    return eigen(xp, x)[0]


def _eigvals_gradient(g: Any, x: Any, dtype: Any) -> Any:
    _, v = apply(eig_op, x)
    vh = adjoint(v)
    return in_dtype(apply(solve_op, vh, mm(diagonal_matrix(g), vh)), dtype)


eigvals_op = operator("eigvals", "X -> Out", kernel=_eigvals, infer=lambda x: _infer_eig(x)[0],
                      grad={"X": lambda g, X, X_dtype: _eigvals_gradient(g, X, X_dtype)}, fails="values", lod="drop")


def eigvals(x: Any, name: str | None = None) -> Any:
    """The eigenvalues [..., n] of square matrices [..., n, n]: complex, in no order.

    >>> import proa as paddle
    >>> sorted(paddle.linalg.eigvals(paddle.to_tensor([[0.0, 1.0], [-1.0, 0.0]])).imag().tolist())
    [-1.0, 1.0]
    """
    return checked(eigvals_op, x)

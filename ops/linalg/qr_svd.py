"""Matrices as products: QR, singular values, and products of Householder reflections.

Gradients: S. Walter and L. Lehmann, "Algorithmic differentiation of linear algebra functions", 2018,
https://arxiv.org/abs/1009.6112 (QR); J. Townsend, "Differentiating the singular value decomposition", 2016.
"""


from typing import Any

from ...backend.linear_algebra import linalg
from ...core.dtype import promote
from ...core.errors import AssertedError
from ..array.concat_split import concat
from ..array.creation import eye
from ..array.full import value_of
from ..array.unknown_sizes import size_at
from ..core.operator import operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import dtype_of, in_dtype
from .matrices import (
    REAL,
    adjoint,
    as_column,
    as_like,
    as_row,
    check_matrices,
    checked,
    diagonal_matrix,
    diagonal_of,
    finite,
    halves,
    inverse_or_zero,
    known_sizes,
    lower,
    mm,
    over_gaps,
    part,
    smaller,
    upper,
    without_zero_pivots,
)
from .triangular import solve_triangle, triangular_op

# qr

_MODES = ("reduced", "complete", "r")


def _qr(xp, x, *, mode: str = "reduced"):
    if mode == "r":
        return xp.zeros((0,), x.dtype), xp.asarray(linalg(xp).qr(x, "r"))
    q, r = linalg(xp).qr(x, mode)
    return q, r


def _infer_qr(x, *, mode="reduced"):
    check_matrices("qr(x)", x)
    if mode not in _MODES:
        raise ValueError(f"qr(x, mode): mode must be one of {', '.join(map(repr, _MODES))}. Received {mode!r}.")
    m, n = x.shape[-2:]
    size = m if mode == "complete" else smaller(m, n)
    q = (0,) if mode == "r" else (*x.shape[:-2], m, size)
    return Spec(q, x.dtype), Spec((*x.shape[:-2], size, n), x.dtype)


def _qr_gradient(gq: Any, gr: Any, x: Any, q: Any, r: Any, mode: str) -> Any:
    m, n = known_sizes("qr(x)", x.shape)
    if mode == "r":
        q, r = apply(qr_op, x, mode="reduced")
        gq = q * 0.0
    if mode == "complete" and m > n:
        raise ValueError(f"qr(x, mode='complete'): the last {m - n} columns of q are not determined by x, so there is "
                         f"no gradient for x of {m} rows and {n} columns. Use mode='reduced'.")
    if m >= n:
        return _tall_qr_gradient(gq, gr, q, r)
    square, _ = halves(r, -1, m, n)
    g_square, g_rest = halves(gr, -1, m, n)
    _, rest = halves(x, -1, m, n)
    left = _tall_qr_gradient(gq + mm(rest, adjoint(g_rest)), g_square, q, square)
    return concat([left, mm(q, g_rest)], -1)


def _tall_qr_gradient(gq: Any, gr: Any, q: Any, r: Any) -> Any:
    """(gq + q hermitian(r gr^H - gq^H q)) r^-H, of which the Hermitian matrix has the lower triangle."""
    inner = mm(r, adjoint(gr)) - mm(adjoint(gq), q)
    half = lower(inner) - diagonal_matrix(diagonal_of(inner)) * 0.5
    inner = half + adjoint(half)
    return adjoint(solve_triangle(without_zero_pivots(r), adjoint(gq + mm(q, inner)), upper=True))


qr_op = operator("qr", "X -> Q, R", kernel=_qr, infer=_infer_qr, grad={
    "X": lambda d_Q, d_R, X, Q, R, mode: _qr_gradient(d_Q, d_R, X, Q, R, mode)})


def qr(x: Any, mode: str = "reduced", name: str | None = None) -> Any:
    """Q with orthonormal columns and upper triangular R, Q @ R = x, of matrices [..., m, n].

    Sizes are [..., m, k] and [..., k, n], k = min(m, n); with mode='complete' k = m. mode='r' gives R alone.

    >>> import proa as paddle
    >>> q, r = paddle.linalg.qr(paddle.ones([4, 2]))
    >>> q.shape, r.shape
    ([4, 2], [2, 2])
    """
    q, r = checked(qr_op, x, mode=mode)
    return r if mode == "r" else (q, r)


# svd

def _svd(xp, x, *, full_matrices: bool = False):
    u, s, vh = linalg(xp).svd(finite("svd(x)", xp, x), full_matrices=full_matrices)
    return u, s, vh


def _infer_svd(x, *, full_matrices=False):
    check_matrices("svd(x)", x)
    batch, (m, n) = x.shape[:-2], x.shape[-2:]
    k = smaller(m, n)
    return (Spec((*batch, m, m if full_matrices else k), x.dtype), Spec((*batch, k), REAL.get(x.dtype, x.dtype)),
            Spec((*batch, n if full_matrices else k, n), x.dtype))


def _svd_gradient(gu: Any, gs: Any, gvh: Any, u: Any, s: Any, vh: Any, full: bool) -> Any:
    """Of full matrices only the first min(m, n) vectors, the others not being determined."""
    if full:
        k = size_at(s, -1)
        u, gu, vh, gvh = part(u, -1, 0, k), part(gu, -1, 0, k), part(vh, -2, 0, k), part(gvh, -2, 0, k)
    uh, v = adjoint(u), adjoint(vh)
    u_part, v_part = mm(uh, gu), mm(gvh, v)
    u_skew, v_skew = u_part - adjoint(u_part), adjoint(v_part) - v_part
    sizes, inverse = as_like(s, u), as_like(inverse_or_zero(s), u)
    squares = s * s
    core = over_gaps(u_skew, squares) * as_row(sizes) + over_gaps(v_skew, squares) * as_column(sizes)
    on_diagonal = as_like(gs, u)
    if u.dtype.kind == "c":
        on_diagonal = on_diagonal + diagonal_of(u_skew) * inverse * 0.5
    core = core + diagonal_matrix(on_diagonal)
    result = mm(mm(u, core), vh)
    m, n, k = u.shape[-2], vh.shape[-1], s.shape[-1]
    if -1 in (m, k) or m > k:
        result = result + mm((gu - mm(u, u_part)) * as_row(inverse), vh)
    if -1 in (n, k) or n > k:
        result = result + mm(u, (gvh - mm(v_part, vh)) * as_column(inverse))
    return result


svd_op = operator("svd", "X -> U, S, VH", kernel=_svd, infer=_infer_svd, grad={
    "X": lambda d_U, d_S, d_VH, U, S, VH, full_matrices: _svd_gradient(d_U, d_S, d_VH, U, S, VH, full_matrices)},
    fails="values")


@results_named(first="U VH")
def svd(x: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """U, the singular values S from the largest, and V^H, with U @ diag(S) @ V^H = x, of matrices [..., m, n].

    U is [..., m, k], S [..., k], V^H [..., k, n], k = min(m, n); with `full_matrices` U is [..., m, m] and V^H
    [..., n, n]. A gradient with respect to the vectors is finite only where all singular values differ.

    >>> import proa as paddle
    >>> u, s, vh = paddle.linalg.svd(paddle.to_tensor([[3.0, 0.0], [0.0, 4.0]]))
    >>> s.tolist()
    [4.0, 3.0]
    """
    return checked(svd_op, x, full_matrices=full_matrices)


def singular_values(x: Any) -> Any:
    """The singular values of matrices [..., m, n], from the largest: [..., min(m, n)]."""
    return svd(x)[1]


# householder_product

def householder_product(x: Any, tau: Any, name: str | None = None) -> Any:
    """The first n columns of H1 @ H2 @ … @ Hk, Hi = I - tau[i] v v^H, with vectors v as a QR decomposition holds them.

    x is [..., m, n], m >= n, tau [..., k], k <= n: vector i is column i of x below row i, where it has a 1. Computed in
    the compact form I - V T V^H (R. Schreiber and C. Van Loan, 1989). Raises ValueError where the shapes do not fit.

    >>> import proa as paddle
    >>> paddle.linalg.householder_product(paddle.to_tensor([[1.0], [1.0]]), paddle.to_tensor([1.0])).tolist()
    [[0.0], [-1.0]]
    """
    x, tau = value_of(x), value_of(tau)
    m, n, k = (*x.shape[-2:], tau.shape[-1]) if x.ndim > 1 and tau.ndim else (0, 0, 0)
    if x.ndim < 2 or tau.ndim != x.ndim - 1 or m < n or n < k or min(n, k) < 0:
        raise AssertedError("householder_product(x, tau): x must be [..., m, n] with m >= n, and tau [..., k] with "
                            f"k <= n, of known sizes. Received x.shape={list(x.shape)}, tau.shape={list(tau.shape)}.")
    dtype = promote(dtype_of(x), dtype_of(tau))
    x, tau = in_dtype(x, dtype), in_dtype(tau, dtype)
    vectors = lower(x if k == n else part(x, -1, 0, k), -1) + eye(m, k, x.dtype)
    inner = upper(mm(adjoint(vectors), vectors), 1) * as_column(tau)
    middle = apply(triangular_op, inner, diagonal_matrix(tau), upper=True, transpose=False, unitriangular=True)
    first = adjoint(part(vectors, -2, 0, n))
    return eye(m, n, x.dtype) - mm(mm(vectors, middle), first)

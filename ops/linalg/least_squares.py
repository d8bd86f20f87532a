"""What singular values tell of matrices: least squares, pseudo-inverses, rank and condition, principal components.

G. Golub and V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems", 1973.
"""


from typing import Any

from ...backend.linear_algebra import linalg
from ...core import dtype as dt
from ..array.full import is_value, value_of
from ..array.gradient_shapes import sum_to
from ..array.reshape import shape_handle, unsqueeze
from ..array.where import where
from ..core.infer import broadcast_shapes, check_rank, promoting
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast
from ..math.comparison import logical_and
from ..math.reduce import max, mean, min, sum
from ..math.unary import abs, sqrt
from ..random.sampling import randn
from .eigen import eigh
from .matrices import (
    REAL,
    adjoint,
    as_like,
    as_row,
    check_matrices,
    check_square,
    checked,
    finite,
    known_sizes,
    mm,
    smaller,
    transposed,
)
from .matrix_kernels import adjoint_array
from .qr_svd import qr, singular_values, svd, svd_op
from .solving import inverse

# pinv

def _pseudo_inverse(xp: Any, u: Any, s: Any, vh: Any, limit: Any) -> tuple[Any, Any]:
    """V S^+ U^H, and which singular values count: those above the limit."""
    counted = s > limit
    inverse_s = xp.where(counted, 1 / xp.where(counted, s, xp.ones_like(s)), xp.zeros_like(s))
    return adjoint_array(vh) @ (inverse_s[..., None] * adjoint_array(u)), counted


def _pinv(xp, x, *, rcond: float = 1e-15, hermitian: bool = False):
    if not x.size:
        return xp.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)
    if hermitian:
        w, u = linalg(xp).eigh(finite("pinv(x)", xp, x))
        s, vh = xp.abs(w), adjoint_array(u * xp.sign(w)[..., None, :])
    else:
        u, s, vh = linalg(xp).svd(finite("pinv(x)", xp, x), full_matrices=False)
    result, _ = _pseudo_inverse(xp, u, s, vh, s.max(-1, keepdims=True) * rcond)
    return result.astype(x.dtype, copy=False)


def _infer_pinv(x, *, rcond=1e-15, hermitian=False):
    (check_square if hermitian else check_matrices)("pinv(x)", x)
    return Spec((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)


def _inverse_above(s: Any, rcond: Any) -> Any:
    """1 / s where |s| is above rcond times the largest, 0 elsewhere."""
    sizes = abs(s)
    if is_value(rcond) and rcond.ndim:
        rcond = rcond.unsqueeze(-1)
    counted = sizes > max(sizes, -1, keepdim=True) * rcond
    one = s * 0.0 + 1.0
    return where(counted, one / where(counted, s, one), s * 0.0)


def _pinv_of(x: Any, *, rcond: Any = 1e-15, hermitian: bool = False) -> Any:
    """By operators that files know; `rcond` may be a tensor here, one for each matrix."""
    if hermitian:
        s, u = eigh(x)
        return mm(u * as_row(as_like(_inverse_above(s, rcond), u)), adjoint(u))
    u, s, vh = svd(x)
    return mm(adjoint(vh) * as_row(as_like(_inverse_above(s, rcond), u)), adjoint(u))


def _pinv_gradient(g: Any, x: Any, out: Any) -> Any:
    """-P^H g P^H + (1 - x P) g^H P P^H + P^H P g^H (1 - P x): the derivative while the rank stays."""
    gh, ph = adjoint(g), adjoint(out)
    rows = mm(mm(gh, out), ph)
    columns = mm(mm(ph, out), gh)
    spaces = rows - mm(x, mm(out, rows)) + columns - mm(mm(columns, out), x)
    return spaces - mm(mm(ph, g), ph)


def _cut_gradient(g: Any, x: Any, rcond: float) -> Any:
    """What `_pinv_gradient` lacks where singular values s_j other than 0 are cut: they turn the spaces of those kept.

    With x = U S V^H and B = V^H g U: U (F o B^H + G o B) V^H. For s_i that is kept and s_j that is not F has
    s_j^2 / (s_i^2 (s_i^2 - s_j^2)) and G s_j / (s_i (s_i^2 - s_j^2)) at [i, j] and [j, i], and else 0.
    """
    u, s, vh = apply(svd_op, x, full_matrices=False)
    limit = max(s, -1, keepdim=True) * rcond
    here, there = unsqueeze(s, -1), unsqueeze(s, -2)
    one = here * there * 0.0 + 1.0
    apart = logical_and(unsqueeze(s > limit, -1), unsqueeze(s <= limit, -2))
    one_by = where(apart, one / where(apart, here * (here * here - there * there), one), one * 0.0)
    weak, strong = one_by * there * there / where(apart, one * here, one), one_by * there
    b = mm(mm(vh, g), u)
    inner = as_like(weak + adjoint(weak), u) * adjoint(b) + as_like(strong + adjoint(strong), u) * b
    return mm(mm(u, inner), vh)


_ROUNDING = 1e-5
"""Singular values up to this part of the largest count as 0 that is not exact: what cuts them cuts nothing else."""


def _pinv_rule(g: Any, X: Any, Out: Any, rcond: float, hermitian: bool) -> Any:
    gradient = _pinv_gradient(g, X, Out)
    if rcond > _ROUNDING:
        gradient = gradient + _cut_gradient(g, X, rcond)
    return _hermitian_part(gradient, hermitian)


pinv_op = operator("pinv", "X -> Out", kernel=_pinv, infer=_infer_pinv, composed=_pinv_of,
                   grad={"X": _pinv_rule}, fails="values", former="Out")


def _hermitian_part(g: Any, hermitian: bool) -> Any:
    return (g + adjoint(g)) * 0.5 if hermitian else g


def pinv(x: Any, rcond: Any = 1e-15, hermitian: bool = False, name: str | None = None) -> Any:
    """The Moore-Penrose inverses [..., n, m] of matrices [..., m, n].

    Singular values up to `rcond` times the largest count as 0; `rcond` is a number, or a tensor of one for each matrix.
    With `hermitian`, x is symmetric or Hermitian, and eigenvalues are used. The gradient holds while the rank stays.

    >>> import proa as paddle
    >>> paddle.linalg.pinv(paddle.to_tensor([[2.0, 0.0], [0.0, 0.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    if is_value(rcond):
        return _pinv_of(x, rcond=cast(rcond, REAL.get(x.dtype, x.dtype)), hermitian=hermitian)
    return checked(pinv_op, x, rcond=float(rcond), hermitian=hermitian)


# lstsq

def _largest(xp: Any, s: Any) -> Any:
    """The largest singular value of each matrix; 0 where it has none."""
    return s.max(-1, keepdims=True) if s.shape[-1] else xp.zeros((*s.shape[:-1], 1), s.dtype)


_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def _lstsq(xp, x, y, *, rcond: float = 0.0, driver: str = "gelsy"):
    m, n = x.shape[-2:]
    x = x.astype(xp.result_type(x, y), copy=False)
    u, s, vh = linalg(xp).svd(finite("lstsq(x, y)", xp, x), full_matrices=False)
    inverse_x, counted = _pseudo_inverse(xp, u, s, vh, _largest(xp, s) * rcond)
    result, none = inverse_x @ y, xp.zeros((0,), s.dtype)
    rank = xp.asarray(counted.sum(-1)).astype("int32")
    if driver == "gels" and not bool((rank == smaller(m, n)).all()):
        raise ValueError("lstsq(x, y, driver='gels'): x must have full rank, and has not. Use driver='gelsy', 'gelsd' "
                         "or 'gelss', which give the shortest of the solutions.")
    distance = xp.abs(x @ result - y)
    return (result, (distance * distance).sum(-2) if m > n else none,
            xp.zeros((0,), "int32") if driver == "gels" else rank, s if driver in ("gelsd", "gelss") else none)


def _infer_lstsq(x, y, *, rcond=0.0, driver="gelsy"):
    check_matrices("lstsq(x, y): x", x)
    check_matrices("lstsq(x, y): y", y)
    if x.shape[-2] != y.shape[-2] and -1 not in (x.shape[-2], y.shape[-2]):
        raise ValueError("lstsq(x, y): x and y must have as many rows. "
                         f"Received x.shape={list(x.shape)}, y.shape={list(y.shape)}.")
    if driver not in _DRIVERS:
        raise ValueError(f"lstsq(x, y, driver=...): must be one of {', '.join(map(repr, _DRIVERS))}. "
                         f"Received {driver!r}.")
    batch = broadcast_shapes("lstsq(x, y)", x.shape[:-2], y.shape[:-2])
    (m, n), k, real = x.shape[-2:], y.shape[-1], REAL.get(x.dtype, x.dtype)
    residuals = (-1,) if -1 in (m, n) else (*batch, k) if m > n else (0,)
    values = (*x.shape[:-2], smaller(m, n)) if driver in ("gelsd", "gelss") else (0,)
    return (Spec((*batch, n, k), x.dtype), Spec(residuals, real),
            Spec((0,) if driver == "gels" else x.shape[:-2], dt.int32), Spec(values, real))


def _lstsq_gradients(g: Any, g_residuals: Any, g_values: Any, x: Any, y: Any, out: Any, rcond: float, driver: str,
                     wants: Any) -> Any:
    m, n = known_sizes("lstsq(x, y)", x.shape)
    inverse_x = apply(pinv_op, x, rcond=rcond, hermitian=False)
    dx, dy = _pinv_gradient(mm(g, adjoint(y)), x, inverse_x), mm(adjoint(inverse_x), g)
    if m > n:
        distance = (mm(x, out) - y) * as_like(as_row(g_residuals) * 2.0, out)
        dx, dy = dx + mm(distance, adjoint(out)), dy - distance
    if wants[0] and driver in ("gelsd", "gelss"):
        u, _, vh = apply(svd_op, x, full_matrices=False)
        dx = dx + mm(u * as_row(as_like(g_values, u)), vh)
    return sum_to(dx, shape_handle(x)) if wants[0] else None, sum_to(dy, shape_handle(y)) if wants[1] else None


lstsq_op = operator(
    "lstsq", "X, Y -> Solution, Residuals?, Rank, SingularValues", kernel=_lstsq, infer=promoting(_infer_lstsq),
    grad={"X, Y": lambda g, d_Residuals, d_SingularValues, X, Y, Solution, rcond, driver, wants: _lstsq_gradients(
        g, d_Residuals, d_SingularValues, X, Y, Solution, rcond, driver, wants)}, fails="values", lod="drop",
    unsaid={"driver": "gels"})


def lstsq(x: Any, y: Any, rcond: float | None = None, driver: str | None = None, name: str | None = None) -> Any:
    """The out for which the squares of x @ out - y have the least sum: [..., n, k] for x [..., m, n], y [..., m, k].

    With it come the sums of squares [..., k] (empty unless m > n), the ranks of x, int32, and its singular values.
    Singular values up to `rcond` times the largest count as 0; of several solutions the shortest is given. `driver`
    names LAPACK's routine: 'gels' wants x of full rank and gives no ranks; 'gelsy', the default, gives no singular
    values; 'gelsd' and 'gelss' give all.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), paddle.to_tensor([[1.0], [4.0], [3.0]])
    >>> solution, residuals, rank, _ = paddle.linalg.lstsq(x, y)
    >>> solution.numpy().round(3).tolist(), residuals.numpy().round(3).tolist(), int(rank)
    ([[1.0], [2.0]], [9.0], 2)
    """
    x, y = value_of(x), value_of(y)
    check_rank("lstsq(x)", x, 2)
    if rcond is None:
        single = x.dtype in (dt.float32, dt.complex64)
        rcond = (1e-7 if single else 1e-15) * (1 if -1 in x.shape[-2:] else sorted(x.shape[-2:])[-1])
    return checked(lstsq_op, x, y, rcond=float(rcond), driver="gelsy" if driver is None else driver)


# rank and condition

def _matrix_rank(xp, x, limit=None, *, tol: float = 0.0, hermitian: bool = False, use_default_tol: bool = True):
    x = finite("matrix_rank(x)", xp, x)
    if hermitian:
        s = xp.abs(linalg(xp).eigvalsh(x))
    else:
        s = linalg(xp).svd(x, compute_uv=False)
    if limit is not None:
        limit = xp.asarray(limit)[..., None]
    elif use_default_tol:
        limit = _largest(xp, s) * (xp.finfo(s.dtype).eps * sorted(x.shape[-2:])[-1])
    else:
        limit = tol
    return xp.asarray((s > limit).sum(-1)).astype("int32")


def _infer_matrix_rank(x, limit=None, *, tol=0.0, hermitian=False, use_default_tol=True):
    (check_square if hermitian else check_matrices)("matrix_rank(x)", x)
    batch = x.shape[:-2]
    return Spec(batch if limit is None else broadcast_shapes("matrix_rank(x, tol)", batch, limit.shape), dt.int32)


matrix_rank_op = operator("matrix_rank", "X, TolTensor? -> Out", kernel=_matrix_rank, infer=_infer_matrix_rank,
                          fails="values")


def matrix_rank(x: Any, tol: Any = None, hermitian: bool = False, name: str | None = None) -> Any:
    """How many singular values of each matrix [..., m, n] are above `tol`: int32 [...].

    `tol` is a number, or a tensor that broadcasts with the leading dimensions; by default the largest singular value
    times max(m, n) and the distance from 1 to the next number. With `hermitian` eigenvalues are taken.

    >>> import proa as paddle
    >>> int(paddle.linalg.matrix_rank(paddle.to_tensor([[1.0, 2.0], [2.0, 4.0]])))
    1
    """
    tensor = tol if is_value(tol) else None
    given = 0.0 if tol is None or tensor is not None else float(tol)
    return checked(matrix_rank_op, x, tensor, tol=given, hermitian=hermitian, use_default_tol=tol is None)


_INFINITE = (float("inf"), float("-inf"))


def cond(x: Any, p: Any = None, name: str | None = None) -> Any:
    """The condition numbers of matrices [..., m, n] in the norm p: [...]; without p the ratio of the singular values.

    p is None, 2, -2 (for these x need not be square), 'fro', 'nuc', 1, -1, inf or -inf: the norm of x times that of its
    inverse. Raises ValueError for another p, and where an inverse is needed and is not.

    >>> import proa as paddle
    >>> float(paddle.linalg.cond(paddle.to_tensor([[4.0, 0.0], [0.0, 2.0]])))
    2.0
    """
    x = value_of(x)
    if p in (None, 2, -2):
        s = singular_values(x)
        high, low = max(s, -1), min(s, -1)
        return low / high if p == -2 else high / low
    if p not in ("fro", "nuc", 1, -1, *_INFINITE):
        raise ValueError("cond(x, p): p must be one of None, 2, -2, 'fro', 'nuc', 1, -1, inf and -inf. "
                         f"Received {p!r}.")
    return _matrix_norm(x, p) * _matrix_norm(inverse(x), p)


def _matrix_norm(x: Any, p: Any) -> Any:
    if p == "nuc":
        return sum(singular_values(x), -1)
    sizes = abs(x)
    if p == "fro":
        return sqrt(sum(sizes * sizes, [-2, -1]))
    return (max if p > 0 else min)(sum(sizes, -1 if p in _INFINITE else -2), -1)


# principal components

def pca_lowrank(x: Any, q: int | None = None, center: bool = True, niter: int = 2, name: str | None = None) -> Any:
    """U [..., m, q], S [..., q] and V [..., n, q] with U diag(S) V^T close to x [..., m, n], by random projections.

    q, by default 6 or less, is at most min(m, n); `center` subtracts each column's mean first, so that the columns of V
    are principal directions; each of `niter` iterations brings the result closer. After N. Halko, P. Martinsson and
    J. Tropp, "Finding structure with randomness", 2011. Raises ValueError for a q or niter that cannot be.

    >>> import proa as paddle
    >>> u, s, v = paddle.linalg.pca_lowrank(paddle.rand([8, 5]), q=2)
    >>> u.shape, s.shape, v.shape
    ([8, 2], [2], [5, 2])
    """
    x = value_of(x)
    m, n = x.shape[-2:]
    least = smaller(m, n)
    q = smaller(6, least) if q is None else q
    if not 0 <= q <= least:
        raise ValueError(f"pca_lowrank(x, q): q must lie between 0 and min(m, n)={least}. Received {q}.")
    if niter < 0:
        raise ValueError(f"pca_lowrank(x, niter=...): must not be negative. Received {niter}.")
    x = x - mean(x, -2, keepdim=True) if center else x
    if m < n:
        u, s, v = _projected(transposed(x), q, niter)
        return v, s, u
    return _projected(x, q, niter)


def _projected(x: Any, q: int, niter: int) -> tuple[Any, Any, Any]:
    """The decomposition of tall matrices on q directions of their rows' space."""
    flat = transposed(x)
    directions, _ = qr(mm(flat, randn([x.shape[-2], q], x.dtype)))
    for _ in range(niter):
        left, _ = qr(mm(x, directions))
        directions, _ = qr(mm(flat, left))
    u, s, vh = svd(mm(x, directions))
    return u, s, mm(directions, adjoint(vh))

"""Statistics and norms: logsumexp, variance, standard deviation, median, quantile, norm, and their relatives."""


from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import stats as fast
from ...core import dtype as dt
from ..array.concat_split import stack
from ..array.fed_axes import fed_values
from ..array.full import full, is_value, value_of
from ..array.gradient_shapes import sum_to
from ..array.rearrange import imag, real
from ..array.reshape import ints_of, reshape, shape_handle, squeeze, transpose, unsqueeze
from ..array.slices import Ranges
from ..array.sorting import argsort_op, order_statistics_op
from ..array.unknown_sizes import only_a_run_knows, size_at
from ..array.where import where
from ..core.infer import normalize_axis, product, same
from ..core.kernels import by
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..program.print_assert import assert_value
from .casting import cast, dtype_of, in_dtype
from .comparison import logical_and
from .elementwise import divide, equal_op, power_op
from .reduce import kept, max, mean, mean_op, min, numel, reduced_axes, reduced_count, sum
from .unary import abs, ceil, exp, floor, isnan, logical_not, sign, sqrt_op


def _logsumexp(xp, x, *, axis: Ints = (), keepdim: bool = False, reduce_all: bool = False):
    axes = None if reduce_all or not axis or not x.ndim else tuple(axis)
    top = x.max(axes, keepdims=True)
    top = xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    result = xp.log(xp.exp(x - top).sum(axes, keepdims=True)) + top
    return result if keepdim else result.reshape(_reduced(x.shape, axis, reduce_all, False))


def _reduced(shape: tuple, dim: Any, reduce_all: bool, keepdim: bool) -> tuple[int, ...]:
    axes = reduced_axes("reduce", dim, reduce_all, len(shape))
    return tuple(1 if n in axes else size for n, size in enumerate(shape) if keepdim or n not in axes)


def _spread(g: Any, out: Any, X: Any, dim: Any, keep_dim: bool, reduce_all: bool) -> tuple[Any, Any]:
    """A reduction's gradient and result, so that they broadcast to its input."""
    shape = shape_handle(X)
    return kept(g, shape, dim, keep_dim, reduce_all), kept(out, shape, dim, keep_dim, reduce_all)


def _logsumexp_gradient(g: Any, x: Any, out: Any, axis: Any, keepdim: bool, reduce_all: bool) -> Any:
    g, out = _spread(g, out, x, axis, keepdim, reduce_all)
    return exp(x - out) * g


logsumexp_op = operator(
    "logsumexp", "X -> Out", kernel=_logsumexp, holomorphic=True, engines=[by(LOOPS, fast.logsumexp, fast.LEAST)],
    compiled="logsumexp", unsaid={"axis": [0]},
    infer=lambda x, *, axis=(), keepdim=False, reduce_all=False: Spec(
        _reduced(x.shape, axis, reduce_all, keepdim), x.dtype),
    grad={"X": lambda g, X, Out, axis, keepdim, reduce_all: _logsumexp_gradient(g, X, Out, axis, keepdim, reduce_all)},
    lod="drop")


def logsumexp(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """log(sum(exp(x))) over `axis`, without overflow.

    >>> import proa as paddle
    >>> round(float(paddle.logsumexp(paddle.to_tensor([1000.0, 1000.0]))), 3)
    1000.693
    """
    dim = [] if axis is None else ints_of(axis)
    return apply(logsumexp_op, x, axis=dim, keepdim=keepdim, reduce_all=not dim)


# variance

_add: Any = np.add.reduce


def _variance(xp, x, *, dim: Ints = (), keep_dim: bool = False, reduce_all: bool = False, unbiased: bool = True):
    axes = None if reduce_all or not len(dim) else reduced_axes("var", dim, reduce_all, x.ndim)
    count = x.size if axes is None else product([x.shape[axis] for axis in axes])
    if xp is np and x.dtype.char in "fd" and x.size:  # as NumPy's own methods do it, without their checks
        distance = x - _add(x, axes, None, None, True) / x.dtype.type(count)
        total = _add(distance * distance, axes, None, None, keep_dim)
    else:
        distance = x - x.mean(axes, keepdims=True)
        total = (distance * distance).sum(axes, keepdims=keep_dim)
    divisor = count - 1 if unbiased and count > 1 else count
    return xp.divide(total, x.dtype.type(divisor))


def _variance_of(x: Any, *, dim: Any = (), keep_dim: bool = False, reduce_all: bool = False,
                 unbiased: bool = True) -> Any:
    axis = None if reduce_all else list(dim)
    distance = x - mean(x, axis, keepdim=True)
    total = sum(distance * distance, axis, keepdim=keep_dim)
    count = reduced_count(shape_handle(x), dim, reduce_all)
    if isinstance(count, int):
        count = count - 1 if unbiased and count > 1 else count
        return total * (1.0 / count) if count else total / 0.0
    count = cast(count, total.dtype)
    return total / (where(count > 1.0, count - 1.0, count) if unbiased else count)


def _variance_gradient(g: Any, x: Any, dim: Any, keep_dim: bool, reduce_all: bool, unbiased: bool) -> Any:
    shape = shape_handle(x)
    count = reduced_count(shape, dim, reduce_all)
    divisor = count - 1 if unbiased and count > 1 else count
    distance = x - apply(mean_op, x, dim=list(dim), keep_dim=True, reduce_all=reduce_all)
    return distance * (kept(g, shape, dim, keep_dim, reduce_all) * (2.0 / divisor if divisor else 0.0))


variance_op = operator(
    "variance", "X -> Out", kernel=_variance, composed=_variance_of, engines=[by(LOOPS, fast.variance, fast.LEAST)],
    compiled="variance", former="X",
    infer=lambda x, *, dim=(), keep_dim=False, reduce_all=False, unbiased=True: Spec(
        _reduced(x.shape, dim, reduce_all, keep_dim), x.dtype),
    grad={"X": lambda g, X, dim, keep_dim, reduce_all, unbiased: _variance_gradient(
        g, X, dim, keep_dim, reduce_all, unbiased)})


def _variance_over_fed(x: Any, axis: Any, unbiased: bool, keepdim: bool) -> Any:
    distance = x - mean(x, axis, keepdim=True)
    total = sum(distance * distance, axis, keepdim=keepdim)
    count = cast(numel(x), total.dtype) / cast(numel(total), total.dtype)
    return total / (where(count > 1.0, count - 1.0, count) if unbiased else count)


def var(x: Any, axis: Any = None, unbiased: bool = True, keepdim: bool = False, name: str | None = None) -> Any:
    """The mean squared distance from the mean over `axis`; divided by n - 1 (at least 1) where unbiased.

    >>> import proa as paddle
    >>> float(paddle.var(paddle.to_tensor([1.0, 2.0, 3.0])))
    1.0
    """
    x = value_of(x)
    if not x.dtype.is_differentiable:
        x = cast(x, dt.get_default_dtype_object())
    if x.dtype.is_complex:
        return var(real(x), axis, unbiased, keepdim) + var(imag(x), axis, unbiased, keepdim)
    fed = None if axis is None or type(axis) is int else fed_values(axis)
    if fed is not None:
        return _variance_over_fed(x, axis if is_value(axis) else fed, unbiased, keepdim)
    dim = [] if axis is None else ints_of(axis)
    return apply(variance_op, x, dim=dim, keep_dim=bool(keepdim), reduce_all=not dim, unbiased=unbiased)


def std(x: Any, axis: Any = None, unbiased: bool = True, keepdim: bool = False, name: str | None = None) -> Any:
    """The standard deviation over `axis`, the square root of `var`: divided by n - 1 where unbiased, as by default.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0, 3.0], [2.0, 6.0]])
    >>> paddle.std(x, axis=1, unbiased=False).tolist()
    [1.0, 2.0]
    """
    return apply(sqrt_op, var(x, axis, unbiased, keepdim))


def nansum(x: Any, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The sum over `axis` of the elements that are not NaN.

    >>> import proa as paddle
    >>> paddle.nansum(paddle.to_tensor([1.0, float("nan"), 2.0])).item()
    3.0
    """
    x = value_of(x)
    return sum(where(isnan(x), 0.0, x) if x.dtype.is_differentiable else x, axis, dtype, keepdim)


def nanmean(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The mean over `axis` of the elements that are not NaN.

    >>> import proa as paddle
    >>> paddle.nanmean(paddle.to_tensor([1.0, float("nan"), 2.0])).item()
    1.5
    """
    missing = isnan(x)
    count = sum(cast(logical_not(missing), dt.float64), axis, keepdim=keepdim)
    return divide(sum(where(missing, 0.0, x), axis, keepdim=keepdim), cast(count, x.dtype))


# order statistics

def _moved_last(x: Any, axis: Any) -> tuple[Any, list[int]]:
    """x with one last dimension that holds the reduced ones, and these."""
    axis = None if isinstance(axis, list) and not axis else axis
    if axis is None and x.ndim > 1:
        return reshape(x, [-1]), list(range(x.ndim))
    axes = list(range(x.ndim)) if axis is None else [normalize_axis("axis", n, x.ndim) for n in ints_of(axis)]
    if x.ndim == 0:
        return reshape(x, [1]), []
    rest = [n for n in range(x.ndim) if n not in axes]
    moved = transpose(x, rest + axes) if rest + axes != list(range(x.ndim)) else x
    if len(axes) != 1:
        count = product([x.shape[n] for n in axes])  # told, where it is known: of no rows -1 would be 0
        moved = reshape(moved, [0] * len(rest) + [count if count >= 0 else -1])
    return moved, axes


def _at(x: Any, n: Any) -> Any:
    ranges = Ranges()
    ranges.add(x.ndim - 1, n, n + 1)
    ranges.decrease.append(x.ndim - 1)
    return ranges.take(x)


def _restored(result: Any, x: Any, axes: list[int], keepdim: bool) -> Any:
    if not keepdim:
        return result
    return unsqueeze(result, sorted(axes)) if axes else result


def median(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The middle element over `axis`; of an even number the mean of the two in the middle. NaN where there is one.

    Raises ValueError for an x without elements.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0, 9.0, 3.0], [4.0, 2.0, 6.0]])
    >>> paddle.median(x, axis=1).tolist()
    [3.0, 4.0]
    """
    x = value_of(x)
    if 0 in x.shape:
        raise ValueError(f"median(x): x must have an element. Received x.shape={list(x.shape)}.")
    return quantile_of(x if x.dtype.is_differentiable else cast(x, dt.get_default_dtype_object()), 0.5, axis, keepdim)


def _check_real(what: str, x: Any) -> None:
    if dtype_of(x).is_complex:
        raise TypeError(f"{what}: complex numbers have no order. Take paddle.abs(x), or paddle.real(x).")


def quantile(x: Any, q: Any, axis: Any = None, keepdim: bool = False) -> Any:
    """The value below which a share q (0 … 1) of the elements over `axis` lies, interpolated linearly: float64.

    Where there is a NaN it is the result. Several q give results along a new first dimension. Raises ValueError for a
    q outside 0 … 1.

    >>> import proa as paddle
    >>> paddle.quantile(paddle.to_tensor([1.0, 2.0, 4.0]), [0.5, 0.75]).tolist()
    [2.0, 3.0]
    """
    _check_real("quantile(x)", x)
    return quantile_of(x if dtype_of(x) is dt.float64 else cast(x, dt.float64), q, axis, keepdim)


def _quantile_where_a_run_says(x: Any, q: Any) -> Any:
    """Over the last dimension, of a size or for a q that only the run knows: it says between which elements it lies."""
    last = size_at(x, -1) - 1
    last = last if is_value(last) else full([], last, dt.int64)
    place = cast(last, dt.float64) * (q if is_value(q) else full([], q, dt.float64))
    below = floor(place)
    values, _ = apply(argsort_op, x, axis=x.ndim - 1, descending=False)
    low, high = _at(values, cast(below, dt.int64)), _at(values, cast(ceil(place), dt.int64))
    share = cast(place - below, x.dtype)
    result = where(share > 0.0, low * (share * -1.0 + 1.0) + high * share, low)
    largest = _at(values, last)
    return where(isnan(largest), largest, result)


def share(what: str, q: Any) -> Any:
    """A number of 0 … 1, as a float64 value where only the run knows it."""
    if only_a_run_knows(q):
        assert_value(logical_and(q >= 0, q <= 1), [q], f"{what}(x, q): q must lie in [0, 1]. Received:")
        return in_dtype(q, dt.float64)
    if not 0 <= float(q) <= 1:
        raise ValueError(f"{what}(x, q): q must lie in [0, 1]. Received {q}.")
    return float(q)


def quantile_of(x: Any, q: Any, axis: Any, keepdim: bool) -> Any:
    """As `quantile`, in x's own dtype."""
    if isinstance(q, (list, tuple)):
        found = [quantile_of(x, one, axis, keepdim) for one in q]
        return found[0] if len(found) == 1 else stack(found, 0)
    if is_value(q) and q.ndim:
        return quantile_of(x, list(q), axis, keepdim)
    q = share("quantile", q)
    moved, axes = _moved_last(x, axis)
    if moved.shape[-1] < 0 or is_value(q):
        return _restored(_quantile_where_a_run_says(moved, q), x, axes, keepdim)
    place = q * (moved.shape[-1] - 1)
    below = int(place)
    found, _ = apply(order_statistics_op, moved, rank=below, count=1 if place == below else 2, propagate_nan=True)
    if place - below == 0.5:
        result = mean(found, -1)
    elif place > below:
        result = _at(found, 0) * (1.0 - (place - below)) + _at(found, 1) * (place - below)
    else:
        result = squeeze(found, -1)
    return _restored(result, x, axes, keepdim)


# norms

def _divide_or_zero(xp, x, y):
    return xp.divide(x, xp.where(y == 0, xp.ones_like(y), y)) * (y != 0)


divide_or_zero_op = operator(
    "divide_or_zero", "X, Y -> Out", kernel=_divide_or_zero, infer=same,
    formula="X / (1.0 if Y == 0.0 else Y) * (0.0 if Y == 0.0 else 1.0)",
    grad={"X": lambda g, Y: apply(divide_or_zero_op, g, Y),
          "Y": lambda g, Out, Y, Y_shape: sum_to(apply(divide_or_zero_op, g * Out, Y) * -1.0, Y_shape)},
    only_here=True)


def _p_norm(xp, x, *, porder: float = 2.0, axis: int = -1, epsilon: float = 1e-12, keepdim: bool = False,
            asvector: bool = False):
    axes = None if asvector else axis
    size = xp.abs(x)
    if porder == 0:
        result = (x != 0).sum(axes, keepdims=True).astype(x.dtype)
    elif porder in (float("inf"), float("-inf")):
        result = size.max(axes, keepdims=True) if porder > 0 else size.min(axes, keepdims=True)
    elif porder == 1:
        result = size.sum(axes, keepdims=True)
    elif porder == 2:
        result = xp.sqrt((x * x).sum(axes, keepdims=True))
    else:
        result = (size ** porder).sum(axes, keepdims=True) ** (1 / porder)
    return result if keepdim else result.reshape(_reduced(x.shape, (axis,), asvector, False))


def _p_norm_gradient(g: Any, x: Any, out: Any, p: float, axis: int, keepdim: bool, asvector: bool) -> Any:
    g, out = _spread(g, out, x, (axis,), keepdim, asvector)
    if p == 0:
        return x * 0.0
    if p == 2:
        return apply(divide_or_zero_op, x, out) * g
    if p in (float("inf"), float("-inf")):
        return sign(x) * cast(apply(equal_op, abs(x), out), dtype_of(x)) * g
    if p == 1:
        return sign(x) * g
    slope = sign(x) * apply(power_op, abs(x), None, factor=p - 1)
    return apply(divide_or_zero_op, slope, apply(power_op, out, None, factor=p - 1)) * g


p_norm_op = operator(
    "p_norm", "X -> Out", kernel=_p_norm, engines=[by(LOOPS, fast.p_norm, fast.LEAST)],
    infer=lambda x, *, porder=2.0, axis=-1, epsilon=1e-12, keepdim=False, asvector=False: Spec(
        _reduced(x.shape, (axis,), asvector, keepdim), x.dtype),
    grad={"X": lambda g, X, Out, porder, axis, keepdim, asvector: _p_norm_gradient(
        g, X, Out, porder, axis, keepdim, asvector)}, lod="drop", compiled="p_norm")


def _frobenius(xp, x, *, dim: Ints = (), keep_dim: bool = False, reduce_all: bool = False):
    axes = None if reduce_all or not dim else tuple(dim)
    return xp.sqrt((x * x).sum(axes, keepdims=keep_dim))


def _frobenius_gradient(g: Any, x: Any, out: Any, dim: Any, keep_dim: bool, reduce_all: bool) -> Any:
    g, out = _spread(g, out, x, dim, keep_dim, reduce_all)
    return apply(divide_or_zero_op, x, out) * g


frobenius_op = operator(
    "frobenius_norm", "X -> Out", kernel=_frobenius, engines=[by(LOOPS, fast.frobenius_norm, fast.LEAST)],
    infer=lambda x, *, dim=(), keep_dim=False, reduce_all=False: Spec(
        _reduced(x.shape, dim, reduce_all, keep_dim), x.dtype),
    grad={"X": lambda g, X, Out, dim, keep_dim, reduce_all: _frobenius_gradient(g, X, Out, dim, keep_dim, reduce_all)},
    precision="black", lod="drop", unsaid={"dim": [0]})


def norm(x: Any, p: Any = "fro", axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The p-norm of x, as a vector, over `axis`: (sum |x|**p) ** (1/p); p=inf, -inf and 0 as their limits.

    Without p, or with 'fro', the Frobenius norm. Over two axes too the elements count as one vector.

    >>> import proa as paddle
    >>> float(paddle.norm(paddle.to_tensor([3.0, 4.0])))
    5.0
    """
    axes = [] if axis is None else ints_of(axis)
    if dtype_of(x).is_complex:
        x = abs(x)
    if p is None or p == "fro":
        if len(axes) != 1:
            return apply(frobenius_op, x, dim=axes or [0], keep_dim=keepdim, reduce_all=not axes)
        p = 2
    if not isinstance(p, (int, float, np.integer, np.floating)):
        raise ValueError(f"norm(x, p): p must be a number or 'fro'. Received {p!r}.")
    if np.float32(p) == 0 and dtype_of(x) is not dt.float64:
        p = 0  # as in Paddle: 0 ** p is 1 where p is too small for float32
    if len(axes) < 2:
        return apply(p_norm_op, x, porder=float(p), axis=axes[0] if axes else -1, keepdim=keepdim, asvector=not axes)
    if p in (float("inf"), float("-inf")):
        return (max if p > 0 else min)(abs(x), axes, keepdim)
    if p == 0:
        return sum(cast(x != 0.0, x.dtype), axes, keepdim=keepdim)
    return sum(abs(x) ** float(p), axes, keepdim=keepdim) ** (1.0 / float(p))


def dist(x: Any, y: Any, p: float = 2, name: str | None = None) -> Any:
    """The p-norm of x - y, which broadcast: a 0-d tensor.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 2.0])
    >>> paddle.dist(x, y).tolist()
    0.0
    """
    return norm(x - y, float(p))

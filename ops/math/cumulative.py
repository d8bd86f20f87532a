"""Running results along a dimension: cumsum, cumprod, cummax, cummin, logcumsumexp.

The gradient of a running product is a linear recurrence, whose gradient is one again; so products with zeros in them
have exact gradients of every order, and nothing is divided.
"""


from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import scan as fast
from ...core import dtype as dt
from ...core.dtype import DType, convert_dtype
from ..array.fed_axes import numbers_in, one_number, only_a_run_tells
from ..array.full import full_of_shape, whole
from ..array.gradient_shapes import reshape_to
from ..array.rearrange import flip_op
from ..array.reshape import flatten
from ..array.take_along_axis import put_along_op
from ..core.infer import normalize_axis, product, same
from ..core.kernels import by, with_an_axis
from ..core.operator import Operator, operator
from ..core.spec import Spec
from ..core.trace import apply
from .casting import cast, dtype_of
from .clip import clip_op
from .elementwise import equal_op
from .unary import exp


def _moved(x: Any, axis: int, distance: int) -> tuple[tuple, tuple]:
    """The indices of where elements go to, and come from, when they move along an axis."""
    before = (slice(None),) * (axis % x.ndim)
    if distance > 0:
        return (*before, slice(distance, None)), (*before, slice(None, -distance))
    return (*before, slice(None, distance)), (*before, slice(-distance, None))


@with_an_axis
def _shift(xp, x, *, axis: int, distance: int):
    result = xp.zeros_like(x)
    to, source = _moved(x, axis, distance)
    result[to] = x[source]
    return result


shift_op = operator("shift_along", "X -> Out", kernel=_shift, infer=same, grad={
    "X": lambda g, axis, distance: apply(shift_op, g, axis=axis, distance=-distance)}, moves=True, only_here=True)


def _shifted(x: Any, axis: int, distance: int) -> Any:
    return apply(shift_op, x, axis=axis, distance=distance)


@with_an_axis
def _recurrence(xp, a, x, *, axis: int, reverse: bool):
    """S[k] = A[k] + X[k] * S[k-1]; in reverse S[k] = A[k] + X[k+1] * S[k+1]."""
    a, x = xp.moveaxis(a, axis, 0), xp.moveaxis(x, axis, 0)
    result = xp.array(a)
    for k in range(len(a) - 2, -1, -1) if reverse else range(1, len(a)):
        result[k] += x[k + 1] * result[k + 1] if reverse else x[k] * result[k - 1]
    return xp.moveaxis(result, 0, axis)


def _recurrence_gradient(g: Any, x: Any, out: Any, axis: int, reverse: bool) -> tuple[Any, Any]:
    da = apply(recurrence_op, g, x, axis=axis, reverse=not reverse)
    if reverse:
        return da, _shifted(da, axis, 1) * out
    return da, da * _shifted(out, axis, 1)


recurrence_op = operator("linear_recurrence", "A, X -> Out", kernel=_recurrence, infer=same, engines=[
    by(LOOPS, fast.recurrence, fast.LEAST)], grad={
    "A, X": lambda g, X, Out, axis, reverse, wants: _recurrence_gradient(g, X, Out, axis, reverse)}, only_here=True)


# products

@with_an_axis
def _cumprod(xp, x, *, dim: int):
    return x.cumprod(dim, x.dtype)


@with_an_axis
def _exclusive_cumprod(xp, x, *, axis: int):
    result = xp.ones_like(x)
    to, source = _moved(x, axis, 1)
    result[to] = xp.cumprod(x[source], axis=axis, dtype=x.dtype)
    return result


def _cumprod_gradient(g: Any, x: Any, axis: int) -> Any:
    before = apply(exclusive_cumprod_op, x, axis=axis)
    return before * apply(recurrence_op, g, x, axis=axis, reverse=True)


cumprod_op = operator("cumprod", "X -> Out", kernel=_cumprod, infer=same, holomorphic=True,
                      engines=[by(LOOPS, fast.cumprod, fast.LEAST)],
                      grad={"X": lambda g, X, dim: _cumprod_gradient(g, X, dim)}, precision="black")
exclusive_cumprod_op = operator("exclusive_cumprod", "X -> Out", kernel=_exclusive_cumprod, infer=same,
                                engines=[by(LOOPS, fast.exclusive_cumprod, fast.LEAST)], holomorphic=True, grad={
    "X": lambda g, X, axis: _cumprod_gradient(_shifted(g, axis, -1), X, axis)}, only_here=True)


def product_of_others(x: Any) -> Any:
    """For each element the product of the others along the last dimension."""
    last = x.ndim - 1
    behind = apply(flip_op, apply(exclusive_cumprod_op, apply(flip_op, x, axis=[last]), axis=last), axis=[last])
    return apply(exclusive_cumprod_op, x, axis=last) * behind


# sums

def _running_sum(xp: Any, x: Any, axis: int) -> Any:
    dtype = x.dtype if x.dtype.kind != "b" else "int64"
    return np.add.accumulate(x, axis, dtype) if xp is np and x.ndim else x.cumsum(axis, dtype)


@with_an_axis
def _cumsum(xp, x, *, axis: int = -1, flatten: bool = False, exclusive: bool = False, reverse: bool = False):
    x, axis = (x.reshape(-1), 0) if flatten else (x, axis)
    x = xp.flip(x, axis) if reverse else x
    result = _running_sum(xp, x, axis)
    if exclusive:
        result = _shift(xp, result, axis=axis, distance=1)
    return xp.flip(result, axis) if reverse else result


def _infer_cumulative(x, *, axis=-1, flatten=False, exclusive=False, reverse=False):
    if not flatten:
        normalize_axis("cumsum(x, axis)", axis, x.rank)
    return Spec((product(x.shape),) if flatten else x.shape, dt.int64 if x.dtype is dt.bool_ else x.dtype)


cumsum_op = operator(
    "cumsum", "X -> Out", kernel=_cumsum, engines=[by(LOOPS, fast.cumsum, fast.LEAST)], infer=_infer_cumulative,
    grad={"X": lambda g, X_shape, axis, flatten, exclusive, reverse: reshape_to(apply(
        cumsum_op, g, axis=-1 if flatten else axis, exclusive=exclusive, reverse=not reverse), X_shape)},
    precision="black", compiled="cumsum")


def _cumsum_of_fed(xp, x, axis, *, flatten: bool = False, exclusive: bool = False, reverse: bool = False):
    return _cumsum(xp, x, axis=numbers_in([axis])[0], flatten=flatten, exclusive=exclusive, reverse=reverse)


def _infer_of_fed(x, axis, *, flatten=False, exclusive=False, reverse=False):
    one_number("cumsum(x, axis)", axis)
    return _infer_cumulative(x, axis=0 if x.rank else -1, flatten=flatten)


cumsum_of_fed_op = operator(
    "cumsum_of_fed", "X, axis@ -> Out", kernel=_cumsum_of_fed, infer=_infer_of_fed,
    grad={"X": lambda g, axis, exclusive, reverse: apply(
        cumsum_of_fed_op, g, axis, exclusive=exclusive, reverse=not reverse)},
    precision="black", stands_for=cumsum_op, fails="values")
"""`cumsum` along a dimension that only a run can tell."""


def cumsum(x: Any, axis: int | None = None, dtype: Any = None, name: str | None = None) -> Any:
    """The running sum along `axis`, or of x flattened; computed in `dtype` when it is given.

    >>> import proa as paddle
    >>> paddle.cumsum(paddle.to_tensor([1, 2, 3])).tolist()
    [1, 3, 6]
    """
    x = x if dtype is None else cast(x, dtype)
    if axis is not None and type(axis) is not int and only_a_run_tells(axis):
        return apply(cumsum_of_fed_op, x, axis)
    return apply(cumsum_op, x, axis=-1 if axis is None else whole(axis), flatten=axis is None)


def cumprod(x: Any, dim: int | None = None, dtype: Any = None, name: str | None = None) -> Any:
    """The running product along `dim`, or of x flattened; computed in `dtype` when it is given.

    >>> import proa as paddle
    >>> paddle.cumprod(paddle.to_tensor([1, 2, 3]), 0).tolist()
    [1, 2, 6]
    """
    x = x if dtype is None else cast(x, dtype)
    return apply(cumprod_op, flatten(x) if dim is None else x, dim=0 if dim is None else whole(dim))


def _accumulated(xp: Any, function: str, x: Any, axis: int) -> Any:
    """`function.accumulate(x, axis)` of an associative function; on a device by log2(n) steps over all elements."""
    if xp is np:
        return getattr(np, function).accumulate(x, axis=axis)
    result, distance = xp.array(xp.moveaxis(x, axis, 0)), 1
    while distance < len(result):
        result[distance:] = getattr(xp, function)(result[distance:], result[:-distance])
        distance *= 2
    return xp.moveaxis(result, 0, axis)


@with_an_axis
def _logcumsumexp(xp, x, *, axis: int = -1, flatten: bool = False, exclusive: bool = False, reverse: bool = False):
    x, axis = (x.reshape(-1), 0) if flatten else (x, axis)
    x = xp.flip(x, axis) if reverse else x
    result = _accumulated(xp, "logaddexp", x, axis)
    if exclusive:
        to, source = _moved(x, axis, 1)
        moved = xp.full_like(result, -xp.inf)
        moved[to] = result[source]
        result = moved
    return xp.flip(result, axis) if reverse else result


def _logcumsumexp_gradient(g: Any, x: Any, out: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    """The sum of g[i] * exp(x[k] - out[i]) over all i of which k is a part; no exponent in it is above 0.

    0 where x is -inf, which adds nothing: it counts as a number so low that nothing is left of its exponential.
    """
    if exclusive:
        g, out = _shifted(g, axis, 1 if reverse else -1), apply(logcumsumexp_op, x, axis=axis, reverse=reverse)
    if dtype_of(x).is_complex:
        return _logcumsumexp_slopes(g, x, out, axis, reverse)
    lowest = -3e4 if dtype_of(x) is dt.float16 else -1e37
    low_x, low_out = (apply(clip_op, each, None, None, min=lowest) for each in (x, out))
    counts = cast(apply(equal_op, x, low_x), dtype_of(x))
    return _logcumsumexp_slopes(g, low_x, low_out, axis, reverse) * counts


def _logcumsumexp_slopes(g: Any, x: Any, out: Any, axis: int, reverse: bool) -> Any:
    grown = _shifted(out, axis, -1) - out
    kept = exp(_shifted(grown if reverse else grown * -1.0, axis, 1))
    return exp(x - out) * apply(recurrence_op, g, kept, axis=axis, reverse=not reverse)


logcumsumexp_op = operator(
    "logcumsumexp", "X -> Out", kernel=_logcumsumexp, holomorphic=True, infer=_infer_cumulative,
    grad={"X": lambda g, X, X_shape, Out, Out_shape, axis, flatten, exclusive, reverse: reshape_to(
        _logcumsumexp_gradient(g, reshape_to(X, Out_shape) if flatten else X, Out, 0 if flatten else axis, exclusive,
                               reverse), X_shape)})


def logcumsumexp(x: Any, axis: int | None = None, dtype: Any = None, name: str | None = None) -> Any:
    """log of the running sum of exp(x) along `axis`, or of x flattened, without overflow.

    >>> import proa as paddle
    >>> paddle.logcumsumexp(paddle.zeros([3], "float64")).exp().numpy().round(3).tolist()
    [1.0, 2.0, 3.0]
    """
    x = x if dtype is None else cast(x, dtype)
    return apply(logcumsumexp_op, flatten(x) if axis is None else x, axis=0 if axis is None else whole(axis))


# extremes

def _running_extreme(xp, x, axis, better):
    values, places = xp.moveaxis(x, axis, 0).copy(), xp.zeros(xp.moveaxis(x, axis, 0).shape, "int64")
    for k in range(1, len(values)):
        new = better(values[k], values[k - 1]) | (values[k] != values[k])
        values[k] = xp.where(new, values[k], values[k - 1])
        places[k] = xp.where(new, k, places[k - 1])
    return xp.moveaxis(values, 0, axis), xp.moveaxis(places, 0, axis)


@with_an_axis
def _cummax(xp, x, *, axis: int = -1, dtype: DType = dt.int64):
    values, places = _running_extreme(xp, x, axis, xp.greater_equal)
    return values, places.astype(dtype.dtype)


@with_an_axis
def _cummin(xp, x, *, axis: int = -1, dtype: DType = dt.int64):
    values, places = _running_extreme(xp, x, axis, xp.less_equal)
    return values, places.astype(dtype.dtype)


def _infer_extreme(x, *, axis=-1, dtype=dt.int64):
    normalize_axis("cummax(x, axis)", axis, x.rank)
    return x, Spec(x.shape, dtype)


def _put_back(g: Any, places: Any, shape: Any, axis: int) -> Any:
    return apply(put_along_op, full_of_shape(shape, 0.0, dtype_of(g)), places, g, Axis=axis, Reduce="add")


cummax_op = operator("cummax", "x -> out, indices", kernel=_cummax, infer=_infer_extreme, engines=[
    by(LOOPS, fast.cummax, fast.LEAST_OF_EXTREMES)], grad={
    "x": lambda g, indices, x_shape, axis: _put_back(g, indices, x_shape, axis)}, ordered=True)
cummin_op = operator("cummin", "x -> out, indices", kernel=_cummin, infer=_infer_extreme, engines=[
    by(LOOPS, fast.cummin, fast.LEAST_OF_EXTREMES)], grad={
    "x": lambda g, indices, x_shape, axis: _put_back(g, indices, x_shape, axis)}, ordered=True)


def _extreme(op: Operator, x: Any, axis: int | None, dtype: Any) -> tuple[Any, Any]:
    kind = convert_dtype(dtype)
    if kind not in (dt.int32, dt.int64):
        raise ValueError(f"{op.type}(dtype): places are int32 or int64. Received {dtype!r}.")
    return apply(op, flatten(x) if axis is None else x, axis=-1 if axis is None else whole(axis), dtype=kind)


def cummax(x: Any, axis: int | None = None, dtype: Any = "int64", name: str | None = None) -> tuple[Any, Any]:
    """The running maximum along `axis`, or of x flattened, and where it was found (the last of equal ones).

    >>> import proa as paddle
    >>> values, index = paddle.cummax(paddle.to_tensor([1, 3, 2]))
    >>> values.tolist(), index.tolist()
    ([1, 3, 3], [0, 1, 1])
    """
    return _extreme(cummax_op, x, axis, dtype)


def cummin(x: Any, axis: int | None = None, dtype: Any = "int64", name: str | None = None) -> tuple[Any, Any]:
    """The running minimum along `axis`, or of x flattened, and where it was found (the last of equal ones).

    >>> import proa as paddle
    >>> values, index = paddle.cummin(paddle.to_tensor([3, 1, 2]))
    >>> values.tolist(), index.tolist()
    ([3, 1, 1], [0, 1, 1])
    """
    return _extreme(cummin_op, x, axis, dtype)

"""Reductions over dimensions: sum, mean, max, min, prod, any, all, the number of elements.

`axis` is None for all dimensions, an int, or several; `keepdim` leaves the reduced dimensions in place with size 1.
"""


import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import reduce as fast
from ...backend.loops.tape import Declined
from ...core import dtype as dt
from ...core.dtype import DType, convert_dtype
from ..array.fed_axes import axes_back, axes_last_op, fed_values, numbers_in, without_some
from ..array.full import full_of_shape, value_of
from ..array.gradient_shapes import expand_to, reshape_to, sum_to
from ..array.reshape import ints_of, reshape_op, shape_handle, transpose_op, unsqueeze_op
from ..array.unknown_sizes import count_of, size_at
from ..core.facts import free
from ..core.infer import normalize_axes, product
from ..core.kernels import by
from ..core.operator import Ints, Longs, Operator, operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.taped import over_dimensions
from ..core.trace import apply
from .casting import cast, dtype_of
from .cumulative import product_of_others
from .elementwise import conj_of, equal_op, multiply_op


def reduced_axes(what: str, dim: Sequence[int], reduce_all: bool, rank: int) -> tuple[int, ...]:
    """The dimensions that the attributes of a reduction mean; no dimensions mean all."""
    if reduce_all or not len(dim):
        return tuple(range(rank))
    axes = normalize_axes(what, dim, rank)
    return axes if rank else ()


def _rank(shape: Any) -> int:
    return len(shape) if type(shape) is tuple else shape.ndim


def kept(value: Any, shape: Any, dim: Sequence[int], keep_dim: bool, reduce_all: bool) -> Any:
    """A reduction's result (or its gradient) with the reduced dimensions of `shape` in place, so that it broadcasts."""
    if keep_dim or reduce_all or not len(dim):
        return value
    axes = reduced_axes("reduce", dim, reduce_all, _rank(shape))
    if len(axes) == _rank(shape):
        return value
    return apply(unsqueeze_op, value, None, None, axes=_from_their_end(dim, axes))


def _from_their_end(dim: Sequence[int], axes: tuple[int, ...]) -> list[int]:
    """The dimensions, where all of them were counted from the end as they were, the last first: what branches differ
    in may have fewer dimensions than it declares.
    """
    return sorted({*dim}, reverse=True) if builtins.max(dim) < 0 else list(axes)


def reduced_count(shape: Any, dim: Sequence[int], reduce_all: bool) -> Any:
    """How many elements go into one: an int, or a 0-d integer value where a size is not known."""
    if type(shape) is tuple and (reduce_all or not len(dim)) and -1 not in shape:
        return math.prod(shape)
    axes = reduced_axes("reduce", dim, reduce_all, _rank(shape))
    sizes = shape if type(shape) is tuple else tuple(shape.shape)
    known = product([sizes[axis] for axis in axes])
    if known >= 0:
        return known
    if len(axes) == len(sizes):
        return apply(size_op, shape)
    return apply(size_along_op, shape, axes=_from_their_end(dim, axes))


def _size_along(xp, x, *, axes: Ints):
    return xp.asarray(product([x.shape[axis] for axis in axes]), "int64")


def _product_of_sizes(x: Any, *, axes: Sequence[int]) -> Any:
    count = count_of([size_at(x, axis) for axis in axes])
    return full_of_shape((), count, dt.int64) if isinstance(count, int) else cast(count, dt.int64)


size_op = operator("size", "Input -> Out", kernel=lambda xp, x: xp.asarray(x.size, "int64"),
                   infer=lambda x: Spec((), dt.int64), narrow=True, cost=free, lod="drop")
size_along_op = operator("size_along", "X -> Out", kernel=_size_along, composed=_product_of_sizes,
                         infer=lambda x, *, axes: Spec((), dt.int64))


def _infer(type: str, result: Callable[[DType], DType]) -> Callable:
    def infer(x, axis_tensor=None, axis_list=None, *, dim=(), keep_dim=False, reduce_all=False, in_dtype=None,
              out_dtype=None):
        axes = reduced_axes(type, dim, reduce_all, x.rank)
        shape = [1 if n in axes else size for n, size in enumerate(x.shape) if keep_dim or n not in axes]
        return Spec(tuple(shape), out_dtype or result(x.dtype))

    return infer


def _same(dtype: DType) -> DType:
    return dtype


def _axes_of(x: Any, dim: Sequence[int], reduce_all: bool) -> tuple[int, ...] | int | None:
    """The dimensions in NumPy's form; a value of none has the axes 0 and -1."""
    if reduce_all or not dim:
        return None
    if len(dim) == 1 and x.ndim:
        return dim[0]  # as an int it is found faster
    return tuple(dim) if x.ndim or not {0, -1}.issuperset(dim) else None


def _by(function: Any, method: str) -> Callable[..., Any]:
    """A reduction by a function of NumPy's, without what its methods ask first; of a device's array by its method."""
    def reduced(xp: Any, x: Any, axes: Any, keepdims: bool) -> Any:
        if xp is np:
            return function.reduce(x, axes, None, None, keepdims)
        return getattr(x, method)(axes, keepdims=keepdims)

    return reduced


_UNSAID = {"dim": [0]}


def _reduction(type: str, function: Callable, result: Callable[[DType], DType] = _same,
               grad: Callable | None = None, loop: Callable | None = None,
               least: int = fast.LEAST, precision: str = "gray", compiled: str = "",
               taped: Callable | None = None, fails: str = "shapes", ordered: bool = False) -> Operator:
    """`function(xp, x, axes, keepdims)` reduces."""
    def kernel(xp, x, *, dim: Ints = (), keep_dim: bool = False, reduce_all: bool = False,
               in_dtype: DType | None = None, out_dtype: DType | None = None):
        if out_dtype is not None:
            x = x.astype(out_dtype.dtype, copy=False)
        reduced = function(xp, x, _axes_of(x, dim, reduce_all), keep_dim)
        return reduced if out_dtype is None else reduced.astype(out_dtype.dtype, copy=False)

    return operator(type, "X -> Out", kernel=kernel, infer=_infer(type, result),
                    engines=[by(LOOPS, loop, least)] if loop else [], taped=taped,
                    grad={"X": grad} if grad else None, precision=precision, lod="rows", compiled=compiled,
                    fails=fails, unsaid=_UNSAID, ordered=ordered)


def _reduction_of_tensor_axes(type: str, function: Callable, result: Callable[[DType], DType] = _same,
                              grad: Callable | None = None, compiled: str = "", ordered: bool = False) -> Operator:
    """As `_reduction`, where files may give the dimensions as a tensor."""
    def kernel(xp, x, axis_tensor=None, axis_list=None, *, dim: Longs = (), keep_dim: bool = False,
               reduce_all: bool = False, in_dtype: DType | None = None, out_dtype: DType | None = None):
        return function(xp, x, _axes_of(x, dim, reduce_all), keep_dim)

    return operator(type, "X, AxisTensor?, AxisTensorList*? -> Out", kernel=kernel, infer=_infer(type, result),
                    grad={"X": grad} if grad else None, lod="rows", compiled=compiled, unsaid=_UNSAID,
                    ordered=ordered)


def _summed(dtype: DType) -> DType:
    """Integers and bools are summed in int64."""
    return dtype if dtype.is_differentiable else dt.int64


def _sum(xp, x, axes, keepdims):
    dtype = x.dtype if x.dtype.kind in "fcV" else "int64"
    return np.add.reduce(x, axes, dtype, None, keepdims) if xp is np else x.sum(axes, dtype=dtype, keepdims=keepdims)


def _mean(xp, x, axes, keepdims):
    if xp is not np or x.dtype.char not in "fd":
        found = x.mean(axes, keepdims=keepdims)
        return found.astype(x.dtype) if x.dtype.kind in "iu" else found  # of integers cut towards zero, as in files
    total = np.add.reduce(x, axes, None, None, keepdims)
    return total / x.dtype.type(x.size // (total.size or 1))


def _sum_gradient(g: Any, X_shape: Any, X_dtype: DType, dim: Sequence[int], keep_dim: bool, reduce_all: bool) -> Any:
    g = expand_to(kept(g, X_shape, dim, keep_dim, reduce_all), X_shape)
    return g if dtype_of(g) is X_dtype else cast(g, X_dtype)


def _mean_gradient(g: Any, X_shape: Any, dim: Sequence[int], keep_dim: bool, reduce_all: bool) -> Any:
    count = reduced_count(X_shape, dim, reduce_all)
    g = g * (1.0 / builtins.max(count, 1)) if isinstance(count, int) else g / cast(count, dtype_of(g))
    return expand_to(kept(g, X_shape, dim, keep_dim, reduce_all), X_shape)


where_equal_op = operator(
    "where_equal", "G, X, Y -> Out", kernel=lambda xp, g, x, y: g * (x == y),
    infer=lambda g, x, y: Spec(x.shape, g.dtype), formula="G * (1.0 if X == Y else 0.0)", grad={
        "G": lambda g, X, Y, G_shape: sum_to(apply(where_equal_op, g, X, Y), G_shape)},
    only_here=True, compiled="where_equal")
"""g where x equals y, and 0 times it elsewhere; g and y broadcast to the shape of x."""


def _extreme_gradient(g: Any, X: Any, Out: Any, dim: Sequence[int], keep_dim: bool, reduce_all: bool) -> Any:
    """Every element that equals the extreme gets the whole gradient."""
    rest = dim, keep_dim, reduce_all
    shape = shape_handle(X)
    return apply(where_equal_op, kept(g, shape, *rest), X, kept(Out, shape, *rest))


def _shared_gradient(g: Any, X: Any, Out: Any, dim: Sequence[int], keep_dim: bool, reduce_all: bool) -> Any:
    """The elements that equal the extreme share the gradient evenly."""
    rest = dim, keep_dim, reduce_all
    shape = shape_handle(X)
    mask = cast(apply(equal_op, X, kept(Out, shape, *rest)), dtype_of(g))
    count = apply(sum_op, mask, dim=list(dim), keep_dim=True, reduce_all=reduce_all)
    return apply(multiply_op, mask, kept(g, shape, *rest) / count)


def _prod(xp, x, axes, keepdims):
    dtype = x.dtype if x.dtype.kind != "b" else "int64"
    if xp is np:
        return np.multiply.reduce(x, axes, dtype, None, keepdims)
    return x.prod(axes, dtype=dtype, keepdims=keepdims)


def _prod_gradient(g: Any, X: Any, dim: Sequence[int], keep_dim: bool, reduce_all: bool) -> Any:
    """The product of the others, which is right where elements are 0 and division is not."""
    axes = reduced_axes("prod", dim, reduce_all, X.ndim)
    order = [n for n in range(X.ndim) if n not in axes] + list(axes)
    moved = apply(transpose_op, X, axis=order)
    count = product([X.shape[n] for n in axes])  # said where it is known: beside a size of 0 nothing tells it
    flat = apply(reshape_op, moved, None, None, shape=[0] * (X.ndim - len(axes)) + [count if count > 0 else -1])
    others = reshape_to(product_of_others(flat), shape_handle(moved))
    others = apply(transpose_op, others, axis=[order.index(n) for n in range(X.ndim)])
    return apply(multiply_op, conj_of(others), kept(g, shape_handle(X), dim, keep_dim, reduce_all))


def _taped(is_mean: bool) -> Callable:
    """The sum, or the mean, as a step of a tape."""
    def taped(tape: Any, x: Any, *, dim: Any = (), keep_dim: bool = False, reduce_all: bool = False,
              in_dtype: DType | None = None, out_dtype: DType | None = None) -> Any:
        if out_dtype is not None and out_dtype.dtype != x.dtype:
            raise Declined
        axes = _axes_of(x, dim, reduce_all)
        given = range(x.ndim) if axes is None else [axes] if isinstance(axes, int) else axes
        dims = sorted({d % x.ndim for d in given})
        outer, count, inner = over_dimensions(x.shape, dims)
        if not count:
            raise Declined
        shape = [1 if d in dims else n for d, n in enumerate(x.shape) if keep_dim or d not in dims]
        return tape.summed(x, shape, outer, count, inner, float(count) if is_mean else 1.0)

    return taped


sum_op = _reduction("reduce_sum", _sum, _summed, _sum_gradient, fast.reduce_sum, precision="black",
                    taped=_taped(False), compiled="sum", fails="never")
mean_op = _reduction("reduce_mean", _mean, grad=_mean_gradient,
                     loop=fast.reduce_mean, precision="black", taped=_taped(True), compiled="mean", fails="never")
max_op = _reduction("reduce_max", _by(np.maximum, "max"), grad=_extreme_gradient,
                    loop=fast.reduce_max, compiled="max", ordered=True)
min_op = _reduction("reduce_min", _by(np.minimum, "min"), grad=_extreme_gradient,
                    loop=fast.reduce_min, compiled="min", ordered=True)
prod_op = _reduction("reduce_prod", _prod, lambda dtype: dt.int64 if dtype is dt.bool_ else dtype, _prod_gradient,
                     fast.reduce_prod, fast.LEAST_OF_PRODUCTS, precision="black", compiled="prod")
amax_op = _reduction_of_tensor_axes("reduce_amax", lambda xp, x, axes, keep: x.max(axes, keepdims=keep),
                                    grad=_shared_gradient, compiled="max", ordered=True)
amin_op = _reduction_of_tensor_axes("reduce_amin", lambda xp, x, axes, keep: x.min(axes, keepdims=keep),
                                    grad=_shared_gradient, compiled="min", ordered=True)
any_op = _reduction_of_tensor_axes("reduce_any", _by(np.logical_or, "any"),
                                   lambda _: dt.bool_, compiled="any")
all_op = _reduction_of_tensor_axes("reduce_all", _by(np.logical_and, "all"),
                                   lambda _: dt.bool_, compiled="all")
whole_mean_op = operator("mean", "X -> Out", kernel=lambda xp, x: _mean(xp, x, None, False),
                         engines=[by(LOOPS, fast.mean, fast.LEAST)],
                         infer=lambda x: Spec((), x.dtype),
                         grad={"X": lambda g, X_shape: _mean_gradient(g, X_shape, (), False, True)},
                         precision="black", lod="drop", compiled="mean")


def _reduction_of_fed_axes(base: Operator, result: Callable[[DType], DType] = _same, *,
                           grad: Callable[[Any, Any], Any]) -> Operator:
    """A reduction over dimensions that only a run can tell. `grad(g, y)`: the gradient over the last dimension of y."""
    def kernel(xp, x, axes, *, keep_dim: bool = False, reduce_all: bool = False, in_dtype: DType | None = None,
               out_dtype: DType | None = None):
        given = {} if out_dtype is None else {"in_dtype": in_dtype, "out_dtype": out_dtype}
        return base.kernel_for(xp)(xp, x, dim=numbers_in(axes), keep_dim=keep_dim, reduce_all=reduce_all, **given)

    def infer(x, axes, *, keep_dim=False, reduce_all=False, in_dtype=None, out_dtype=None):
        return Spec(without_some(f"{base.type}(x, axis)", x, axes, keep_dim), out_dtype or result(x.dtype))

    def back(g: Any, x: Any, axes: list) -> Any:
        moved = apply(axes_last_op, x, axes)
        found = axes_back(grad(reshape_to(g, shape_handle(_first_of_last(moved))), moved), axes, shape_handle(x))
        return found if dtype_of(found) is dtype_of(x) else cast(found, dtype_of(x))

    return operator(f"{base.type}_of_fed", "X, dim*@ -> Out", kernel=kernel, infer=infer,
                    grad={"X": lambda g, X, dim: back(g, X, dim)}, precision=base.precision, lod="drop",
                    stands_for=base, fails="values")


def _first_of_last(y: Any) -> Any:
    return apply(sum_op, y, dim=[-1], keep_dim=False, reduce_all=False)


def _extreme_over_last(op: Operator) -> Callable[[Any, Any], Any]:
    return lambda g, y: _extreme_gradient(g, y, apply(op, y, dim=[-1], keep_dim=False, reduce_all=False), [-1], False,
                                          False)


_LAST: tuple[list[int], bool, bool] = [-1], False, False
sum_of_fed_op = _reduction_of_fed_axes(
    sum_op, _summed, grad=lambda g, y: expand_to(kept(g, shape_handle(y), *_LAST), shape_handle(y)))
mean_of_fed_op = _reduction_of_fed_axes(mean_op, grad=lambda g, y: _mean_gradient(g, shape_handle(y), *_LAST))
max_of_fed_op = _reduction_of_fed_axes(max_op, grad=_extreme_over_last(max_op))
min_of_fed_op = _reduction_of_fed_axes(min_op, grad=_extreme_over_last(min_op))
prod_of_fed_op = _reduction_of_fed_axes(prod_op, lambda dtype: dt.int64 if dtype is dt.bool_ else dtype,
                                        grad=lambda g, y: _prod_gradient(g, y, *_LAST))


def _reduced(op: Operator, of_fed: Operator, x: Any, axis: Any, keepdim: bool, **given: Any) -> Any:
    if axis is None:
        return apply(op, x, dim=[], keep_dim=bool(keepdim), reduce_all=True, **given)
    if type(axis) is int:
        return apply(op, x, dim=[axis], keep_dim=bool(keepdim), reduce_all=False, **given)
    fed = fed_values(axis)
    if fed is not None:
        return apply(of_fed, x, fed, keep_dim=bool(keepdim), **given)
    return apply(op, x, **_attrs(axis, keepdim), **given)


def _attrs(axis: Any, keepdim: bool) -> dict[str, Any]:
    dim = [] if axis is None else [axis] if type(axis) is int else ints_of(axis)
    return {"dim": dim, "keep_dim": bool(keepdim), "reduce_all": not dim}


@results_named("sum")
def sum(x: Any, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The sum over `axis`; of integers and bools in int64, or in `dtype` when it is given.

    >>> import proa as paddle
    >>> paddle.sum(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0).tolist()
    [4.0, 6.0]
    """
    given = {} if dtype is None else {"in_dtype": x.dtype, "out_dtype": convert_dtype(dtype)}
    return _reduced(sum_op, sum_of_fed_op, x, axis, keepdim, **given)


@results_named("mean")
def mean(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The arithmetic mean over `axis`; integers are averaged as floats.

    >>> import proa as paddle
    >>> float(paddle.mean(paddle.to_tensor([1.0, 2.0, 6.0])))
    3.0
    """
    x = value_of(x)
    if not x.dtype.is_differentiable:
        x = cast(x, dt.get_default_dtype_object())
    return _reduced(mean_op, mean_of_fed_op, x, axis, keepdim)


@results_named("max")
def max(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The largest element over `axis`. Each of several equal ones gets the whole gradient; see `amax`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0, 5.0], [3.0, 2.0]])
    >>> paddle.max(x).item(), paddle.max(x, axis=1).tolist()
    (5.0, [5.0, 3.0])
    """
    return _reduced(max_op, max_of_fed_op, x, axis, keepdim)


@results_named("min")
def min(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The smallest element over `axis`. Each of several equal ones gets the whole gradient; see `amin`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0, 5.0], [3.0, 2.0]])
    >>> paddle.min(x).item(), paddle.min(x, axis=1).tolist()
    (1.0, [1.0, 2.0])
    """
    return _reduced(min_op, min_of_fed_op, x, axis, keepdim)


@results_named("amax")
def amax(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The largest element over `axis`; several equal ones share the gradient.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0, 5.0], [3.0, 2.0]])
    >>> paddle.amax(x).item(), paddle.amax(x, axis=1).tolist()
    (5.0, [5.0, 3.0])
    """
    return apply(amax_op, x, None, None, **_attrs(axis, keepdim))


@results_named("amin")
def amin(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The smallest element over `axis`; several equal ones share the gradient.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0, 5.0], [3.0, 2.0]])
    >>> paddle.amin(x).item(), paddle.amin(x, axis=1).tolist()
    (1.0, [1.0, 2.0])
    """
    return apply(amin_op, x, None, None, **_attrs(axis, keepdim))


@results_named("reduce_prod")
def prod(x: Any, axis: Any = None, keepdim: bool = False, dtype: Any = None, name: str | None = None) -> Any:
    """The product over `axis`, computed in `dtype` when it is given.

    >>> import proa as paddle
    >>> float(paddle.prod(paddle.to_tensor([2.0, 3.0, 4.0])))
    24.0
    """
    return _reduced(prod_op, prod_of_fed_op, x if dtype is None else cast(x, dtype), axis, keepdim)


@results_named("any")
def any(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """True where at least one element over `axis` is true (or not 0).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[True, False], [True, True]])
    >>> paddle.any(x).item(), paddle.any(x, axis=1).tolist()
    (True, [True, True])
    """
    return apply(any_op, x, None, None, **_attrs(axis, keepdim))


@results_named("all")
def all(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """True where every element over `axis` is true (or not 0).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[True, False], [True, True]])
    >>> paddle.all(x).item(), paddle.all(x, axis=1).tolist()
    (False, [False, True])
    """
    return apply(all_op, x, None, None, **_attrs(axis, keepdim))


@results_named("numel")
def numel(x: Any, name: str | None = None) -> Any:
    """The number of elements, as a 0-d int64 tensor.

    >>> import proa as paddle
    >>> paddle.numel(paddle.ones([2, 3])).item()
    6
    """
    return apply(size_op, x)


def count_nonzero(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """How many elements over `axis` are not 0, in int64.

    >>> import proa as paddle
    >>> paddle.count_nonzero(paddle.to_tensor([0, 3, 0, 1])).item()
    2
    """
    return sum(cast(x, dt.bool_), axis, keepdim=keepdim)

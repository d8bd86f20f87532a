"""What is computed over dimensions: `flow.sum`, `flow.max`, `flow.sort`, `flow.softmax`, …"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from ...nn import functional as F
from ...ops.array import diagonal, sorting
from ...ops.array.full import is_value
from ...ops.array.gather import index_select
from ...ops.array.reshape import reshape
from ...ops.math import casting, cumulative, extreme_positions, reduce, statistics
from ..charge import apply_op, flowing
from ..dtypes import to_dtype
from .arithmetic import maximum, minimum
from .arrays import reduce_size


def _pair_of(name: str) -> Any:
    """The class of a function's two results."""
    return namedtuple(name, ["values", "indices"])


max_result: Any = _pair_of("max")
min_result: Any = _pair_of("min")
sort_result: Any = _pair_of("sort")
topk_result: Any = _pair_of("topk")
median_result: Any = _pair_of("median")
mode_result: Any = _pair_of("mode")


def _over(dim: Any) -> Any:
    """The dimensions for the functions below this face: of an empty list all."""
    return None if dim is None or isinstance(dim, (tuple, list)) and not dim else dim


def _in(x: Any, dtype: Any) -> Any:
    return x if dtype is None else casting.cast(x, to_dtype("dtype", dtype))


def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum over dimensions, all by default; of integers and bools in int64.

    >>> import proa.oneflow as flow
    >>> flow.sum(flow.ones(2, 3), dim=1).tolist()
    [3.0, 3.0]
    """
    if dtype is None and input.dtype.is_differentiable:
        return apply_op(reduce.sum_op, (input,), _dimensions(dim, keepdim))
    return _general_sum(input, dim, keepdim, dtype)


@flowing
def _general_sum(input: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    return reduce.sum(_in(input, dtype), _over(dim), keepdim=keepdim)


def _dimensions(dim: Any, keepdim: bool) -> dict[str, Any]:
    """The attributes of a reduction."""
    if dim is None or isinstance(dim, (tuple, list)) and not dim:
        return {"dim": [0], "keep_dim": keepdim, "reduce_all": True}
    return {"dim": [dim] if isinstance(dim, int) else [int(n) for n in dim], "keep_dim": keepdim, "reduce_all": False}


def mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean over dimensions, all by default; of floats alone."""
    x = input if dtype is None else _as(input, dtype)
    if not x.dtype.is_differentiable:
        raise RuntimeError(f"mean(input): must hold floats. Received dtype={x.dtype.name}. Convert it first, by "
                           "input.float().")
    return apply_op(reduce.mean_op, (x,), _dimensions(dim, keepdim))


@flowing
def _as(x: Any, dtype: Any) -> Any:
    return _in(x, dtype)


@flowing
def prod(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The product over a dimension, or of all elements."""
    return reduce.prod(_in(input, dtype), _over(dim), keepdim=keepdim)


@flowing
def all(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether all elements are true, or not 0."""
    return reduce.all(_truth(input), _over(dim), keepdim=keepdim)


@flowing
def any(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether an element is true, or not 0."""
    return reduce.any(_truth(input), _over(dim), keepdim=keepdim)


def _truth(x: Any) -> Any:
    return casting.cast(x, "bool")


amax = flowing(lambda input, dim=None, keepdim=False: reduce.amax(input, _over(dim), keepdim))
amin = flowing(lambda input, dim=None, keepdim=False: reduce.amin(input, _over(dim), keepdim))
amax.__doc__ = "The largest element over dimensions; equal ones share the gradient."
amin.__doc__ = "The smallest element over dimensions; equal ones share the gradient."


def _extreme(whole: Callable, place: Callable, of_two: Callable, result: Callable, name: str, doc: str) -> Callable:
    def function(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        second = dim if is_value(dim) else other
        if second is not None:
            return of_two(input, second)
        if dim is None:
            return whole(input)
        if isinstance(dim, (tuple, list)):
            raise TypeError(f"{name}(dim): must be an int. Received {dim!r}. flow.a{name} takes several dimensions.")
        indices = place(input, dim, True)
        values = _take_along(input, indices, dim)
        if not keepdim:
            values, indices = _without(values, dim), _without(indices, dim)
        return result(values, indices)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return flowing(function)


def _take_along(x: Any, indices: Any, dim: int) -> Any:
    from ...ops.array.take_along_axis import take_along_axis

    return take_along_axis(x, indices, dim)


def _without(x: Any, dim: int) -> Any:
    from ...ops.array.reshape import squeeze

    return squeeze(x, dim)


max = _extreme(reduce.amax, extreme_positions.argmax, maximum, max_result, "max",
               "The largest element; with `dim` those along it, with their places; of two values the larger of each.")
min = _extreme(reduce.amin, extreme_positions.argmin, minimum, min_result, "min",
               "The smallest element; with `dim` those along it, with their places; of two values the smaller of each.")


@flowing
def argmax(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The place of the largest element, of all or along a dimension."""
    return extreme_positions.argmax(input, dim, keepdim)


@flowing
def argmin(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The place of the smallest element, of all or along a dimension."""
    return extreme_positions.argmin(input, dim, keepdim)


@flowing
def sort(input: Any, dim: int = -1, descending: bool = False) -> Any:
    """The elements in order along a dimension, and the places (int32) that they had.

    >>> import proa.oneflow as flow
    >>> values, indices = flow.sort(flow.tensor([3.0, 1.0, 2.0]))
    >>> values.tolist(), indices.tolist()
    ([1.0, 2.0, 3.0], [1, 2, 0])
    """
    order = sorting.argsort(input, dim, descending)
    return sort_result(_take_along(input, order, dim), casting.cast(order, "int32"))


@flowing
def argsort(input: Any, dim: int = -1, descending: bool = False) -> Any:
    """The places (int32) of the elements in order along a dimension."""
    return casting.cast(sorting.argsort(input, dim, descending), "int32")


@flowing
def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The k largest elements along a dimension, or the smallest, and their places."""
    values, indices = sorting.topk(input, k, -1 if dim is None else dim, largest, sorted)
    return topk_result(values, indices)


@flowing
def median(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median, the lower of two; with `dim` those along it, with their places."""
    if dim is None:
        from ...ops.array.reshape import flatten

        flat = flatten(input)
        return sorting.kthvalue(flat, (reduce_size(flat) + 1) // 2)[0]
    values, indices = sorting.kthvalue(input, (input.shape[dim] + 1) // 2, dim, keepdim)
    return median_result(values, indices)


@flowing
def var(input: Any, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Any:
    """The variance over dimensions; `unbiased` divides by one less than the number of elements."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return statistics.var(input, _over(dim), unbiased, keepdim)


@flowing
def std(input: Any, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Any:
    """The standard deviation over dimensions; `unbiased` divides by one less than the number of elements."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return statistics.std(input, _over(dim), unbiased, keepdim)


@flowing
def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """log(sum(exp(input))) over dimensions, without overflow."""
    return statistics.logsumexp(input, _over(dim), keepdim)


@flowing
def nansum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum over dimensions, NaN counting as 0."""
    return statistics.nansum(_in(input, dtype), _over(dim), keepdim=keepdim)


@flowing
def quantile(input: Any, q: Any, dim: Any = None, keepdim: bool = False, interpolation: str = "linear") -> Any:
    """Quantiles along a dimension, or of all elements, between the two nearest, in input's dtype.

    Several `q`, a tensor or a list of them, give results along a new first dimension.

    >>> import proa.oneflow as flow
    >>> flow.quantile(flow.tensor([1.0, 2.0, 4.0]), flow.tensor([0.5, 0.75])).tolist()
    [2.0, 3.0]
    """
    if interpolation != "linear":
        raise NotImplementedError(f"quantile(interpolation): must be 'linear'. Received {interpolation!r}.")
    if not input.dtype.is_floating:
        raise TypeError(f"quantile(input): must hold floats. Received {input.dtype.name}.")
    return statistics.quantile_of(input, q.tolist() if hasattr(q, "tolist") else q, dim, keepdim)


@flowing
def mode(input: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent element along a dimension, the smallest of several, and a place where it stands."""
    return mode_result(*sorting.mode(input, dim, keepdim))


@flowing
def cumsum(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """The running sum along a dimension."""
    return cumulative.cumsum(_in(input, dtype), dim)


@flowing
def cumprod(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """The running product along a dimension."""
    return cumulative.cumprod(_in(input, dtype), dim)


def _usual_dim(x: Any, dim: int | None) -> int:
    return dim if dim is not None else 0 if len(x.shape) in (0, 1, 3) else 1


@flowing
def softmax(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
    """exp(input) / sum(exp(input)) along a dimension.

    >>> import proa.oneflow as flow
    >>> flow.softmax(flow.zeros(2, 4), dim=1)[0].tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    return F.softmax(_in(input, dtype), _usual_dim(input, dim))


@flowing
def log_softmax(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
    """log(softmax(input, dim)), without overflow."""
    return F.log_softmax(_in(input, dtype), _usual_dim(input, dim))


@flowing
def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each whole number from 0 on occurs."""
    return sorting.bincount(input, weights, minlength or 0)


@flowing
def unique(input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
           dtype: Any = None) -> Any:
    """The distinct elements; on request with where each element's is among these, and how often it occurs.

    They are in order, or with `sorted=False` as they come first. Places, in input's shape, and numbers are of `dtype`,
    int32 by default.

    >>> import proa.oneflow as flow
    >>> x = flow.tensor([3, 1, 2, 0, 2])
    >>> flow.unique(x, sorted=False, return_counts=True)[0].tolist(), flow.unique(x, return_inverse=True)[1].tolist()
    ([3, 1, 2, 0], [3, 1, 2, 0, 2])
    """
    values, first, places, counts = sorting.unique(input, True, True, True)
    if not sorted:
        order = sorting.argsort(first)
        values, counts = index_select(values, order), index_select(counts, order)
        places = index_select(sorting.argsort(order), places)
    if not return_inverse and not return_counts:
        return values
    wanted = [reshape(places, list(input.shape))] if return_inverse else []
    wanted += [counts] if return_counts else []
    found_in = "int32" if dtype is None else to_dtype("unique(dtype)", dtype)
    return (values, *(casting.cast(part, found_in) for part in wanted))


@flowing
def trace(input: Any) -> Any:
    """The sum of a matrix's diagonal."""
    return diagonal.trace(input)


def numel(input: Any) -> int:
    """The number of elements."""
    return reduce_size(input)



"""Order and choice: sort, topk, searchsorted, unique, unique_consecutive, bincount, histogram, kthvalue, mode."""


from typing import Any

from ...backend.engines import LOOPS
from ...backend.kernels import binary_search
from ...backend.kernels import select as fast_select
from ...backend.kernels import sort as fast_sort
from ...backend.kernels import unique as fast_unique
from ...backend.repeats import bincount as counted
from ...core import dtype as dt
from ...core.dtype import DType, convert_dtype
from ..core.infer import normalize_axis, product
from ..core.kernels import by, with_an_axis
from ..core.operator import Ints, operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of
from ..math.unary import isnan
from .fed_axes import numbers_in, only_a_run_tells
from .full import full_of_shape, is_value, value_of
from .reshape import axis_of, squeeze
from .slices import Ranges
from .take_along_axis import put_along_op, take_along_axis
from .where import where


def _put_back(g: Any, indices: Any, shape: Any, axis: int) -> Any:
    """The gradient of elements that were taken along an axis."""
    return apply(put_along_op, full_of_shape(shape, 0.0, dtype_of(g)), indices, g, Axis=axis, Reduce="add")


# sort, topk

def _order(xp, x, axis, descending):
    """The positions that sort x; equal elements keep their order."""
    if not descending:
        return xp.argsort(x, axis=axis, kind="stable")
    size = x.shape[axis]
    return size - 1 - xp.flip(xp.argsort(xp.flip(x, axis), axis=axis, kind="stable"), axis)


def _argsort(xp, x, *, axis: int = -1, descending: bool = False):
    if x.ndim == 0:
        return x.copy(), xp.zeros((), "int64")
    order = _order(xp, x, axis, descending)
    return xp.take_along_axis(x, order, axis), order.astype("int64", copy=False)


def _infer_argsort(x, *, axis=-1, descending=False):
    normalize_axis("sort(x, axis)", axis, x.rank)
    return x, Spec(x.shape, dt.int64)


argsort_op = operator("argsort", "X -> Out, Indices", kernel=_argsort, infer=_infer_argsort,
                      engines=[by(LOOPS, fast_sort.argsort, fast_sort.LEAST)], compiled="argsort", grad={
    "X": lambda g, Indices, X_shape, axis: _put_back(g, Indices, X_shape, axis)}, ordered=True)


@results_named("sort")
def sort(x: Any, axis: int = -1, descending: bool = False, name: str | None = None) -> Any:
    """x with its elements in order along `axis`; equal ones keep theirs.

    >>> import proa as paddle
    >>> paddle.sort(paddle.to_tensor([3, 1, 2]), descending=True).tolist()
    [3, 2, 1]
    """
    return apply(argsort_op, x, axis=axis, descending=descending)[0]


def argsort(x: Any, axis: int = -1, descending: bool = False, name: str | None = None) -> Any:
    """The positions, int64, of the elements that `sort` brings to each place.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([3.0, 1.0, 2.0])
    >>> paddle.argsort(x).tolist(), paddle.argsort(x, descending=True).tolist()
    ([1, 2, 0], [0, 2, 1])
    """
    return apply(argsort_op, x, axis=axis, descending=descending)[1]


def _topk(xp, x, count=None, *, k: int = 1, axis: int = -1, largest: bool = True, sorted: bool = True):
    k = k if count is None else int(count.item())
    if not x.ndim:
        return tuple(part.reshape(()) for part in _topk(xp, x.reshape(1), k=k, largest=largest))
    size = x.shape[axis]
    if not 1 <= k <= size:
        raise ValueError(f"topk(x, k, axis): k must lie between 1 and the size {size} of the axis. Received k={k}.")
    first = (slice(None),) * (axis % x.ndim) + (slice(None, k),)
    if k * 16 >= size:
        order = _order(xp, x, axis, largest)[first]
        return xp.take_along_axis(x, order, axis), order.astype("int64", copy=False)
    last = (slice(None),) * (axis % x.ndim) + (slice(-k, None),)
    part = xp.argpartition(x, -k, axis)[last] if largest else xp.argpartition(x, k - 1, axis)[first]
    part = xp.sort(part, axis)  # so that of equal elements the first comes first
    values = xp.take_along_axis(x, part, axis)
    worst = (values.min if largest else values.max)(axis, keepdims=True)
    if not xp.array_equal((x == worst).sum(axis), xp.maximum((values == worst).sum(axis), 1)):
        # More elements equal the last one than were taken, and not the first of them; or it is a NaN.
        order = _order(xp, x, axis, largest)[first]
        return xp.take_along_axis(x, order, axis), order.astype("int64", copy=False)
    order = _order(xp, values, axis, largest)
    return xp.take_along_axis(values, order, axis), xp.take_along_axis(part, order, axis).astype("int64", copy=False)


def _infer_topk(x, count=None, *, k=1, axis=-1, largest=True, sorted=True):
    axis = normalize_axis("topk(x, k, axis)", axis, x.rank)
    k = k if count is None else -1
    if not x.rank:
        return x, Spec((), dt.int64)
    if (k < 1 and count is None) or (x.shape[axis] >= 0 and k > x.shape[axis]):
        raise ValueError(f"topk(x, k, axis): k must lie between 1 and the size {x.shape[axis]} of the axis. "
                         f"Received k={k}, x.shape={list(x.shape)}.")
    shape = (*x.shape[:axis], k, *x.shape[axis + 1:])
    return Spec(shape, x.dtype), Spec(shape, dt.int64)


topk_op = operator("top_k_v2", "X, K? -> Out, Indices", kernel=_topk, infer=_infer_topk,
                   engines=[by(LOOPS, fast_sort.topk, fast_sort.LEAST)], compiled="topk", grad={
    "X": lambda g, Indices, X_shape, axis: _put_back(g, Indices, X_shape, axis)}, ordered=True)


def topk(x: Any, k: Any, axis: int | None = None, largest: bool = True, sorted: bool = True,
         name: str | None = None) -> tuple[Any, Any]:
    """The k largest (or smallest) elements along `axis`, the last by default, in order, and their positions.

    >>> import proa as paddle
    >>> values, indices = paddle.topk(paddle.to_tensor([1, 9, 5]), 2)
    >>> values.tolist(), indices.tolist()
    ([9, 5], [1, 2])
    """
    tensor = k if is_value(k) else None
    return apply(topk_op, x, tensor, k=1 if tensor is not None else int(k), axis=-1 if axis is None else axis_of(axis),
                 largest=largest, sorted=sorted)


def kthvalue(x: Any, k: int, axis: int | None = None, keepdim: bool = False,
             name: str | None = None) -> tuple[Any, Any]:
    """The k-th smallest element along `axis`, the last by default, counted from 1, and its position.

    >>> import proa as paddle
    >>> values, index = paddle.kthvalue(paddle.to_tensor([[5.0, 1.0, 3.0]]), 2)
    >>> values.tolist(), index.tolist()
    ([3.0], [2])
    """
    x = value_of(x)
    axis = normalize_axis("kthvalue(x, k, axis)", -1 if axis is None else axis, x.ndim)
    size = x.shape[axis] if x.ndim else 1
    if not 1 <= k or k > size >= 0:
        raise ValueError(f"kthvalue(x, k): k must lie between 1 and {size}. Received {k}.")
    values, indices = apply(order_statistics_op, x, rank=k - 1, axis=axis)
    return (values, indices) if keepdim or not x.ndim else (squeeze(values, axis), squeeze(indices, axis))


@with_an_axis
def _order_statistics(xp, x, *, rank: int, count: int = 1, axis: int = -1, propagate_nan: bool = False):
    order = _order(xp, x, axis, False)
    found = xp.take(order, xp.arange(rank, rank + count), axis)
    if propagate_nan and x.dtype.kind == "f":
        last = xp.take(order, xp.full(count, x.shape[axis] - 1), axis)
        found = xp.where(xp.isnan(xp.take_along_axis(x, last, axis)), last, found)
    return xp.take_along_axis(x, found, axis), found.astype("int64", copy=False)


def _infer_order_statistics(x, *, rank, count=1, axis=-1, propagate_nan=False):
    axis = normalize_axis("order_statistics(x, axis)", axis, x.rank)
    shape = () if not x.rank else (*x.shape[:axis], count, *x.shape[axis + 1:])
    return Spec(shape, x.dtype), Spec(shape, dt.int64)


def _by_sorting(x: Any, *, rank: int, count: int = 1, axis: int = -1, propagate_nan: bool = False) -> tuple[Any, Any]:
    if not x.ndim:
        return apply(argsort_op, x, axis=axis, descending=False)
    ranges, last = Ranges(), Ranges()
    ranges.add(axis % x.ndim, rank, rank + count)
    values, indices = apply(argsort_op, x, axis=axis, descending=False)
    found = ranges.take(values)
    if propagate_nan and x.dtype.is_floating:
        last.add(axis % x.ndim, x.shape[axis] - 1, x.shape[axis])
        largest = last.take(values)
        found = where(isnan(largest), largest, found)
    return found, ranges.take(indices)


order_statistics_op = operator(
    "order_statistics", "X -> Out, Indices", kernel=_order_statistics, infer=_infer_order_statistics,
    composed=_by_sorting, engines=[by(LOOPS, fast_select.order_statistics, fast_select.LEAST)],
    compiled="order_statistics", grad={
        "X": lambda g, Indices, X_shape, axis: _put_back(g, Indices, X_shape, axis)}, ordered=True)
"""The elements that sorting would bring to `count` places from `rank` on; NaN for all where one is to spread."""


def mode(x: Any, axis: int = -1, keepdim: bool = False, name: str | None = None) -> tuple[Any, Any]:
    """The most frequent element along `axis` (the smallest of several), and the last position where it stands.

    >>> import proa as paddle
    >>> values, index = paddle.mode(paddle.to_tensor([[2.0, 1.0, 2.0], [3.0, 3.0, 1.0]]))
    >>> values.tolist(), index.tolist()
    ([2.0, 3.0], [2, 1])
    """
    x = value_of(x)
    axis = normalize_axis("mode(x, axis)", axis, x.ndim)
    places = apply(mode_op, x, axis=axis)
    if not x.ndim:
        return x.clone(), places
    values = take_along_axis(x, places, axis)
    if keepdim:
        return values, places
    ranges = Ranges()
    ranges.add(axis, 0, 1)
    ranges.decrease.append(axis)
    return ranges.take(values), ranges.take(places)


def _mode(xp, x, *, axis: int = -1):
    if not x.ndim:
        return xp.zeros((), "int64")
    moved = xp.moveaxis(x, axis, -1)
    n = moved.shape[-1]
    if not n:
        raise ValueError(f"mode(x, axis): must have an element along the axis. Received x.shape={list(x.shape)}.")
    rows = moved.reshape(moved.size // n, n)
    order = _order(xp, rows, -1, False)
    ordered = xp.take_along_axis(rows, order, -1)
    begins = xp.ones(rows.shape, "bool")
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    run = xp.cumsum(begins.reshape(-1)) - 1
    lengths = (xp.bincount(run) if run.size else run)[run].reshape(rows.shape)
    first = xp.argmax(lengths, -1)[:, None]  # where the longest run begins, of the smallest element
    last = xp.take_along_axis(order, first + xp.take_along_axis(lengths, first, -1) - 1, -1)  # equal ones: as they lie
    if x.dtype.kind == "f":  # of a row with a NaN its last element
        last = xp.where(xp.isnan(ordered[:, -1:]), n - 1, last)
    return xp.expand_dims(last.reshape(moved.shape[:-1]), axis).astype("int64", copy=False)


mode_op = operator("mode_positions", "X -> Out", kernel=_mode, infer=lambda x, *, axis=-1: Spec(
    tuple(1 if n == axis % x.rank else size for n, size in enumerate(x.shape)), dt.int64), only_here=True, ordered=True)


def _searchsorted(xp, sequence, values, *, out_int32: bool = False, right: bool = False):
    side, dtype = "right" if right else "left", "int32" if out_int32 else "int64"
    if sequence.ndim == 1:
        return xp.searchsorted(sequence, values, side).astype(dtype)
    if sequence.shape[:-1] != values.shape[:-1]:
        raise ValueError("searchsorted(sorted_sequence, values): must have the same sizes but for the last. Received "
                         f"{list(sequence.shape)} and {list(values.shape)}.")
    if not sequence.size or not values.size:  # every place is the first
        return xp.zeros(values.shape, dtype)
    rows, wanted = sequence.reshape(-1, sequence.shape[-1]), values.reshape(-1, values.shape[-1])
    found = [xp.searchsorted(row, value, side) for row, value in zip(rows, wanted, strict=True)]
    return xp.stack(found).reshape(values.shape).astype(dtype)


searchsorted_op = operator(
    "searchsorted", "SortedSequence, Values -> Out", kernel=_searchsorted,
    engines=[by(LOOPS, binary_search.searchsorted, binary_search.LEAST)],
    infer=lambda s, v, *, out_int32=False, right=False: Spec(v.shape, dt.int32 if out_int32 else dt.int64), lod="drop",
    ordered=True)


def searchsorted(sorted_sequence: Any, values: Any, out_int32: bool = False, right: bool = False,
                 name: str | None = None) -> Any:
    """Where each value would go into the sorted sequence, before (right: behind) equal elements.

    >>> import proa as paddle
    >>> paddle.searchsorted(paddle.to_tensor([1, 3, 5]), paddle.to_tensor([0, 3, 9])).tolist()
    [0, 1, 3]
    """
    return apply(searchsorted_op, sorted_sequence, values, out_int32=out_int32, right=right)


def bucketize(x: Any, sorted_sequence: Any, out_int32: bool = False, right: bool = False,
              name: str | None = None) -> Any:
    """As `searchsorted` with a 1-D sequence, the arguments exchanged.

    >>> import proa as paddle
    >>> paddle.bucketize(paddle.to_tensor([0, 3, 9]), paddle.to_tensor([1, 3, 5])).tolist()
    [0, 1, 3]
    """
    sorted_sequence = value_of(sorted_sequence)
    if sorted_sequence.ndim != 1:
        raise ValueError("bucketize(sorted_sequence): must be 1-D. Received shape "
                         f"{list(sorted_sequence.shape)}. Use paddle.searchsorted for a sequence a row.")
    return searchsorted(sorted_sequence, x, out_int32, right)


# unique, counts

def _unique(xp, x, *, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
            axis: Ints = (), dtype: DType = dt.int64, is_sorted: bool = True):
    values, index, inverse, counts = xp.unique(x, True, True, True, axis[0] if axis else None)
    if not is_sorted:  # as Paddle 1.x has it: in the order in which they occur, and always with where each went
        order, return_inverse = xp.argsort(index), True
        values, index, counts = xp.take(values, order, axis[0] if axis else 0), index[order], counts[order]
        inverse = xp.argsort(order)[inverse.reshape(-1)]
    wanted = (index, return_index), (inverse.reshape(-1), return_inverse), (counts, return_counts)
    return values, *[a.astype(dtype.dtype) if want else xp.zeros(0, dtype.dtype) for a, want in wanted]


def _infer_unique(x, *, return_index=False, return_inverse=False, return_counts=False, axis=(), dtype=dt.int64,
                  is_sorted=True):
    shape = (-1,) if not axis else tuple(-1 if n == axis[0] % x.rank else s for n, s in enumerate(x.shape))
    return Spec(shape, x.dtype), Spec((-1,), dtype), Spec((-1,), dtype), Spec((-1,), dtype)


unique_op = operator("unique", "X -> Out, Indices?, Index, Counts?", kernel=_unique, infer=_infer_unique,
                     engines=[by(LOOPS, fast_unique.unique, fast_unique.LEAST)], compiled="unique", lod="drop")


def unique(x: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
           axis: int | None = None, dtype: Any = "int64", name: str | None = None) -> Any:
    """The different elements of x (or its slices along `axis`) in order; and on demand where each stands first, where
    each element of x went, and how often each occurs.

    >>> import proa as paddle
    >>> paddle.unique(paddle.to_tensor([2, 3, 2])).tolist()
    [2, 3]
    """
    wanted = (True, return_index, return_inverse, return_counts)
    results = apply(unique_op, x, return_index=return_index, return_inverse=return_inverse,
                    return_counts=return_counts, axis=[] if axis is None else [axis], dtype=convert_dtype(dtype))
    chosen = tuple(r for r, want in zip(results, wanted, strict=True) if want)
    return chosen if len(chosen) > 1 else chosen[0]


def _bincount(xp, x, weights=None, *, minlength: int = 0):
    counts = counted(xp, "bincount(x)", x, weights, minlength)
    return counts.astype("int64" if weights is None else weights.dtype, copy=False)


bincount_op = operator("bincount", "X, Weights? -> Out", kernel=_bincount,
                       infer=lambda x, weights=None, *, minlength=0: Spec(
                           (-1,), dt.int64 if weights is None else weights.dtype), fails="values")


def _bincount_of_fed(xp, x, weights, minlength):
    return _bincount(xp, x, weights, minlength=numbers_in([minlength])[0])


bincount_of_fed_op = operator(
    "bincount_of_fed", "X, Weights?, minlength@ -> Out", kernel=_bincount_of_fed, stands_for=bincount_op,
    infer=lambda x, weights, minlength: Spec((-1,), dt.int64 if weights is None else weights.dtype), fails="values")


def bincount(x: Any, weights: Any = None, minlength: int = 0, name: str | None = None) -> Any:
    """How often each integer from 0 on occurs in x, 1-D; or the sum of its weights, in float64 of integers.

    >>> import proa as paddle
    >>> paddle.bincount(paddle.to_tensor([0, 2, 2])).tolist()
    [1, 0, 2]
    """
    if weights is not None and not weights.dtype.is_differentiable:
        weights = cast(weights, dt.float64)
    if only_a_run_tells(minlength):
        return apply(bincount_of_fed_op, x, weights, minlength)
    return apply(bincount_op, x, weights, minlength=minlength)


def _histogram(xp, x, *, bins: int = 100, min: int = 0, max: int = 0):
    low, high = (float(x.min()), float(x.max())) if min == max and x.size else (float(min), float(max))
    high, low = (high + 1, low - 1) if low == high else (high, low)
    return xp.histogram(x, bins, (low, high))[0].astype("int64")


def _infer_histogram(x, *, bins=100, min=0, max=0):
    if bins < 1 or max < min:
        raise ValueError(f"histogram(input, bins, min, max): there must be a bin, and max not lie below min. "
                         f"Received bins={bins}, min={min}, max={max}.")
    return Spec((bins,), dt.int64)


histogram_op = operator("histogram", "X -> Out", kernel=_histogram, infer=_infer_histogram)


def histogram(input: Any, bins: Any = 100, min: Any = 0, max: Any = 0, name: str | None = None) -> Any:
    """How many elements fall into each of `bins` equal ranges from `min` to `max` (by default of the elements).

    >>> import proa as paddle
    >>> paddle.histogram(paddle.to_tensor([1.0, 2.0, 1.0]), bins=2, min=0, max=3).tolist()
    [2, 1]
    """
    bins, min, max = (one.item() if is_value(one) else one for one in (bins, min, max))
    if value_of(input).dtype.is_complex:
        raise TypeError("histogram(input): complex numbers have no order. Take paddle.abs(x), or paddle.real(x).")
    return apply(histogram_op, input, bins=bins, min=min, max=max)


def _consecutive(xp, x, *, return_inverse: bool = False, return_counts: bool = False, axis: Ints = (),
                 dtype: dt.DType = dt.int64):
    rows = x.reshape(-1, 1) if not axis else xp.moveaxis(x, axis[0], 0).reshape(x.shape[axis[0]], -1)
    starts = xp.ones(rows.shape[0], bool)
    starts[1:] = (rows[1:] != rows[:-1]).any(1)
    first = xp.flatnonzero(starts)
    values = x.reshape(-1)[first] if not axis else xp.take(x, first, axis[0])
    counts = xp.diff(first, append=xp.asarray([rows.shape[0]]))
    return values, (xp.cumsum(starts) - 1).astype(dtype.dtype), counts.astype(dtype.dtype)


def _infer_consecutive(x, *, return_inverse=False, return_counts=False, axis=(), dtype=dt.int64):
    shape = (-1,) if not axis else tuple(-1 if n == axis[0] % x.rank else s for n, s in enumerate(x.shape))
    count = product(x.shape) if not axis else x.shape[axis[0]]
    return Spec(shape, x.dtype), Spec((count if -1 not in x.shape else -1,), dtype), Spec((-1,), dtype)


unique_consecutive_op = operator("unique_consecutive", "X -> Out, Index?, Counts?", kernel=_consecutive,
                                 infer=_infer_consecutive, lod="drop")


def unique_consecutive(x: Any, return_inverse: bool = False, return_counts: bool = False, axis: int | None = None,
                       dtype: Any = "int64", name: str | None = None) -> Any:
    """x without elements (slices along `axis`) that equal the one before; on demand where each went, and run lengths.

    >>> import proa as paddle
    >>> paddle.unique_consecutive(paddle.to_tensor([1, 1, 2, 1])).tolist()
    [1, 2, 1]
    """
    results = apply(unique_consecutive_op, x, return_inverse=return_inverse, return_counts=return_counts,
                    axis=[] if axis is None else [axis], dtype=convert_dtype(dtype))
    wanted = (True, return_inverse, return_counts)
    chosen = tuple(r for r, want in zip(results, wanted, strict=True) if want)
    return chosen if len(chosen) > 1 else chosen[0]

"""Order and choice: sort, topk, searchsorted, unique, isclose, clip, bincount, histogram, kthvalue, mode."""


from typing import Any

from ..core import dtype as dt
from ..core.dtype import DType, convert_dtype
from .creation import full_of_shape, is_value
from .elementwise import cast, dtype_of
from .gather import put_along_op, take_along_axis
from .infer import broadcast_shapes, normalize_axis
from .operator import Ints, operator
from .slicing import Ranges
from .spec import Spec
from .trace import apply


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


argsort_op = operator("argsort", "X -> Out, Indices", kernel=_argsort, infer=_infer_argsort, grad={
    "X": lambda g, Indices, X_shape, axis: _put_back(g, Indices, X_shape, axis)})


def sort(x: Any, axis: int = -1, descending: bool = False, name: str | None = None) -> Any:
    """x with its elements in order along `axis`; equal ones keep theirs.

    >>> import proa as paddle
    >>> paddle.sort(paddle.to_tensor([3, 1, 2]), descending=True).tolist()
    [3, 2, 1]
    """
    return apply(argsort_op, x, axis=axis, descending=descending)[0]


def argsort(x: Any, axis: int = -1, descending: bool = False, name: str | None = None) -> Any:
    """The positions, int64, of the elements that `sort` brings to each place."""
    return apply(argsort_op, x, axis=axis, descending=descending)[1]


def _topk(xp, x, count=None, *, k: int = 1, axis: int = -1, largest: bool = True, sorted: bool = True):
    k = k if count is None else int(count.item())
    size = x.shape[axis]
    if k > size:
        raise ValueError(f"topk(x, k, axis): k must not exceed the size {size} of the axis. Received k={k}.")
    first = (slice(None),) * (axis % x.ndim) + (slice(None, k),)
    if k * 16 >= size:
        order = _order(xp, x, axis, largest)[first]
        return xp.take_along_axis(x, order, axis), order.astype("int64", copy=False)
    last = (slice(None),) * (axis % x.ndim) + (slice(-k, None),)
    part = xp.argpartition(x, -k, axis)[last] if largest else xp.argpartition(x, k - 1, axis)[first]
    part.sort(axis)  # so that of equal elements the first comes first
    values = xp.take_along_axis(x, part, axis)
    order = _order(xp, values, axis, largest)
    return xp.take_along_axis(values, order, axis), xp.take_along_axis(part, order, axis).astype("int64", copy=False)


def _infer_topk(x, count=None, *, k=1, axis=-1, largest=True, sorted=True):
    axis = normalize_axis("topk(x, k, axis)", axis, x.rank)
    k = k if count is None else -1
    if k == 0 or (x.shape[axis] >= 0 and k > x.shape[axis]):
        raise ValueError(f"topk(x, k, axis): k must lie between 1 and the size {x.shape[axis]} of the axis. "
                         f"Received k={k}, x.shape={list(x.shape)}.")
    shape = (*x.shape[:axis], k, *x.shape[axis + 1:])
    return Spec(shape, x.dtype), Spec(shape, dt.int64)


topk_op = operator("top_k_v2", "X, K? -> Out, Indices", kernel=_topk, infer=_infer_topk, grad={
    "X": lambda g, Indices, X_shape, axis: _put_back(g, Indices, X_shape, axis)})


def topk(x: Any, k: Any, axis: int | None = None, largest: bool = True, sorted: bool = True,
         name: str | None = None) -> tuple[Any, Any]:
    """The k largest (or smallest) elements along `axis`, the last by default, in order, and their positions.

    >>> import proa as paddle
    >>> values, indices = paddle.topk(paddle.to_tensor([1, 9, 5]), 2)
    >>> values.tolist(), indices.tolist()
    ([9, 5], [1, 2])
    """
    tensor = k if is_value(k) else None
    return apply(topk_op, x, tensor, k=1 if tensor is not None else int(k), axis=-1 if axis is None else axis,
                 largest=largest, sorted=sorted)


def kthvalue(x: Any, k: int, axis: int | None = None, keepdim: bool = False, name: str | None = None) -> tuple[Any, Any]:
    """The k-th smallest element along `axis`, the last by default, counted from 1, and its position."""
    axis = normalize_axis("kthvalue(x, k, axis)", -1 if axis is None else axis, x.ndim)
    if not 1 <= k or k > x.shape[axis] >= 0:
        raise ValueError(f"kthvalue(x, k): k must lie between 1 and {x.shape[axis]}. Received {k}.")
    ranges = Ranges()
    ranges.add(axis, k - 1, k)
    if not keepdim:
        ranges.decrease.append(axis)
    values, indices = apply(argsort_op, x, axis=axis, descending=False)
    return ranges.take(values), ranges.take(indices)


def mode(x: Any, axis: int = -1, keepdim: bool = False, name: str | None = None) -> tuple[Any, Any]:
    """The most frequent element along `axis` (the smallest of several), and the last position where it stands."""
    axis = normalize_axis("mode(x, axis)", axis, x.ndim)
    places = apply(mode_op, x, axis=axis)
    values = take_along_axis(x, places, axis)
    if keepdim:
        return values, places
    ranges = Ranges()
    ranges.add(axis, 0, 1)
    ranges.decrease.append(axis)
    return ranges.take(values), ranges.take(places)


def _mode(xp, x, *, axis: int = -1):
    rows = xp.moveaxis(x, axis, -1)
    counts = (rows[..., :, None] == rows[..., None, :]).sum(-1)
    best = xp.where(counts == counts.max(-1, keepdims=True), rows, rows.max(-1, keepdims=True))
    is_mode = (rows == best.min(-1, keepdims=True)) & (counts == counts.max(-1, keepdims=True))
    last = rows.shape[-1] - 1 - xp.argmax(xp.flip(is_mode, -1), -1)
    return xp.expand_dims(last, axis).astype("int64", copy=False)


mode_op = operator("mode_positions", "X -> Out", kernel=_mode, infer=lambda x, *, axis=-1: Spec(
    tuple(1 if n == axis % x.rank else size for n, size in enumerate(x.shape)), dt.int64))


def _searchsorted(xp, sequence, values, *, out_int32: bool = False, right: bool = False):
    side, dtype = "right" if right else "left", "int32" if out_int32 else "int64"
    if sequence.ndim == 1:
        return xp.searchsorted(sequence, values, side).astype(dtype)
    rows, wanted = sequence.reshape(-1, sequence.shape[-1]), values.reshape(-1, values.shape[-1])
    found = [xp.searchsorted(row, value, side) for row, value in zip(rows, wanted, strict=True)]
    return xp.stack(found).reshape(values.shape).astype(dtype)


searchsorted_op = operator(
    "searchsorted", "SortedSequence, Values -> Out", kernel=_searchsorted,
    infer=lambda s, v, *, out_int32=False, right=False: Spec(v.shape, dt.int32 if out_int32 else dt.int64))


def searchsorted(sorted_sequence: Any, values: Any, out_int32: bool = False, right: bool = False,
                 name: str | None = None) -> Any:
    """Where each value would go into the sorted sequence, before (right: behind) equal elements."""
    return apply(searchsorted_op, sorted_sequence, values, out_int32=out_int32, right=right)


def bucketize(x: Any, sorted_sequence: Any, out_int32: bool = False, right: bool = False, name: str | None = None) -> Any:
    """As `searchsorted` with a 1-D sequence, the arguments exchanged."""
    return searchsorted(sorted_sequence, x, out_int32, right)


# unique, counts

def _unique(xp, x, *, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
            axis: Ints = (), dtype: DType = dt.int64, is_sorted: bool = True):
    values, index, inverse, counts = xp.unique(x, True, True, True, axis[0] if axis else None)
    kind = dtype.dtype
    return values, index.astype(kind), inverse.reshape(-1).astype(kind), counts.astype(kind)


def _infer_unique(x, *, return_index=False, return_inverse=False, return_counts=False, axis=(), dtype=dt.int64,
                  is_sorted=True):
    shape = (-1,) if not axis else tuple(-1 if n == axis[0] % x.rank else s for n, s in enumerate(x.shape))
    return Spec(shape, x.dtype), Spec((-1,), dtype), Spec((-1,), dtype), Spec((-1,), dtype)


unique_op = operator("unique", "X -> Out, Indices, Index, Counts", kernel=_unique, infer=_infer_unique)


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
    counts = xp.bincount(x, weights, minlength)
    return counts.astype("int64" if weights is None else weights.dtype, copy=False)


bincount_op = operator("bincount", "X, Weights? -> Out", kernel=_bincount,
                       infer=lambda x, weights=None, *, minlength=0: Spec(
                           (-1,), dt.int64 if weights is None else weights.dtype))


def bincount(x: Any, weights: Any = None, minlength: int = 0, name: str | None = None) -> Any:
    """How often each integer from 0 on occurs in x, 1-D; or the sum of its weights."""
    return apply(bincount_op, x, weights, minlength=minlength)


def _histogram(xp, x, *, bins: int = 100, min: int = 0, max: int = 0):
    low, high = (float(x.min()), float(x.max())) if min == max == 0 and x.size else (min, max)
    high, low = (high + 1, low - 1) if low == high else (high, low)
    return xp.histogram(x, bins, (low, high))[0].astype("int64")


histogram_op = operator("histogram", "X -> Out", kernel=_histogram,
                        infer=lambda x, *, bins=100, min=0, max=0: Spec((bins,), dt.int64))


def histogram(input: Any, bins: int = 100, min: int = 0, max: int = 0, name: str | None = None) -> Any:
    """How many elements fall into each of `bins` equal ranges from `min` to `max` (by default of the elements)."""
    return apply(histogram_op, input, bins=bins, min=min, max=max)


# comparison with a tolerance

def _isclose(xp, x, y, rtol_tensor=None, atol_tensor=None, *, rtol: str = "1e-05", atol: str = "1e-08",
             equal_nan: bool = False):
    rtol = float(rtol) if rtol_tensor is None else rtol_tensor.item()
    return xp.isclose(x, y, rtol, float(atol) if atol_tensor is None else atol_tensor.item(), equal_nan)


def _allclose(xp, x, y, rtol_tensor=None, atol_tensor=None, *, rtol: str = "1e-05", atol: str = "1e-08",
              equal_nan: bool = False):
    return _isclose(xp, x, y, rtol_tensor, atol_tensor, rtol=rtol, atol=atol, equal_nan=equal_nan).all()


isclose_op = operator("isclose", "Input, Other, Rtol?, Atol? -> Out", kernel=_isclose, infer=lambda x, y, *_, **__: Spec(
    broadcast_shapes("isclose(x, y)", x.shape, y.shape), dt.bool_))
allclose_op = operator("allclose", "Input, Other, Rtol?, Atol? -> Out", kernel=_allclose,
                       infer=lambda *_, **__: Spec((), dt.bool_))
equal_all_op = operator("equal_all", "X, Y -> Out", kernel=lambda xp, x, y: xp.asarray(
    x.shape == y.shape and bool((x == y).all())), infer=lambda x, y: Spec((), dt.bool_))
is_empty_op = operator("is_empty", "X -> Out", kernel=lambda xp, x: xp.asarray(x.size == 0),
                       infer=lambda x: Spec((), dt.bool_))


def isclose(x: Any, y: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False,
            name: str | None = None) -> Any:
    """|x - y| <= atol + rtol * |y|, element by element."""
    return apply(isclose_op, x, y, None, None, rtol=str(rtol), atol=str(atol), equal_nan=equal_nan)


def allclose(x: Any, y: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False,
             name: str | None = None) -> Any:
    """True when `isclose` holds for every element."""
    return apply(allclose_op, x, y, None, None, rtol=str(rtol), atol=str(atol), equal_nan=equal_nan)


def equal_all(x: Any, y: Any, name: str | None = None) -> Any:
    """True when x and y have one shape and equal elements."""
    return apply(equal_all_op, x, y)


def is_empty(x: Any, name: str | None = None) -> Any:
    """True when x has no elements."""
    return apply(is_empty_op, x)


# clip

def _limits(x, low_tensor, high_tensor, low, high):
    """The limits in x's dtype: those of an integer dtype hold the attributes' floats only in part."""
    low = low if low_tensor is None else low_tensor.item()
    high = high if high_tensor is None else high_tensor.item()
    return (None if low <= -_LARGEST else low), (None if high >= _LARGEST else high)


_LARGEST = 3.4028234e38


def _clip(xp, x, low_tensor=None, high_tensor=None, *, min: float = -3.4028235e38, max: float = 3.4028235e38):
    low, high = _limits(x, low_tensor, high_tensor, min, max)
    if x.dtype.kind in "iu":
        info = xp.iinfo(x.dtype)
        low = None if low is None else int(_between(low, info))
        high = None if high is None else int(_between(high, info))
    if low is None and high is None:
        return x.copy()
    return xp.clip(x, low, high)


def _between(value: float, info: Any) -> float:
    return info.min if value < info.min else info.max if value > info.max else value


def _inside(xp, g, x, low_tensor=None, high_tensor=None, *, min: float = -3.4028235e38, max: float = 3.4028235e38):
    low, high = _limits(x, low_tensor, high_tensor, min, max)
    keep = xp.ones(x.shape, bool) if low is None else x >= low
    keep = keep if high is None else keep & (x <= high)
    return g * keep


clip_op = operator("clip", "X, Min?, Max? -> Out", kernel=_clip, infer=lambda x, *_, **__: x, grad={
    "X": lambda g, X, Min, Max, min, max: apply(inside_op, g, X, Min, Max, min=min, max=max)})
inside_op = operator("where_inside", "G, X, Min?, Max? -> Out", kernel=_inside, infer=lambda g, *_, **__: g, grad={
    "G": lambda g, X, Min, Max, min, max: apply(inside_op, g, X, Min, Max, min=min, max=max)})


def clip(x: Any, min: Any = None, max: Any = None, name: str | None = None) -> Any:
    """x with what is below `min` set to it, and what is above `max`; both are numbers, 0-d tensors or None.

    >>> import proa as paddle
    >>> paddle.clip(paddle.to_tensor([-1.0, 0.5, 3.0]), 0.0, 1.0).tolist()
    [0.0, 0.5, 1.0]
    """
    tensors = [cast(v, x.dtype) if is_value(v) else None for v in (min, max)]
    given = {name: float(v) for name, v in (("min", min), ("max", max)) if v is not None and not is_value(v)}
    return apply(clip_op, x, *tensors, **given)

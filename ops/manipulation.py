"""The shape of a value changed, its elements kept: reshape, transpose, squeeze, unsqueeze, flatten, expand, tile, …

A shape may be ints, a list with one-element tensors in it, or a tensor; in a reshape 0 copies a size and -1 is inferred.
"""


from collections.abc import Sequence
from typing import Any

from ..core import dtype as dt
from ..core.dtype import DType, convert_dtype
from .creation import inferred_sizes, is_value, shape_inputs, sizes_of, to_tensor
from .infer import broadcast_shapes, normalize_axis, product, same
from .operator import Ints, operator
from .shapes import reshape_to, sum_to
from .spec import Spec
from .trace import apply


def shape_handle(x: Any) -> Any:
    """The shape of a value of any trace as gradient rules use it: a tuple, or the value where a size is not known."""
    shape = tuple(x.shape)
    return x if -1 in shape else shape


def ints_of(value: Any) -> list[int]:
    """An axis, or several, as a list of ints."""
    if isinstance(value, (list, tuple)):
        return [int(n) for n in value]
    return [int(value)] if not is_value(value) or value.ndim == 0 else [int(n) for n in value]


# reshape

def _reshape(xp, x, shape_tensor=None, shape_list=None, *, shape: Ints = ()):
    sizes = list(sizes_of(shape, shape_tensor, shape_list))
    if 0 in sizes:
        sizes = [x.shape[n] if size == 0 and n < x.ndim else size for n, size in enumerate(sizes)]
    if x.size == 0 and -1 in sizes:
        sizes[sizes.index(-1)] = 0
    return x.reshape(sizes)


def _infer_reshape(x, shape_tensor=None, shape_list=None, *, shape=()):
    if shape_tensor is not None or shape_list:
        return Spec(inferred_sizes(shape, shape_tensor, shape_list), x.dtype)
    copied = [n for n, size in enumerate(shape) if size == 0]
    if copied and copied[-1] >= x.rank:
        raise ValueError(
            f"reshape(x, shape): a 0 copies the size of that dimension of x, which must exist. "
            f"Received x.shape={list(x.shape)}, shape={list(shape)}."
        )
    if list(shape).count(-1) > 1 or any(size < -1 for size in shape):
        raise ValueError(f"reshape(x, shape): one size may be -1 and the others not negative. Received {list(shape)}.")
    result = [x.shape[n] if size == 0 else size for n, size in enumerate(shape)]
    have = product([size for n, size in enumerate(x.shape) if n not in copied])
    want = product([size for size in shape if size > 0])
    if have >= 0:
        fits = have % want == 0 if -1 in shape else have == want
        if not fits and 0 not in x.shape:
            raise ValueError(
                f"reshape(x, shape): the number of elements must stay the same. "
                f"Received x.shape={list(x.shape)}, shape={list(shape)}."
            )
        if -1 in shape:
            result[list(shape).index(-1)] = have // want
    return Spec(tuple(result), x.dtype)


reshape_op = operator("reshape2", "X, Shape?, ShapeTensor*? -> Out, XShape!", kernel=_reshape, infer=_infer_reshape,
                      grad={"X": lambda g, X_shape: reshape_to(g, X_shape)})


def reshape(x: Any, shape: Any, name: str | None = None) -> Any:
    """x with its elements arranged, in order, in `shape`: 0 copies the size of that dimension, -1 is inferred.

    Raises ValueError when the number of elements differs.

    >>> import proa as paddle
    >>> paddle.reshape(paddle.zeros([2, 6]), [0, 3, -1]).shape
    [2, 3, 2]
    """
    attribute, tensor, parts = shape_inputs(shape)
    return apply(reshape_op, x, tensor, parts, shape=list(attribute))


def view(x: Any, shape_or_dtype: Any, name: str | None = None) -> Any:
    """x in another shape, or its memory read as another dtype of the same size an element."""
    if isinstance(shape_or_dtype, (list, tuple)):
        return reshape(x, shape_or_dtype)
    dtype = convert_dtype(shape_or_dtype)
    if dtype.itemsize != x.dtype.itemsize:
        raise ValueError(
            f"view(x, dtype): the elements must keep their size of {x.dtype.itemsize} bytes. Received {dtype.name}.")
    return apply(bitcast_op, x, dtype=dtype)


def _bitcast(xp, x, *, dtype: DType):
    return x.view(dtype.dtype)


bitcast_op = operator("view_dtype", "input -> out", kernel=_bitcast,
                      infer=lambda x, *, dtype: Spec(x.shape, dtype))


# transpose

def _transpose(xp, x, *, axis: Ints):
    return x.transpose(axis)


def _infer_transpose(x, *, axis):
    axes = [normalize_axis("transpose(x, perm)", n, x.rank) for n in axis]
    if sorted(axes) != list(range(x.rank)):
        raise ValueError(
            f"transpose(x, perm): perm must name each dimension of x once. "
            f"Received x.shape={list(x.shape)}, perm={list(axis)}."
        )
    return Spec(tuple(x.shape[n] for n in axes), x.dtype)


def _inverse(axis: Sequence[int]) -> list[int]:
    rank = len(axis)
    inverse = [0] * rank
    for position, n in enumerate(axis):
        inverse[n % rank] = position
    return inverse


transpose_op = operator("transpose2", "X -> Out, XShape!", kernel=_transpose, infer=_infer_transpose,
                        grad={"X": lambda g, axis: apply(transpose_op, g, axis=_inverse(axis))})


def transpose(x: Any, perm: Sequence[int], name: str | None = None) -> Any:
    """x with its dimensions in another order: dimension i of the result is dimension perm[i] of x.

    >>> import proa as paddle
    >>> paddle.transpose(paddle.zeros([2, 3, 4]), [2, 0, 1]).shape
    [4, 2, 3]
    """
    return apply(transpose_op, x, axis=ints_of(perm))


def t(input: Any, name: str | None = None) -> Any:
    """The transpose of a matrix; a vector or 0-d tensor as it is. Raises ValueError for more dimensions."""
    if input.ndim > 2:
        raise ValueError(
            f"t(input): input must have at most 2 dimensions. Received shape {list(input.shape)}. Use transpose(x, perm).")
    return input if input.ndim < 2 else transpose(input, [1, 0])


def reversed_axes(x: Any) -> Any:
    """x with its dimensions in reverse order."""
    return transpose(x, list(range(x.ndim))[::-1])


def moveaxis(x: Any, source: Any, destination: Any, name: str | None = None) -> Any:
    """x with dimensions moved from the positions `source` to `destination`, the others keeping their order."""
    what = "moveaxis(x, source, destination)"
    sources = [normalize_axis(what, n, x.ndim) for n in ints_of(source)]
    destinations = [normalize_axis(what, n, x.ndim) for n in ints_of(destination)]
    if len(sources) != len(destinations) or len(set(sources)) < len(sources) or len(set(destinations)) < len(sources):
        raise ValueError(f"{what}: as many destinations as sources, each once. Received {source} and {destination}.")
    order = [n for n in range(x.ndim) if n not in sources]
    for target, origin in sorted(zip(destinations, sources, strict=True)):
        order.insert(target, origin)
    return transpose(x, order)


def swapaxes(x: Any, axis0: int, axis1: int, name: str | None = None) -> Any:
    """x with two dimensions exchanged."""
    order = list(range(x.ndim))
    a, b = (normalize_axis("swapaxes(x, axis0, axis1)", n, x.ndim) for n in (axis0, axis1))
    order[a], order[b] = b, a
    return transpose(x, order)


# squeeze, unsqueeze, flatten

def _squeezed(axes: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """The sizes left; where axes are named, those of unknown size are taken to be 1."""
    if not axes:
        return [size for size in sizes if size != 1]
    named = {normalize_axis("squeeze(x, axis)", axis, len(sizes)) for axis in axes}
    return [size for n, size in enumerate(sizes) if n not in named or size not in (1, -1)]


def _squeeze(xp, x, *, axes: Ints = ()):
    return x.reshape(_squeezed(axes, x.shape))


squeeze_op = operator("squeeze2", "X -> Out, XShape!", kernel=_squeeze,
                      infer=lambda x, *, axes=(): Spec(tuple(_squeezed(axes, x.shape)), x.dtype),
                      grad={"X": lambda g, X_shape: reshape_to(g, X_shape)})


def squeeze(x: Any, axis: Any = None, name: str | None = None) -> Any:
    """x without its dimensions of size 1, or without those of `axis` that have size 1.

    >>> import proa as paddle
    >>> paddle.squeeze(paddle.zeros([1, 3, 1]), axis=-1).shape
    [1, 3]
    """
    return apply(squeeze_op, x, axes=[] if axis is None else ints_of(axis))


def _unsqueezed(axes: Sequence[int], sizes: Sequence[int]) -> tuple[int, ...]:
    result = list(sizes)
    for axis in axes:
        rank = len(result) + 1
        result.insert(normalize_axis("unsqueeze(x, axis)", axis, rank), 1)
    return tuple(result)


def _unsqueeze(xp, x, axes_tensor=None, axes_list=None, *, axes: Ints = ()):
    return x.reshape(_unsqueezed(sizes_of(axes, axes_tensor, axes_list), x.shape))


def _infer_unsqueeze(x, axes_tensor=None, axes_list=None, *, axes=()):
    if axes_tensor is not None or axes_list:
        extra = len(axes_list) if axes_list else axes_tensor.shape[0]
        return Spec((-1,) * (x.rank + extra), x.dtype)
    return Spec(_unsqueezed(axes, x.shape), x.dtype)


unsqueeze_op = operator("unsqueeze2", "X, AxesTensor?, AxesTensorList*? -> Out, XShape!", kernel=_unsqueeze,
                        infer=_infer_unsqueeze, grad={"X": lambda g, X_shape: reshape_to(g, X_shape)})


def unsqueeze(x: Any, axis: Any, name: str | None = None) -> Any:
    """x with a dimension of size 1 put in at each of `axis`, one after the other.

    >>> import proa as paddle
    >>> paddle.unsqueeze(paddle.zeros([3]), [0, -1]).shape
    [1, 3, 1]
    """
    attribute, tensor, parts = shape_inputs(axis)
    return apply(unsqueeze_op, x, tensor, parts, axes=list(attribute))


def _flattened(start_axis: int, stop_axis: int, sizes: Sequence[int]) -> tuple[int, ...]:
    rank = len(sizes)
    if rank == 0:
        return (1,)
    what = "flatten(x, start_axis, stop_axis)"
    start, stop = normalize_axis(what, start_axis, rank), normalize_axis(what, stop_axis, rank)
    if start > stop:
        raise ValueError(f"{what}: start_axis must not lie behind stop_axis. Received {start_axis} and {stop_axis}.")
    return (*sizes[:start], product(sizes[start:stop + 1]), *sizes[stop + 1:])


def _flatten(xp, x, *, start_axis: int = 1, stop_axis: int = 1):
    return x.reshape(_flattened(start_axis, stop_axis, x.shape))


flatten_op = operator("flatten_contiguous_range", "X -> Out, XShape!", kernel=_flatten,
                      infer=lambda x, *, start_axis=1, stop_axis=1: Spec(
                          _flattened(start_axis, stop_axis, x.shape), x.dtype),
                      grad={"X": lambda g, X_shape: reshape_to(g, X_shape)})


def flatten(x: Any, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Any:
    """x with the dimensions from `start_axis` to `stop_axis`, both included, made one.

    >>> import proa as paddle
    >>> paddle.flatten(paddle.zeros([2, 3, 4]), 1).shape
    [2, 12]
    """
    return apply(flatten_op, x, start_axis=start_axis, stop_axis=stop_axis)


# expand, tile

def _expanded(sizes: Sequence[int], wanted: Sequence[int]) -> tuple[int, ...]:
    """The wanted sizes, those of -1 (or, in files, -2 for a tensor's) being kept; ValueError where x does not fit."""
    extra = len(wanted) - len(sizes)
    result = tuple(size if size >= 0 else (sizes[n - extra] if n >= extra else -1) for n, size in enumerate(wanted))
    fits = extra >= 0 and all(have in (want, 1, -1) or want < 0 for have, want in zip(sizes, result[extra:], strict=False))
    if not fits or any(size == -1 for size in wanted[:extra]):
        raise ValueError(
            f"expand(x, shape): each size must be that of x, or -1 to keep it, or any where x has 1; counted from the "
            f"last dimension. Received x.shape={list(sizes)}, shape={list(wanted)}."
        )
    return result


def _expand(xp, x, shape_tensor=None, shape_list=None, *, shape: Ints = ()):
    return xp.broadcast_to(x, _expanded(x.shape, sizes_of(shape, shape_tensor, shape_list)))


def _infer_expand(x, shape_tensor=None, shape_list=None, *, shape=()):
    if shape_tensor is not None or shape_list:
        return Spec(tuple(max(n, -1) for n in inferred_sizes(shape, shape_tensor, shape_list)), x.dtype)
    return Spec(_expanded(x.shape, shape), x.dtype)


expand_op = operator("expand_v2", "X, Shape?, expand_shapes_tensor*? -> Out", kernel=_expand, infer=_infer_expand,
                     grad={"X": lambda g, X_shape: sum_to(g, X_shape)})


def _expand_as(xp, x, y=None, *, target_shape: Ints = ()):
    return xp.broadcast_to(x, _expanded(x.shape, target_shape if y is None else y.shape))


expand_as_op = operator("expand_as_v2", "X, Y? -> Out", kernel=_expand_as,
                        infer=lambda x, y=None, *, target_shape=(): Spec(
                            _expanded(x.shape, target_shape) if y is None else tuple(y.shape), x.dtype),
                        grad={"X": lambda g, X_shape: sum_to(g, X_shape)})


def expand(x: Any, shape: Any, name: str | None = None) -> Any:
    """x repeated along its dimensions of size 1, and new ones in front, to `shape`; -1 keeps a size.

    >>> import proa as paddle
    >>> paddle.expand(paddle.to_tensor([[1], [2]]), [2, 3]).tolist()
    [[1, 1, 1], [2, 2, 2]]
    """
    attribute, tensor, parts = shape_inputs(shape)
    return apply(expand_op, x, tensor, parts, shape=list(attribute))


def broadcast_to(x: Any, shape: Any, name: str | None = None) -> Any:
    """As `expand`."""
    return expand(x, shape)


def expand_as(x: Any, y: Any, name: str | None = None) -> Any:
    """x repeated to the shape of y."""
    return apply(expand_as_op, x, y, target_shape=list(y.shape))


def broadcast_shape(x_shape: Sequence[int], y_shape: Sequence[int]) -> list[int]:
    """The shape to which two shapes broadcast; ValueError when they do not.

    >>> import proa as paddle
    >>> paddle.broadcast_shape([2, 1, 3], [1, 3, 1])
    [2, 3, 3]
    """
    return list(broadcast_shapes("broadcast_shape", x_shape, y_shape))


def _repeats(repeat_times: Sequence[int], rank: int) -> tuple[int, ...]:
    return (1,) * (rank - len(repeat_times)) + tuple(repeat_times)


def _tile(xp, x, repeat_tensor=None, repeat_list=None, *, repeat_times: Ints = ()):
    return xp.tile(x, sizes_of(repeat_times, repeat_tensor, repeat_list))


def _infer_tile(x, repeat_tensor=None, repeat_list=None, *, repeat_times=()):
    times = inferred_sizes(repeat_times, repeat_tensor, repeat_list)
    times = _repeats(times, x.rank)
    sizes = (1,) * (len(times) - x.rank) + x.shape
    return Spec(tuple(-1 if -1 in pair else pair[0] * pair[1] for pair in zip(sizes, times, strict=True)), x.dtype)


def _fold_tiles(xp, g, repeat_tensor=None, repeat_list=None, *, repeat_times: Ints = (), rank: int):
    times = _repeats(sizes_of(repeat_times, repeat_tensor, repeat_list), g.ndim)
    parts = [n for size, count in zip(g.shape, times, strict=True) for n in (count, size // count if count else 0)]
    folded = g.reshape(parts).sum(axis=tuple(range(0, 2 * g.ndim, 2)), dtype=g.dtype)
    return folded.reshape(folded.shape[g.ndim - rank:])


def _infer_fold(g, repeat_tensor=None, repeat_list=None, *, repeat_times=(), rank):
    times = _repeats(inferred_sizes(repeat_times, repeat_tensor, repeat_list), g.rank)
    sizes = tuple(-1 if -1 in pair else pair[0] // pair[1] for pair in zip(g.shape, times, strict=True))
    return Spec(sizes[g.rank - rank:], g.dtype)


def _rank(shape: Any) -> int:
    return len(shape) if type(shape) is tuple else shape.ndim


tile_op = operator(
    "tile", "X, RepeatTimes?, repeat_times_tensor*? -> Out", kernel=_tile, infer=_infer_tile,
    grad={"X": lambda g, X_shape, RepeatTimes, repeat_times_tensor, repeat_times: apply(
        fold_tiles_op, g, RepeatTimes, repeat_times_tensor, repeat_times=repeat_times, rank=_rank(X_shape))})
fold_tiles_op = operator(
    "fold_tiles", "X, RepeatTimes?, repeat_times_tensor*? -> Out", kernel=_fold_tiles, infer=_infer_fold,
    grad={"X": lambda g, RepeatTimes, repeat_times_tensor, repeat_times: apply(
        tile_op, g, RepeatTimes, repeat_times_tensor, repeat_times=repeat_times)})


def tile(x: Any, repeat_times: Any, name: str | None = None) -> Any:
    """x laid side by side `repeat_times[i]` times along each dimension i; new dimensions come in front.

    >>> import proa as paddle
    >>> paddle.tile(paddle.to_tensor([1, 2]), [2, 2]).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    attribute, tensor, parts = shape_inputs(repeat_times)
    return apply(tile_op, x, tensor, parts, repeat_times=list(attribute))


# copies and facts

assign_op = operator("assign", "X -> Out", kernel=lambda xp, x: x.copy(), infer=same, grad={"X": lambda g: g})


def assign(x: Any, output: Any = None) -> Any:
    """A tensor with the value of x: a tensor, a number, (nested) lists of numbers or a NumPy array.

    `output`, when given, gets the value and is returned. Gradients flow from a tensor's copy to the tensor.

    >>> import proa as paddle
    >>> paddle.assign([1, 2]).tolist()
    [1, 2]
    """
    result = apply(assign_op, x) if is_value(x) else to_tensor(x)
    return result if output is None else output._rebind(result)


def clone(x: Any, name: str | None = None) -> Any:
    """A copy of x through which gradients flow."""
    return apply(assign_op, x)


def _increment(xp, x, *, step: float = 1.0):
    return x + xp.asarray(step, x.dtype)


increment_op = operator("increment", "X -> Out=X", kernel=_increment, infer=same)


def increment(x: Any, value: float = 1.0, name: str | None = None) -> Any:
    """Adds `value` to x, a tensor of one element, in place, and returns x."""
    return apply(increment_op, x, step=value)


def _shape(xp, x):
    return xp.asarray(x.shape, "int32")


shape_op = operator("shape", "Input -> Out", kernel=_shape, infer=lambda x: Spec((x.rank,), dt.int32))


def shape(input: Any) -> Any:
    """The sizes of `input` as a 1-D int32 tensor; in a Program, the sizes it will have when it runs.

    >>> import proa as paddle
    >>> paddle.shape(paddle.zeros([2, 3])).tolist()
    [2, 3]
    """
    return apply(shape_op, input)


def rank(input: Any) -> Any:
    """The number of dimensions, as a 0-d int32 tensor."""
    return to_tensor(input.ndim, "int32")


def _one_hot(xp, x, depth_tensor=None, *, depth: int = -1, dtype: DType = dt.float32, allow_out_of_range: bool = False):
    count = depth if depth_tensor is None else int(depth_tensor.item())
    if not allow_out_of_range and x.size and not bool(((x >= 0) & (x < count)).all()):
        raise ValueError(f"one_hot(x, num_classes): every value must lie in [0, {count}). Received {x}.")
    return (x[..., None] == xp.arange(count, dtype=x.dtype)).astype(dtype.dtype)


one_hot_op = operator(
    "one_hot_v2", "X, depth_tensor? -> Out", kernel=_one_hot,
    infer=lambda x, tensor=None, *, depth=-1, dtype=dt.float32, allow_out_of_range=False: Spec(
        (*x.shape, depth if tensor is None else -1), dtype))


def one_hot(x: Any, num_classes: Any, name: str | None = None) -> Any:
    """For each integer of x a row of zeros with a one at its place: shape [*x.shape, num_classes], default dtype.

    Raises ValueError where a value lies outside [0, num_classes).
    """
    tensor = num_classes if is_value(num_classes) else None
    return apply(one_hot_op, x, tensor, depth=-1 if tensor is not None else int(num_classes),
                 dtype=dt.get_default_dtype_object())

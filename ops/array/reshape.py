"""The shape of a value changed, its elements kept: reshape, transpose, squeeze, unsqueeze, flatten and their relatives.

A shape may be ints, a list with one-element tensors in it, or a tensor; in a reshape 0 copies a size, -1 is inferred.
The names of `copying` and `expand` can be had from here too.
"""


from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.in_order import reshaped
from ...core.dtype import DType, convert_dtype
from ...core.errors import AssertedError
from ..core.infer import normalize_axis, product
from ..core.operator import Ints, operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply
from .assign import assign_op, clone, increment, one_hot, rank, shape
from .expand import broadcast_shape, broadcast_to, expand, expand_as, tile
from .fed_axes import fed_values, numbers_in, only_a_run_tells, without_some
from .full import inferred_sizes, is_value, shape_inputs, sizes_of, value_of, whole
from .gradient_shapes import reshape_to
from .sizes import sizes_one_by_one

__all__ = [
    "assign_op", "broadcast_shape", "broadcast_to", "clone", "expand", "expand_as", "flatten",
    "flatten_op", "increment", "ints_of", "moveaxis", "numbers_of", "one_hot", "rank", "reshape", "reshape_op",
    "reversed_axes", "shape", "shape_handle", "squeeze", "squeeze_op", "swapaxes", "t", "tile", "transpose",
    "transpose_op", "unsqueeze", "unsqueeze_op", "view",
]


def shape_handle(x: Any) -> Any:
    """The shape of a value of any trace as gradient rules use it: a tuple, or the value where a size is not known."""
    shape = tuple(x.shape)
    return x if -1 in shape else shape


def ints_of(value: Any) -> list[int]:
    """An axis, or several, as a list of ints."""
    if isinstance(value, (list, tuple)):
        return list(value) if _INT.issuperset(map(type, value)) else list(map(whole, value))
    if isinstance(value, np.ndarray) and value.ndim:
        return list(map(whole, value.tolist()))
    if isinstance(value, Sequence) and not isinstance(value, str):  # such as range(3)
        return list(map(whole, value))
    return [whole(value)] if not is_value(value) or value.ndim == 0 else [int(n) for n in value]


def axis_of(value: Any) -> int:
    """An axis that may be a tensor of one element, as an int."""
    return value if type(value) is int else ints_of(value)[0]


def numbers_of(value: Any) -> list[Any]:
    """Sizes or offsets as ints, and as values of one element where only a run can tell them."""
    if only_a_run_tells(value):
        return [value[n] for n in range(value.shape[0])] if value.ndim else [value]
    if isinstance(value, (list, tuple)):
        return [n if only_a_run_tells(n) else whole(n) for n in value]
    return ints_of(value)


# reshape

_INT = {int}


def _reshape(xp, x, shape_tensor=None, shape_list=None, *, shape: Ints = ()):
    if shape and min(shape) < -1:
        raise ValueError(f"sizes {shape}")  # to NumPy -2 is as -1
    if shape_tensor is None and not shape_list and 0 not in shape and x.size:
        return reshaped(x, shape) if xp is np else x.reshape(shape)
    sizes = list(sizes_of(shape, shape_tensor, shape_list))
    if 0 in sizes:
        sizes = [x.shape[n] if size == 0 and n < x.ndim else size for n, size in enumerate(sizes)]
    if x.size == 0 and -1 in sizes:
        sizes[sizes.index(-1)] = 0
    return x.reshape(sizes)


def _infer_reshape(x, shape_tensor=None, shape_list=None, *, shape=()):
    if shape_tensor is not None or shape_list:
        sizes = inferred_sizes(shape, shape_tensor, shape_list)
        return Spec(tuple(x.shape[n] if size == 0 and n < x.rank else size for n, size in enumerate(sizes)), x.dtype)
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


def _written(x, part, *tensors, **attributes):
    """x, after its elements were changed where they stand in another shape."""
    sizes = list(x.shape)
    if 0 in sizes:
        return x
    return reshape(part, sizes if sizes.count(-1) < 2 else shape(x))


reshape_op = operator("reshape2", "X, Shape?, ShapeTensor*? -> Out~X, XShape!", kernel=_reshape, infer=_infer_reshape,
                      grad={"X": lambda g, X_shape: reshape_to(g, X_shape)}, moves=True, compiled="reshape",
                      written=_written, may_copy=True)


@sizes_one_by_one
def reshape(x: Any, shape: Any, name: str | None = None) -> Any:
    """x with its elements arranged, in order, in `shape`: 0 copies the size of that dimension, -1 is inferred.

    Raises ValueError when the number of elements differs.

    >>> import proa as paddle
    >>> paddle.reshape(paddle.zeros([2, 6]), [0, 3, -1]).shape
    [2, 3, 2]
    """
    attribute, tensor, parts = shape_inputs(shape)
    if parts is not None and -1 in x.shape:
        attribute, tensor, parts = shape_inputs(_with_known_rest(x, shape))
    return apply(reshape_op, x, tensor, parts, shape=list(attribute))


def _with_known_rest(x: Any, sizes: Sequence[Any]) -> list[Any]:
    """A shape whose -1 is a number where that is known though sizes of x are not: these are among the others.

    `x.reshape(x.shape[:-1] + [4, -1])` of [-1, -1, 96] has 24 there.
    """
    others = [getattr(size, "size_of", None) for size in sizes if is_value(size)]
    numbers = [int(size) for size in sizes if not is_value(size)]
    unknown = [(axis, x.changes) for axis, size in enumerate(x.shape) if size < 0]
    found = [of[1:] for of in others if of is not None and of[0] is x]
    all_given = len(found) == len(others) and sorted(found) == unknown
    if numbers.count(-1) != 1 or min(numbers) < -1 or 0 in numbers or not all_given:
        return list(sizes)
    have, want = product([size for size in x.shape if size >= 0]), product([n for n in numbers if n > 0])
    if have % want:
        return list(sizes)
    return [size if is_value(size) or int(size) != -1 else have // want for size in sizes]


@sizes_one_by_one
def view(x: Any, shape_or_dtype: Any, name: str | None = None) -> Any:
    """x in another shape, or its memory read as another dtype; of another size, the last dimension grows or shrinks.

    >>> import proa as paddle
    >>> paddle.ones([2, 3]).view("int8").shape
    [2, 12]
    """
    if isinstance(shape_or_dtype, (list, tuple, int)):
        return reshape(x, shape_or_dtype)
    dtype = convert_dtype(shape_or_dtype)
    return apply(bitcast_op, x, dtype=dtype)


def _bitcast(xp, x, *, dtype: DType):
    return (x if x.itemsize == dtype.itemsize else xp.ascontiguousarray(x)).view(dtype.dtype)


def _infer_bitcast(x, *, dtype):
    old, new = x.dtype.itemsize, dtype.itemsize
    if old == new:
        return Spec(x.shape, dtype)
    if not x.shape or x.shape[-1] != -1 and x.shape[-1] * old % new:
        raise ValueError(f"view(x, dtype): elements of {old} bytes become elements of {new} along the last dimension, "
                         f"which must hold whole ones. Received x.shape={list(x.shape)}, dtype={dtype.name}.")
    return Spec((*x.shape[:-1], -1 if x.shape[-1] == -1 else x.shape[-1] * old // new), dtype)


bitcast_op = operator("view_dtype", "input -> out~input", kernel=_bitcast, infer=_infer_bitcast, narrow=True,
                      only_here=True, written=lambda x, part, dtype: apply(bitcast_op, part, dtype=x.dtype))


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


transpose_op = operator("transpose2", "X -> Out~X, XShape!", kernel=_transpose, infer=_infer_transpose,
                        grad={"X": lambda g, axis: apply(transpose_op, g, axis=_inverse(axis))}, moves=True, lod="drop",
                        compiled="transpose",
                        written=lambda x, part, axis: apply(transpose_op, part, axis=_inverse(axis)))


@sizes_one_by_one
@results_named("transpose")
def transpose(x: Any, perm: Sequence[int], name: str | None = None) -> Any:
    """x with its dimensions in another order: dimension i of the result is dimension perm[i] of x.

    >>> import proa as paddle
    >>> paddle.transpose(paddle.zeros([2, 3, 4]), [2, 0, 1]).shape
    [4, 2, 3]
    """
    is_plain = type(perm) is list and _INT.issuperset(map(type, perm))
    return apply(transpose_op, x, axis=perm[:] if is_plain else ints_of(perm))


@results_named("t")
def t(input: Any, name: str | None = None) -> Any:
    """The transpose of a matrix; a vector or 0-d tensor as it is. Raises ValueError for more dimensions.

    >>> import proa as paddle
    >>> paddle.t(paddle.ones([2, 3])).shape
    [3, 2]
    """
    input = value_of(input)
    if input.ndim > 2:
        raise ValueError(f"t(input): input must have at most 2 dimensions. Received shape {list(input.shape)}. "
                         f"Use transpose(x, perm).")
    return input if input.ndim < 2 else apply(transpose_op, input, axis=[1, 0])


@results_named("{input}", draws=0)
def reversed_axes(x: Any) -> Any:
    """x with its dimensions in reverse order."""
    return apply(transpose_op, x, axis=[*range(x.ndim)][::-1])


@results_named("moveaxis")
def moveaxis(x: Any, source: Any, destination: Any, name: str | None = None) -> Any:
    """x with dimensions moved from the positions `source` to `destination`, the others keeping their order.

    >>> import proa as paddle
    >>> paddle.moveaxis(paddle.ones([2, 3, 4]), 0, 2).shape
    [3, 4, 2]
    """
    x = value_of(x)
    what = "moveaxis(x, source, destination)"
    sources = [normalize_axis(what, n, x.ndim) for n in ints_of(source)]
    destinations = [normalize_axis(what, n, x.ndim) for n in ints_of(destination)]
    if len(sources) != len(destinations) or len(set(sources)) < len(sources) or len(set(destinations)) < len(sources):
        raise AssertedError(f"{what}: as many destinations as sources, each once. Received {source} and {destination}.")
    order = [n for n in range(x.ndim) if n not in sources]
    for target, origin in sorted(zip(destinations, sources, strict=True)):
        order.insert(target, origin)
    return apply(transpose_op, x, axis=order)


def swapaxes(x: Any, axis0: int, axis1: int, name: str | None = None) -> Any:
    """x with two dimensions exchanged."""
    x = value_of(x)
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


squeeze_op = operator("squeeze2", "X -> Out~X, XShape!", kernel=_squeeze,
                      infer=lambda x, *, axes=(): Spec(tuple(_squeezed(axes, x.shape)), x.dtype),
                      grad={"X": lambda g, X_shape: reshape_to(g, X_shape)}, moves=True, compiled="squeeze",
                     written=_written)


def _squeeze_fed(xp, x, axes):
    return _squeeze(xp, x, axes=numbers_in(axes))


squeeze_of_fed_op = operator(
    "squeeze_of_fed", "X, axes*@ -> Out~X, XShape!", kernel=_squeeze_fed,
    infer=lambda x, axes: Spec(without_some("squeeze(x, axis)", x, axes, False), x.dtype),
    grad={"X": lambda g, X_shape: reshape_to(g, X_shape)}, moves=True, stands_for=squeeze_op)
"""`squeeze` of dimensions that only a run can tell. Those of another size than 1 stay: then the rank is another one."""


@results_named("squeeze")
def squeeze(x: Any, axis: Any = None, name: str | None = None) -> Any:
    """x without its dimensions of size 1, or without those of `axis` that have size 1.

    >>> import proa as paddle
    >>> paddle.squeeze(paddle.zeros([1, 3, 1]), axis=-1).shape
    [1, 3]
    """
    fed = None if axis is None or type(axis) is int else fed_values(axis)
    if fed is not None:
        return apply(squeeze_of_fed_op, x, fed)
    return apply(squeeze_op, x, axes=[] if axis is None else ints_of(axis))


def _unsqueezed(axes: Sequence[int], sizes: Sequence[int]) -> tuple[int, ...]:
    result = list(sizes)
    for axis in axes:
        rank = len(result) + 1
        result.insert(axis if 0 <= axis < rank else normalize_axis("unsqueeze(x, axis)", axis, rank), 1)
    return tuple(result)


def _unsqueeze(xp, x, axes_tensor=None, axes_list=None, *, axes: Ints = ()):
    if axes_tensor is not None or axes_list:
        axes = sizes_of(axes, axes_tensor, axes_list)
    if len(axes) == 1 and axes[0] in (0, -1):
        return x[None] if axes[0] == 0 else x[..., None]
    return x.reshape(_unsqueezed(axes, x.shape))


def _infer_unsqueeze(x, axes_tensor=None, axes_list=None, *, axes=()):
    if axes_tensor is not None or axes_list:
        extra = len(axes_list) if axes_list else axes_tensor.shape[0]
        return Spec((-1,) * (x.rank + extra), x.dtype)
    return Spec(_unsqueezed(axes, x.shape), x.dtype)


unsqueeze_op = operator("unsqueeze2", "X, AxesTensor?, AxesTensorList*? -> Out~X, XShape!", kernel=_unsqueeze,
                        infer=_infer_unsqueeze, grad={"X": lambda g, X_shape: reshape_to(g, X_shape)}, moves=True,
                        compiled="unsqueeze", written=_written)


def unsqueeze(x: Any, axis: Any, name: str | None = None) -> Any:
    """x with a dimension of size 1 put in at each of `axis`, one after the other; at none where axis is None.

    >>> import proa as paddle
    >>> paddle.unsqueeze(paddle.zeros([3]), [0, -1]).shape
    [1, 3, 1]
    """
    if type(axis) is int:
        return apply(unsqueeze_op, x, None, None, axes=[axis])
    attribute, tensor, parts = shape_inputs([] if axis is None else axis)
    return apply(unsqueeze_op, x, tensor, parts, axes=list(attribute))


def _flattened(start_axis: int, stop_axis: int, sizes: Sequence[int]) -> tuple[int, ...]:
    rank = len(sizes)
    if rank == 0:
        return (1,)
    what = "flatten(x, start_axis, stop_axis)"
    start = start_axis if 0 <= start_axis < rank else normalize_axis(what, start_axis, rank)
    stop = stop_axis if 0 <= stop_axis < rank else normalize_axis(what, stop_axis, rank)
    if start > stop:
        raise ValueError(f"{what}: start_axis must not lie behind stop_axis. Received {start_axis} and {stop_axis}.")
    return (*sizes[:start], product(sizes[start:stop + 1]), *sizes[stop + 1:])


def _flatten(xp, x, *, start_axis: int = 1, stop_axis: int = 1):
    if stop_axis in (-1, x.ndim - 1) and 0 <= start_axis < x.ndim and x.size:
        sizes: tuple[int, ...] = (*x.shape[:start_axis], -1)
    else:
        sizes = _flattened(start_axis, stop_axis, x.shape)
    return reshaped(x, sizes) if xp is np else x.reshape(sizes)


flatten_op = operator("flatten_contiguous_range", "X -> Out~X, XShape!", kernel=_flatten,
                      infer=lambda x, *, start_axis=1, stop_axis=1: Spec(
                          _flattened(start_axis, stop_axis, x.shape), x.dtype),
                      grad={"X": lambda g, X_shape: reshape_to(g, X_shape)}, moves=True, compiled="flatten",
                      written=_written, may_copy=True)


@results_named("flatten")
def flatten(x: Any, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Any:
    """x with the dimensions from `start_axis` to `stop_axis`, both included, made one.

    >>> import proa as paddle
    >>> paddle.flatten(paddle.zeros([2, 3, 4]), 1).shape
    [2, 12]
    """
    if type(start_axis) is not int or type(stop_axis) is not int:
        start_axis, stop_axis = whole(start_axis), whole(stop_axis)
    if stop_axis < 0 and is_value(x):  # what reads a Program counts from the front: PaddleSlim's pruners do
        rank = x.ndim
        start_axis, stop_axis = (axis + rank if -rank <= axis < 0 else axis for axis in (start_axis, stop_axis))
    return apply(flatten_op, x, start_axis=start_axis, stop_axis=stop_axis)

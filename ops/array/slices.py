"""Parts of a value by ranges along dimensions: slice, strided_slice, and set_value, which puts a part in.

A range is start, end and stride as in Python, with 2147483647 for "to the end"; an end of -1 with a negative stride
stands for "to the beginning", as files have it. Dimensions in `decrease_axis` are indexed by their start and dropped.
Starts and ends may be tensors, whose values count when the operator runs.
"""


import numbers
from collections.abc import Sequence
from typing import Any

from ...core.dtype import DType
from ..core.infer import broadcast_shapes
from ..core.operator import Ints, Longs, operator
from ..core.spec import Spec
from ..core.trace import apply
from .full import full, is_value, sizes_of, value_of, whole
from .gradient_shapes import reshape_to, sum_to

END = 2147483647
_INT = {int}
_IN_ORDER = list(range(64))


def _basic_index(rank: int, axes: Sequence[int], starts: Sequence[int], ends: Sequence[int], strides: Sequence[int],
                 decrease: Sequence[int]) -> tuple:
    """The index that NumPy takes for these ranges."""
    if not decrease and len(axes) == rank:  # all of them, in order, forwards: nothing to be put anywhere
        if axes == _IN_ORDER[:rank] and (not strides or min(strides) > 0):
            return tuple(map(slice, starts, ends, strides) if strides else map(slice, starts, ends))
    index: list[Any] = [slice(None)] * rank
    for n, axis in enumerate(axes):
        if axis in decrease:
            index[axis] = starts[n]
        else:
            stride = strides[n] if strides else 1
            end = ends[n]
            index[axis] = slice(starts[n], None if stride < 0 and end == -1 else end, stride)
    return tuple(index)


def _slice(xp, x, starts_tensor=None, ends_tensor=None, starts_list=None, ends_list=None, *, axes: Ints, starts: Ints,
           ends: Ints, infer_flags: Ints = (), decrease_axis: Ints = ()):
    if starts_tensor is not None or starts_list:
        starts = sizes_of(starts, starts_tensor, starts_list)
    if ends_tensor is not None or ends_list:
        ends = sizes_of(ends, ends_tensor, ends_list)
    return x[_basic_index(x.ndim, axes, starts, ends, (), decrease_axis)]


def _strided_slice(xp, x, starts_tensor=None, starts_list=None, ends_tensor=None, ends_list=None, strides_tensor=None,
                   strides_list=None, *, axes: Ints, starts: Ints, ends: Ints, strides: Ints, infer_flags: Ints = (),
                   decrease_axis: Ints = ()):
    if starts_tensor is not None or starts_list:
        starts = sizes_of(starts, starts_tensor, starts_list)
    if ends_tensor is not None or ends_list:
        ends = sizes_of(ends, ends_tensor, ends_list)
    if strides_tensor is not None or strides_list:
        strides = sizes_of(strides, strides_tensor, strides_list)
    return x[_basic_index(x.ndim, axes, starts, ends, strides, decrease_axis)]


def _infer_sizes(x: Spec, axes: Sequence[int], starts: Sequence[int], ends: Sequence[int], strides: Sequence[int],
                 decrease: Sequence[int], known: Sequence[bool]) -> list[int | None]:
    """The size of each dimension of the part, None for those dropped; IndexError for a start out of range."""
    result: list[int | None] = list(x.shape)
    for n, axis in enumerate(axes):
        size, axis = x.shape[axis], axis % x.rank
        if axis in decrease:
            result[axis] = None
            if known[n] and size >= 0 and not -size <= starts[n] < size:
                raise IndexError(
                    f"x[...]: index {starts[n]} is out of range for dimension {axis} of size {size}. "
                    f"Received x.shape={list(x.shape)}."
                )
        elif size < 0 or not known[n]:
            result[axis] = 0 if known[n] and _is_empty(starts[n], ends[n], strides[n] if strides else 1) else -1
        else:
            stride = strides[n] if strides else 1
            if stride == 0:
                raise ValueError("x[...]: the stride of a slice must not be 0.")
            end = None if stride < 0 and ends[n] == -1 else ends[n]
            result[axis] = len(range(*slice(starts[n], end, stride).indices(size)))
    return result


def _is_empty(start: int, end: int, stride: int) -> bool:
    """Whether a slice is empty of a dimension of any size: x[:0], x[-1:-2]."""
    return stride > 0 and end <= start and (start < 0) == (end < 0)


def _infer_part(x: Spec, axes: Any, starts: Any, ends: Any, strides: Any, decrease: Any, flags: Any,
                dynamic: bool) -> Spec:
    known = [not dynamic or (bool(flags) and flags[n] != -1) for n in range(len(axes))]
    sizes = _infer_sizes(x, axes, starts, ends, strides, decrease, known)
    return Spec(tuple(size for size in sizes if size is not None), x.dtype)


def _infer_slice(x, *tensors, axes, starts, ends, infer_flags=(), decrease_axis=()):
    dynamic = any(t is not None and t != [] for t in tensors)
    return _infer_part(x, axes, starts, ends, (), decrease_axis, infer_flags, dynamic)


def _infer_strided(x, *tensors, axes, starts, ends, strides, infer_flags=(), decrease_axis=()):
    dynamic = any(t is not None and t != [] for t in tensors)
    return _infer_part(x, axes, starts, ends, strides, decrease_axis, infer_flags, dynamic)


def _place(xp, g, like=None, starts_tensor=None, starts_list=None, ends_tensor=None, ends_list=None,
           strides_tensor=None, strides_list=None, *, shape: Longs = (), axes: Ints, starts: Ints, ends: Ints,
           strides: Ints = (), infer_flags: Ints = (), decrease_axis: Ints = ()):
    starts = sizes_of(starts, starts_tensor, starts_list)
    ends = sizes_of(ends, ends_tensor, ends_list)
    strides = sizes_of(strides, strides_tensor, strides_list)
    result = xp.zeros(tuple(shape) if like is None else like.shape, g.dtype)
    result[_basic_index(result.ndim, axes, starts, ends, strides, decrease_axis)] = g
    return result


def _placed(g: Any, shape: Any, tensors: Sequence[Any], **ranges: Any) -> Any:
    known = type(shape) is tuple
    return apply(place_slice_op, g, None if known else shape, *tensors, shape=list(shape) if known else [], **ranges)


def _written(x: Any, part: Any, starts_fed: Any, ends_fed: Any, strides_fed: Any, *, axes: Sequence[int],
             starts: Sequence[int], ends: Sequence[int], strides: Sequence[int] = (), infer_flags: Sequence[int] = (),
             decrease_axis: Sequence[int] = ()) -> Any:
    """x, after a part of it was changed."""
    extra = part.ndim - x.ndim + len(decrease_axis)  # `x[1, 2].add_(…)` by a value of shape [1] made it one of that
    part = reshape_to(part, tuple(part.shape)[extra:]) if extra > 0 else part
    lists = [_as_bounds(whole) if whole is not None else parts
             for whole, parts in (starts_fed, ends_fed, strides_fed)]
    return apply(set_value_op, x, part, *lists, dtype=x.dtype, axes=list(axes), starts=list(starts), ends=list(ends),
                 steps=list(strides) or [1] * len(axes), decrease_axes=list(decrease_axis))


slice_op = operator(
    "slice", "Input, StartsTensor?, EndsTensor?, StartsTensorList*?, EndsTensorList*? -> Out~Input", kernel=_slice,
    infer=_infer_slice, compiled="slice", unsaid={"starts": [], "ends": []},
    lod=lambda lods, attrs: [] if 0 in attrs["axes"] else lods[0],
    grad={"Input": lambda g, Input_shape, StartsTensor, EndsTensor, StartsTensorList, EndsTensorList, axes, starts,
          ends, infer_flags, decrease_axis: _placed(
              g, Input_shape, (StartsTensor, StartsTensorList, EndsTensor, EndsTensorList, None, None), axes=axes,
              starts=starts, ends=ends, infer_flags=infer_flags, decrease_axis=decrease_axis)}, moves=True,
    written=lambda x, part, starts_tensor=None, ends_tensor=None, starts_list=None, ends_list=None, **ranges: _written(
        x, part, (starts_tensor, starts_list), (ends_tensor, ends_list), (None, None), **ranges))

_STRIDED = "StartsTensor?, StartsTensorList*?, EndsTensor?, EndsTensorList*?, StridesTensor?, StridesTensorList*?"

strided_slice_op = operator(
    "strided_slice", f"Input, {_STRIDED} -> Out~Input", kernel=_strided_slice, infer=_infer_strided,
    compiled="slice", unsaid={"starts": [], "ends": [], "strides": []},
    grad={"Input": lambda g, Input_shape, StartsTensor, StartsTensorList, EndsTensor, EndsTensorList, StridesTensor,
          StridesTensorList, axes, starts, ends, strides, infer_flags, decrease_axis: _placed(
              g, Input_shape, (StartsTensor, StartsTensorList, EndsTensor, EndsTensorList, StridesTensor,
                               StridesTensorList),
              axes=axes, starts=starts, ends=ends, strides=strides, infer_flags=infer_flags,
              decrease_axis=decrease_axis)}, moves=True,
    written=lambda x, part, starts_tensor=None, starts_list=None, ends_tensor=None, ends_list=None, strides_tensor=None,
    strides_list=None, **ranges: _written(x, part, (starts_tensor, starts_list), (ends_tensor, ends_list),
                                          (strides_tensor, strides_list), **ranges))

place_slice_op = operator(
    "place_slice", f"X, Like?, {_STRIDED} -> Out", kernel=_place,
    infer=lambda x, like=None, *_, shape=(), **__: Spec(tuple(shape) if like is None else tuple(like.shape), x.dtype),
    grad={"X": lambda g, StartsTensor, StartsTensorList, EndsTensor, EndsTensorList, StridesTensor, StridesTensorList,
          axes, starts, ends, strides, infer_flags, decrease_axis: apply(
              strided_slice_op, g, StartsTensor, StartsTensorList, EndsTensor, EndsTensorList, StridesTensor,
              StridesTensorList, axes=axes, starts=starts, ends=ends, strides=strides or [1] * len(axes),
              infer_flags=infer_flags, decrease_axis=decrease_axis)}, moves=True, only_here=True)


class Ranges:
    """Ranges along dimensions as a user gives them: ints, or 0-d and one-element tensors."""

    __slots__ = ("axes", "starts", "ends", "strides", "decrease")

    def __init__(self) -> None:
        self.axes: list[int] = []
        self.starts: list[Any] = []
        self.ends: list[Any] = []
        self.strides: list[Any] = []
        self.decrease: list[int] = []

    def add(self, axis: int, start: Any, end: Any, stride: Any = 1) -> None:
        """A range along a dimension that is not there yet."""
        self.axes.append(axis)
        self.starts.append(start)
        self.ends.append(end)
        self.strides.append(stride)

    def flags(self) -> list[int]:
        """For each range -1 when a tensor has a part in it, otherwise 1."""
        if _are_ints(self.starts) and _are_ints(self.ends) and _are_ints(self.strides):
            return [1] * len(self.axes)
        return [-1 if any(map(is_value, parts)) else 1
                for parts in zip(self.starts, self.ends, self.strides, strict=True)]

    def take(self, x: Any) -> Any:
        """The part of x."""
        given = {"axes": self.axes, "infer_flags": self.flags(), "decrease_axis": self.decrease}
        starts, start_list = _static_and_tensors(self.starts)
        ends, end_list = _static_and_tensors(self.ends)
        strides, stride_list = _static_and_tensors(self.strides)
        if stride_list is None and strides.count(1) == len(strides):
            return apply(slice_op, x, None, None, start_list, end_list, starts=starts, ends=ends, **given)
        return apply(strided_slice_op, x, None, start_list, None, end_list, None, stride_list, starts=starts, ends=ends,
                     strides=strides, **given)

    def put(self, x: Any, value: Any) -> Any:
        """x with this part replaced by a value that broadcasts to it."""
        starts, start_list = _static_and_tensors(self.starts)
        ends, end_list = _static_and_tensors(self.ends)
        strides, stride_list = _static_and_tensors(self.strides)
        return apply(set_value_op, x, value, start_list, end_list, stride_list, dtype=x.dtype, axes=self.axes,
                     starts=starts, ends=ends, steps=strides, decrease_axes=self.decrease)


def _are_ints(bounds: list[Any]) -> bool:
    return _INT.issuperset(map(type, bounds))


def _static_and_tensors(bounds: list[Any]) -> tuple[list[int], list[Any] | None]:
    """Bounds as an attribute, and as a list of tensors where one of them is a tensor."""
    if _are_ints(bounds) or not any(map(is_value, bounds)):
        return bounds, None
    tensors = [n if is_value(n) else full((1,), n, "int64") for n in bounds]
    return [-1 if is_value(n) else n for n in bounds], tensors


def _as_bounds(value: Any) -> list[Any]:
    if is_value(value):
        return [value] if value.ndim == 0 else [value[n] for n in range(value.shape[0])]
    return [n if is_value(n) else whole(n) for n in (value if isinstance(value, (list, tuple)) else [value])]


def slice_(input: Any, axes: Sequence[int], starts: Any, ends: Any) -> Any:
    """The part of `input` from starts[i] up to, without, ends[i] along axes[i]; negative numbers count from the end.

    >>> import proa as paddle
    >>> paddle.slice(paddle.arange(6), [0], [1], [-1]).tolist()
    [1, 2, 3, 4]
    """
    return strided_slice(input, axes, starts, ends, [1] * len(axes))


def strided_slice(x: Any, axes: Sequence[int], starts: Any, ends: Any, strides: Any, name: str | None = None) -> Any:
    """The part of x from starts[i] up to, without, ends[i] along axes[i], strides[i] apart.

    >>> import proa as paddle
    >>> paddle.strided_slice(paddle.arange(6), axes=[0], starts=[5], ends=[0], strides=[-2]).tolist()
    [5, 3, 1]
    """
    x, ranges = value_of(x), Ranges()
    for given in zip(axes, _as_bounds(starts), _as_bounds(ends), _as_bounds(strides), strict=True):
        axis, *bounds = given
        if not isinstance(axis, numbers.Integral) or not -x.ndim <= axis < x.ndim:
            raise ValueError(f"strided_slice(x, axes, …): axes must lie in [{-x.ndim}, {x.ndim}). Received {axes}.")
        ranges.add(int(axis) % x.ndim, *bounds)
    return ranges.take(x)


# set_value

def _set_value(xp, x, value=None, starts_list=None, ends_list=None, steps_list=None, *, dtype: DType | None = None,
               axes: Longs = (), starts: Longs = (), ends: Longs = (), steps: Longs = (), decrease_axes: Longs = (),
               none_axes: Longs = (), shape: Longs = (), values: Any = None):
    if starts_list or ends_list or steps_list:
        starts, ends = sizes_of(starts, None, starts_list), sizes_of(ends, None, ends_list)
        steps = sizes_of(steps, None, steps_list)
    result = xp.array(x)
    where = _basic_index(x.ndim, axes, starts, ends, steps, decrease_axes)
    if value is not None and not none_axes:
        result[where] = value
        return result
    part = result[(*where, ...)]
    for added, axis in enumerate(none_axes):
        part = xp.expand_dims(part, axis + added)
    if value is None:
        value = xp.asarray(values, x.dtype).reshape(tuple(shape))
    part[...] = value
    return result


def _infer_set_value(x, value=None, starts_list=None, ends_list=None, steps_list=None, *, dtype=None, axes=(),
                     starts=(), ends=(), steps=(), decrease_axes=(), none_axes=(), shape=(), values=None):
    if not (starts_list or ends_list or steps_list):
        sizes = _infer_sizes(x, axes, starts, ends, steps, decrease_axes, [True] * len(axes))
        part = tuple(size for size in sizes if size is not None)
        if value is not None and not none_axes:
            wanted = broadcast_shapes("x[...] = value", part, value.shape)
            if any(a not in (b, -1) and b != -1 for a, b in zip(wanted, part, strict=True)):
                raise ValueError(
                    f"x[...] = value: the value must broadcast to the part. "
                    f"Received a value of shape {list(value.shape)} for a part of shape {list(part)}."
                )
    return x


def _zero_part(g: Any, value_dtype: DType, **where: Any) -> Any:
    return apply(set_value_op, g, full((), 0.0, value_dtype), where.pop("s"), where.pop("e"), where.pop("t"),
                 dtype=value_dtype, **where)


set_value_op = operator(
    "set_value", "Input, ValueTensor?, StartsTensorList*?, EndsTensorList*?, StepsTensorList*? -> Out",
    kernel=_set_value, infer=_infer_set_value,
    grad={"Input": lambda g, Input_dtype, StartsTensorList, EndsTensorList, StepsTensorList, axes, starts, ends, steps,
          decrease_axes, none_axes: _zero_part(
              g, Input_dtype, s=StartsTensorList, e=EndsTensorList, t=StepsTensorList, axes=axes, starts=starts,
              ends=ends, steps=steps, decrease_axes=decrease_axes),
          "ValueTensor": lambda g, ValueTensor_shape, StartsTensorList, EndsTensorList, StepsTensorList, axes, starts,
          ends, steps, decrease_axes: sum_to(apply(
              strided_slice_op, g, None, StartsTensorList, None, EndsTensorList, None, StepsTensorList, axes=list(axes),
              starts=list(starts), ends=list(ends), strides=list(steps), decrease_axis=list(decrease_axes),
              infer_flags=[-1 if StartsTensorList or EndsTensorList or StepsTensorList else 1] * len(axes)),
              ValueTensor_shape)}, moves=True, lod="drop", compiled="set_value")

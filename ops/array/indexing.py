"""x[...] and x[...] = value, by every kind of index that NumPy has: ints, slices, Ellipsis, None, masks, int tensors.

Ints and slices come first, as one `slice` or `strided_slice`; then None adds dimensions; then masks and integer
tensors gather. So an int beside an integer tensor only drops its dimension, as in Paddle, where NumPy would treat it
as one more tensor: `x[0, :, [0, 1]]` has the shape [x.shape[1], 2]. All else is as in NumPy.
"""


import numbers
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...core import dtype as dt
from ..core import native
from ..core.result_names import results_named
from ..core.trace import apply, state
from ..math.casting import cast, check_held
from .concat_split import broadcast_tensors, stack, stack_op
from .creation import to_tensor
from .full import is_value
from .gather import gather_nd_op
from .reshape import reshape, squeeze, transpose, unsqueeze, unsqueeze_op
from .slices import END, Ranges, set_value_op, slice_op, strided_slice_op
from .where import column, index_put_op, masked_select_op, where, where_index_op


class _Index:
    """A key taken apart: ranges of the value's dimensions, where None adds one, and the tensors that gather.

    `added` and the positions of `tensors` count dimensions after the ranges; those of `tensors` also the added ones.
    """

    __slots__ = ("ranges", "added", "tensors")

    def __init__(self, x: Any, key: Any):
        self.ranges = Ranges()
        self.added: list[int] = []
        self.tensors: list[tuple[int, Any]] = []
        items = key if isinstance(key, tuple) else (key,)
        ones = [id(item) for item in items if _is_one(item)]
        dimension = position = 0
        for item in _expanded(x, [_read(item) for item in items]):
            if item is None:
                self.added.append(position)
                position += 1
            elif isinstance(item, slice):
                if not (item.start is item.stop is item.step is None):
                    self.ranges.add(dimension, *_bounds(item))
                dimension, position = dimension + 1, position + 1
            elif isinstance(item, int) or (item.ndim == 0 and item.dtype is not dt.bool_) or id(item) in ones:
                self._drop(dimension, item)
                dimension += 1
            else:
                if item.ndim == 0:
                    item = reshape(item, [1])
                    self.added.append(position)
                else:
                    dimension += _width(item)
                self.tensors.append((position, item))
                position += _width(item)

    def _drop(self, dimension: int, at: Any) -> None:
        end = at + 1 if is_value(at) or at != -1 else END
        self.ranges.add(dimension, at, end)
        self.ranges.decrease.append(dimension)

    def basic(self, x: Any) -> Any:
        """The ranges of x, with the added dimensions."""
        result = self.ranges.take(x) if self.ranges.axes else x
        return unsqueeze(result, self.added) if self.added else result


def _is_one(item: Any) -> bool:
    """Whether it is an integer tensor of shape [1] where no value is without dimensions: such an index drops one."""
    return bool(is_value(item) and state.trace.least_rank and list(item.shape) == [1] and item.dtype is not dt.bool_)


def _read(item: Any) -> Any:
    """An item of a key as None, Ellipsis, an int, a slice, or a bool or integer tensor."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, (bool, np.bool_)):
        return to_tensor(bool(item))
    if isinstance(item, numbers.Integral):
        return int(item)
    if isinstance(item, (list, tuple, range)):
        item = to_tensor(list(item)) if len(item) else to_tensor([], "int64")
    elif isinstance(item, np.ndarray):
        item = to_tensor(item)
    if not is_value(item) or not (item.dtype is dt.bool_ or item.dtype.is_integer):
        what = f"a tensor of dtype {item.dtype.name}" if is_value(item) else repr(item)
        raise IndexError(
            f"x[...]: an index must be an int, a slice, ..., None, a bool mask or an integer tensor. Received {what}.")
    return item


def _width(item: Any) -> int:
    """How many dimensions of the value an item stands for."""
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if is_value(item) and item.dtype is dt.bool_ else 1


def _expanded(x: Any, items: list[Any]) -> Iterator[Any]:
    """The items with full slices for `...` and for the dimensions not named."""
    used = sum(map(_width, items))
    if used > x.ndim:
        raise IndexError(
            f"x[...]: {used} indices for a tensor of {x.ndim} dimensions. Received x.shape={list(x.shape)}.")
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("x[...]: an index can hold only one ellipsis ('...').")
    for item in items:
        if item is Ellipsis:
            yield from [slice(None)] * (x.ndim - used)
        else:
            yield item


def _bound(value: Any, default: int) -> Any:
    if value is None:
        return default
    return value if is_value(value) else int(value.__index__())


def _bounds(item: slice) -> tuple[Any, Any, Any]:
    """Start, end and stride as the operators have them; see slicing.py for the ends."""
    stride = _bound(item.step, 1)
    if is_value(stride):
        return _bounds_of_step(item, stride)
    if stride == 0:
        raise ValueError("x[...]: the step of a slice must not be 0.")
    backwards = stride < 0
    start = _bound(item.start, END if backwards else 0)
    end = _bound(item.stop, -1 if backwards else END)
    if backwards and item.stop is not None:
        end = _of_last(end, True)
    return start, end, stride


def _bounds_of_step(item: slice, stride: Any) -> tuple[Any, Any, Any]:
    """The same for a step that is a tensor: which end of the dimension is meant by what was left out, its sign says."""
    backwards = stride < 0
    start = where(backwards, END, 0) if item.start is None else _bound(item.start, 0)
    end = where(backwards, -1, END) if item.stop is None else _of_last(_bound(item.stop, 0), backwards)
    return start, end, stride


def _of_last(end: Any, backwards: Any) -> Any:
    """An end that may be -1, the last one, for a stride that may go backwards: x[a:-1:-1] is empty."""
    if is_value(end):
        return where((end == -1) & to_tensor(backwards), END, end)
    if end != -1:
        return end
    return where(backwards, END, -1) if is_value(backwards) else END


# Gathering by tensors

class _Gathering:
    """How the dimensions that tensors index come to the front, and back behind those before them."""

    def __init__(self, x: Any, tensors: Sequence[tuple[int, Any]]):
        covered: list[int] = []
        for position, tensor in tensors:
            _check_mask(x, position, tensor)
            covered.extend(range(position, position + _width(tensor)))
        together = covered == list(range(covered[0], covered[0] + len(covered)))
        self.before = covered[0] if together else 0
        self.order = covered + [n for n in range(x.ndim) if n not in covered]
        self.rest = x.ndim - len(covered)
        self.tensors = [tensor for _, tensor in tensors]

    def to_front(self, x: Any) -> Any:
        """x with the indexed dimensions in front."""
        return x if self.order == sorted(self.order) else transpose(x, self.order)

    def undo_front(self, x: Any) -> Any:
        """The inverse of `to_front`."""
        if self.order == sorted(self.order):
            return x
        return transpose(x, sorted(range(x.ndim), key=self.order.__getitem__))

    @property
    def index_rank(self) -> int:
        """The number of dimensions that the indices have together."""
        return max(1 if t.dtype is dt.bool_ else t.ndim for t in self.tensors)

    def result(self, gathered: Any) -> Any:
        """What was gathered, with the indices' dimensions where the indexed ones were."""
        count, before = self.index_rank, self.before
        if not before:
            return gathered
        back = [*range(count, count + before), *range(count), *range(count + before, gathered.ndim)]
        return transpose(gathered, back)

    def undo_result(self, value: Any) -> Any:
        """A value for the result, arranged as what is gathered."""
        count, before = self.index_rank, self.before
        if not before or value.ndim <= self.rest - before:
            return value
        missing = count + self.rest - value.ndim
        value = unsqueeze(value, [0] * missing) if missing else value
        return transpose(value, [*range(before, before + count), *range(before), *range(before + count, value.ndim)])

    def positions(self) -> Any:
        """The one index tensor of `gather_nd`."""
        if len(self.tensors) == 1:
            [tensor] = self.tensors
            return apply(where_index_op, tensor) if tensor.dtype is dt.bool_ else unsqueeze(tensor, -1)
        columns: list[Any] = []
        for tensor in self.tensors:
            if tensor.dtype is dt.bool_:
                found = apply(where_index_op, tensor)
                columns.extend(column(found, n) for n in range(tensor.ndim))
            else:
                columns.append(tensor if tensor.dtype is dt.int64 else cast(tensor, dt.int64))
        return stack(broadcast_tensors(columns), -1)


def _check_mask(x: Any, position: int, tensor: Any) -> None:
    if tensor.dtype is dt.bool_:
        for n, size in enumerate(tensor.shape):
            have = x.shape[position + n]
            if size != have and -1 not in (size, have):
                raise IndexError(
                    f"x[mask]: the mask must have x's sizes in the dimensions it stands for. Received a mask of shape "
                    f"{list(tensor.shape)} at dimension {position} of shape {list(x.shape)}."
                )


@results_named("{input}_{op}", bare=True, only=(slice_op, strided_slice_op))
def getitem(x: Any, key: Any) -> Any:
    """x[key]: a part of x by ints, slices, `...`, None, bool masks and integer tensors, arrays or lists.

    Raises IndexError for an int out of range, for too many indices and for indices of another kind.

    >>> import proa as paddle
    >>> x = paddle.arange(6).reshape([2, 3])
    >>> x[1, ::-1].tolist(), x[:, [0, 2]].tolist(), x[x > 3].tolist()
    ([5, 4, 3], [[0, 2], [3, 5]], [4, 5])
    """
    kind = type(key)
    if kind is int:
        return apply(slice_op, x, None, None, None, None, axes=[0], starts=[key], ends=[key + 1 if key != -1 else END],
                     infer_flags=[1], decrease_axis=[0]) if x.ndim else _too_many(x)
    if kind is tuple or kind is slice or not is_value(key):
        part = _plain(x, key)
        if part is None:
            part = _at_points(x, key)
        if part is not None:
            return part
    elif key.ndim and _width(key) <= x.ndim and not _is_one(key):
        return _gathered(x, _read(key))
    index = _Index(x, key)
    part = index.basic(x)
    if not index.tensors:
        return _whole(x) if part is x else part
    gathering = _Gathering(part, index.tensors)
    return gathering.result(apply(gather_nd_op, gathering.to_front(part), gathering.positions()))


def _whole(x: Any) -> Any:
    """x[...]: a view of all of it."""
    if not x.ndim:
        return reshape(x, [])
    return apply(slice_op, x, None, None, None, None, axes=[0], starts=[0], ends=[END], infer_flags=[1],
                 decrease_axis=[])


def _gathered(x: Any, key: Any) -> Any:
    """x[key] for one mask, or for one integer tensor that is not 0-d."""
    if key.dtype is not dt.bool_:
        return apply(gather_nd_op, x, apply(unsqueeze_op, key, None, None, axes=[-1]))
    _check_mask(x, 0, key)
    if key.ndim == x.ndim:
        return apply(masked_select_op, x, key)
    return apply(gather_nd_op, x, apply(where_index_op, key))


def _at_points(x: Any, key: Any) -> Any:
    """x[i, j, …] of eager code for int64 tensors of one shape, which need not be broadcast; None for other keys."""
    if type(key) is not tuple or not 1 < len(key) <= x.ndim or not state.trace.computes:
        return None
    for item in key:
        if not is_value(item) or item.dtype is not dt.int64:
            return None
    shape = key[0].shape
    if not shape or any([item.shape != shape for item in key]) or _is_one(key[0]):
        return None
    return apply(gather_nd_op, x, apply(stack_op, list(key), axis=len(shape)))


def _plain(x: Any, key: Any) -> Any:
    """x[key] for ints, slices that go forward, `...` and None: a shorter way to what `_Index` finds; else None."""
    added: list[int] = []
    ranges = _plain_ranges(x, key, added)
    if ranges is None:
        return None
    axes, starts, ends, strides, dropped = ranges
    if not axes:
        part = x
    elif strides.count(1) == len(strides):
        part = apply(slice_op, x, None, None, None, None, axes=axes, starts=starts, ends=ends,
                     infer_flags=[1] * len(axes), decrease_axis=dropped)
    else:
        part = apply(strided_slice_op, x, None, None, None, None, None, None, strides=strides, axes=axes,
                     starts=starts, ends=ends, infer_flags=[1] * len(axes), decrease_axis=dropped)
    return apply(unsqueeze_op, part, None, None, axes=added) if added else part


def _plain_ranges(x: Any, key: Any, added: list[int] | None = None) -> tuple[list[int], ...] | None:
    """The axes, starts, ends and strides of a key of ints and slices that go forward, and the axes it drops.

    Places of dimensions that None adds go to `added`; without it a key that holds one has none of these.
    """
    if native.module is not None:
        found = native.module.plain_ranges(x.ndim, key, added, END)
        if found is not NotImplemented:
            return found
    items = key if type(key) is tuple else (key,)
    rank, axis, position, jumped = x.ndim, 0, 0, False
    axes, starts, ends, strides, dropped = [], [], [], [], []
    for item in items:
        if type(item) is int:
            start, end, step = item, item + 1 if item != -1 else END, 1
            dropped.append(axis)
        elif type(item) is slice:
            position += 1
            start, end, step = item.start, item.stop, item.step
            if start is end is step is None:
                axis += 1
                continue
            start, end, step = 0 if start is None else start, END if end is None else end, 1 if step is None else step
            if not (type(start) is type(end) is type(step) is int) or step < 1:
                return None
        elif item is None and added is not None:
            added.append(position)
            position += 1
            continue
        elif item is Ellipsis and not jumped:
            jumped = True
            left = rank - sum([one is not None and one is not Ellipsis for one in items])
            if left < 0:
                return None
            axis, position = axis + left, position + left
            continue
        else:
            return None
        axes.append(axis)
        starts.append(start)
        ends.append(end)
        strides.append(step)
        axis += 1
    return (axes, starts, ends, strides, dropped) if (axes or added) and axis <= rank else None


def _too_many(x: Any) -> Any:
    raise IndexError("x[...]: a 0-d tensor has no dimension to index; use x[...] or x.item().")


def setitem(x: Any, key: Any, value: Any) -> None:
    """x[key] = value: x becomes a tensor with the part replaced. Gradients flow to the old value and to the new part.

    >>> import proa as paddle
    >>> x = paddle.zeros([2, 3]); x[:, 1] = 5.0; x.tolist()
    [[0.0, 5.0, 0.0], [0.0, 5.0, 0.0]]
    """
    x._rebind(with_item(x._alias(), key, value))


def with_item(x: Any, key: Any, value: Any) -> Any:
    """x with the part x[key] replaced by a value that broadcasts to it."""
    ranges = _plain_ranges(x, key) if not is_value(key) else None
    if ranges is not None:
        part = _plain_part(x, value, ranges)
        if part is not None:
            return part
    elif is_value(key) and key.ndim and _width(key) <= x.ndim and state.trace.computes and not _is_one(key):
        return _with_rows(x, _read(key), value)
    index = _Index(x, key)
    check_held("x[...] = value", value, x.dtype)
    value = cast(value, x.dtype) if is_value(value) else to_tensor(value, dtype=x.dtype)
    if not index.tensors:
        return index.ranges.put(x, _fitted(value, x, index))
    if len(index.tensors) == 1:
        value = _at_places(x, index.tensors[0][1], value)
    part = index.basic(x)
    gathering = _Gathering(part, index.tensors)
    moved = gathering.to_front(part)
    value = _without_leading_ones(value, gathering.index_rank + gathering.rest)
    value = gathering.undo_result(value)
    part = gathering.undo_front(apply(index_put_op, moved, gathering.tensors, value))
    if index.added:
        part = squeeze(part, index.added)
    return index.ranges.put(x, part) if index.ranges.axes else part


def _with_rows(x: Any, key: Any, value: Any) -> Any:
    """x of eager code with x[key] replaced, for one mask, or one integer tensor that is not 0-d."""
    _check_mask(x, 0, key)
    check_held("x[...] = value", value, x.dtype)
    if is_value(value):
        value = cast(value, x.dtype) if value.dtype is not x.dtype else value
    elif (type(value) is float or type(value) is int) and x.dtype.is_differentiable:
        value = state.trace.number(value, x.dtype)
    else:
        value = to_tensor(value, dtype=x.dtype)
    value = _at_places(x, key, value)
    rank = (1 if key.dtype is dt.bool_ else key.ndim) + x.ndim - _width(key)
    return apply(index_put_op, x, [key], _without_leading_ones(value, rank) if value.ndim > rank else value)


def _at_places(x: Any, mask: Any, value: Any) -> Any:
    """What a value of x's own dimensions has at the places of a mask of all of x: `x[x > 0] = y` takes these.

    Another value is given back, one with a single row too: as in NumPy its numbers go to the places one by one.
    """
    if not 0 < value.ndim == x.ndim == mask.ndim or mask.dtype is not dt.bool_:
        return value
    fits = all(size in (1, have) for size, have in zip(value.shape, x.shape, strict=True))
    if not fits or all(size == 1 for size in value.shape[:-1]) and (x.ndim > 1 or list(value.shape) != list(x.shape)
                                                                    or -1 in x.shape):
        return value
    whole = value if list(value.shape) == list(x.shape) else broadcast_tensors([value, x])[0]
    return apply(masked_select_op, whole, mask)


def _plain_part(x: Any, value: Any, ranges: tuple[list[int], ...]) -> Any:
    """x with a part replaced by a number, or by a value of its dtype and of no more dimensions; None for others."""
    axes, starts, ends, strides, dropped = ranges
    if (type(value) is float or type(value) is int) and x.dtype.is_differentiable:
        value = state.trace.number(value, x.dtype)
    elif not is_value(value) or value.dtype is not x.dtype or value.ndim > x.ndim - len(dropped):
        return None
    return apply(set_value_op, x, value, None, None, None, dtype=x.dtype, axes=axes, starts=starts, ends=ends,
                 steps=strides, decrease_axes=dropped)


def _fitted(value: Any, x: Any, index: _Index) -> Any:
    """The value without the dimensions that None adds to the part."""
    rank = x.ndim - len(index.ranges.decrease) + len(index.added)
    value = _without_leading_ones(value, rank)
    drop = [axis - rank for axis in index.added if axis - rank >= -value.ndim]
    return squeeze(value, drop) if drop else value


def _without_leading_ones(value: Any, rank: int) -> Any:
    extra = value.ndim - rank
    if extra <= 0:
        return value
    if any(size not in (1, -1) for size in value.shape[:extra]):
        raise ValueError(
            f"x[...] = value: the value has more dimensions than the part, which has {rank}. "
            f"Received a value of shape {list(value.shape)}."
        )
    return squeeze(value, list(range(extra)))

# ruff: noqa: E741 (rules take the slot I by its name)
"""Tensor arrays: the lists of a Program, with Paddle's types and slots.

While a Program runs, a list is an `ArrayValue`; of items that have a LoD, the offsets of each level are another one.
`write_to_array` gives a list with one more item (or another one in its place), `read_from_array` an item,
`tensor_array_to_tensor` all of them as one tensor. Gradients of lists are lists in which an item that is not there is
zeros; the operators on those are our own, and never in files.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from ...backend.devices import host_values
from ...core.dtype import DType, int32, int64
from ..core.facts import free
from ..core.infer import normalize_axis
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply

_FARTHEST = 1 << 20  # places between the end of a list and what is written behind it


class ArraySpec(Spec):
    """What is known of a list: shape (-1 where items differ) and dtype of its items."""

    __slots__ = ()


class GradientArraySpec(ArraySpec):
    """The same of the gradient of a list."""

    __slots__ = ()


class ArrayValue:
    """The items of a list; None where one was never written. It does not change.

    A list that is one item longer shares its items with the one before, so that growing takes no copy.
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[Any] = ()):
        self._items = list(items)
        self._length = len(self._items)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        return islice(self._items, self._length)

    def get(self, index: int) -> Any:
        """The item at an index, or None."""
        return self._items[index] if 0 <= index < self._length else None

    def written(self, index: int, item: Any) -> "ArrayValue":
        """The list with an item at an index, which may lie behind its end."""
        if 0 < index == self._length == len(self._items):  # the first item makes a list of its own
            self._items.append(item)
            grown = ArrayValue.__new__(ArrayValue)
            grown._items, grown._length = self._items, self._length + 1
            return grown
        if index < 0:
            raise ValueError(f"write_to_array: a place in a list is 0 or more. Received {index}.")
        if index - self._length > _FARTHEST:
            raise ValueError(f"write_to_array: the place {index} lies too far behind the end of a list of "
                             f"{self._length} items: at most {_FARTHEST} places may stay empty.")
        items = list(self)
        items.extend([None] * (index + 1 - len(items)))
        items[index] = item
        return ArrayValue(items)


    def __add__(self, other: "ArrayValue") -> "ArrayValue":
        """As gradients are added."""
        longer, shorter = (self, other) if len(self) >= len(other) else (other, self)
        items = list(longer)
        for n, item in enumerate(shorter):
            if item is not None:
                items[n] = item if items[n] is None else items[n] + item
        return ArrayValue(items)


def _position(index: Any) -> int:
    return int(index.reshape(-1)[0])


def items_with(x: Spec, array: Spec | None) -> ArraySpec:
    """What is known of the items of a list after one more."""
    if array is None or array.dtype is None:
        return ArraySpec(x.shape, x.dtype)
    if array.dtype is not x.dtype or array.rank != x.rank:
        raise TypeError(
            f"The items of a list that grows in a Program have one dtype and one number of dimensions. The list holds "
            f"{array.dtype.name}{list(array.shape)}. Received {x.dtype.name}{list(x.shape)}. Convert it before.")
    return ArraySpec(tuple(a if a == b else -1 for a, b in zip(array.shape, x.shape, strict=True)), x.dtype)


# The operators of files -----------------------------------------------------------------------------------------------

def _empty(xp, *, shape: list[int] = (), dtype: DType | None = None, gradient: bool = False):
    return ArrayValue()


empty_array_op = operator(
    "empty_array", "-> Out", kernel=_empty,
    infer=lambda *, shape=(), dtype=None, gradient=False: (GradientArraySpec if gradient else ArraySpec)(
        tuple(shape), dtype), cost=free, only_here=True, lists=True)


def _write(xp, x, i, array=None, lod=(), array_lod=()):
    at = _position(i)
    levels = [of_items.written(at, level.view()) for of_items, level in zip(array_lod, lod, strict=True)]
    item = x if isinstance(x, ArrayValue) else x.view()  # a list may hold lists: those of a loop's rounds
    return (ArrayValue() if array is None else array).written(at, item), levels


def _infer_write(x, i, array=None, lod=(), array_lod=()):
    return items_with(x, array), [ArraySpec((-1,), int64) for _ in array_lod]


write_op = operator(
    "write_to_array", "X, I, Array?, lod^X, array_lod^Array -> Out~X~Array, out_lod^Out~lod~array_lod", kernel=_write,
    infer=_infer_write,
    grad={"X": lambda g, I, X: apply(item_gradient_op, g, I, X), "Array": lambda g, I: apply(without_op, g, I)},
    moves=True, lists=True, fails="values")


def _read(xp, array, i, lod=()):
    found = [items.get(_position(i)) for items in (array, *lod)]
    if any(item is None for item in found):
        raise IndexError(f"list index out of range: the item {_position(i)} of a list of {len(array)}")
    return found[0], found[1:]


def _infer_read(array, i, lod=()):
    return Spec(array.shape, array.dtype), [Spec((-1,), int64) for _ in lod]


read_op = operator(
    "read_from_array", "X, I, lod^X -> Out~X, out_lod^Out~lod", kernel=_read, infer=_infer_read,
    grad={"X": lambda g, I: apply(with_only_op, g, I)}, moves=True, fails="values", lists=True)

length_op = operator("lod_array_length", "X -> Out", kernel=lambda xp, array: xp.asarray([len(array)], "int64"),
                     infer=lambda array: Spec((1,), int64), narrow=True, cost=free, lists=True)


def _slice(xp, array, start=None, end=None):
    begin = 0 if start is None else _position(start)
    return ArrayValue(islice(array, begin, len(array) if end is None else max(_position(end), begin)))


slice_op = operator(
    "array_slice", "X, Start?, End? -> Out~X", kernel=_slice, infer=lambda x, start=None, end=None: x,
    grad={"X": lambda g, Start: g if Start is None else apply(shifted_op, g, Start)},
    moves=True, only_here=True, lists=True)


def _join(xp, array, *, axis: int = 0, use_stack: bool = False):
    items = list(array)
    if not items:
        raise ValueError("stack or concat of a list that is empty when the Program runs: at least one item is needed.")
    axis = axis + items[0].ndim + use_stack if axis < 0 else axis
    sizes = xp.asarray([item.shape[axis] if axis < item.ndim else 1 for item in items], "int32")
    return (xp.stack(items, axis) if use_stack else xp.concatenate(items, axis)), sizes


def _infer_join(array, *, axis=0, use_stack=False):
    shape = list(array.shape)
    axis = normalize_axis("stack or concat of a list", axis, len(shape) + use_stack)
    shape[axis:axis + (not use_stack)] = [-1]
    return Spec(tuple(shape), array.dtype), Spec((-1,), int32)


join_op = operator(
    "tensor_array_to_tensor", "X -> Out, OutIndex", kernel=_join, infer=_infer_join,
    grad={"X": lambda g, OutIndex, axis, use_stack: apply(split_op, g, OutIndex, axis=axis, use_stack=use_stack)},
    moves=True, lists=True)


# Gradients ------------------------------------------------------------------------------------------------------------

def _of_gradient(x: Spec, *_: Any, **__: Any) -> GradientArraySpec:
    return GradientArraySpec(x.shape, x.dtype)


def _item_gradient(xp, array, i, x):
    item = array.get(_position(i))
    if item is None:
        return ArrayValue() if isinstance(x, ArrayValue) else xp.zeros_like(x)
    return item


item_gradient_op = operator(
    "array_gradient_of_item", "X, I, Like -> Out~X", kernel=_item_gradient,
    infer=lambda array, i, x: _of_gradient(x) if isinstance(x, ArraySpec) else x,
    grad={"X": lambda g, I: apply(with_only_op, g, I)}, moves=True, only_here=True, lists=True)
"""The item of a gradient; zeros, like another value, where there is none."""

with_only_op = operator(
    "array_with_only", "X, I -> Out~X", kernel=lambda xp, x, i: ArrayValue().written(_position(i), x),
    infer=_of_gradient, grad={"X": lambda g, I, X: apply(item_gradient_op, g, I, X)},
    moves=True, only_here=True, lists=True, fails="values")
"""The gradient that is one item, and zeros otherwise."""


def _without(xp, array, i):
    index = _position(i)
    return array if array.get(index) is None else array.written(index, None)


without_op = operator("array_without", "X, I -> Out~X", kernel=_without, infer=_of_gradient,
                      grad={"X": lambda g, I: apply(without_op, g, I)}, moves=True, only_here=True, lists=True)
"""A gradient with zeros for one item."""

shifted_op = operator(
    "array_shifted", "X, By -> Out~X", kernel=lambda xp, array, by: ArrayValue([*[None] * _position(by), *array]),
    infer=_of_gradient, grad={"X": lambda g, By: apply(slice_op, g, By, None)},
    moves=True, only_here=True, lists=True)
"""A gradient with so many zeros before it."""


sum_op = operator("array_gradient_sum", "X, Y -> Out~X~Y", kernel=lambda xp, x, y: x + y, infer=_of_gradient,
                  grad={"X": lambda g: g, "Y": lambda g: g}, narrow=True, only_here=True, lists=True)


def _pieces(xp: Any, x: Any, sizes: Sequence[int], axis: int, use_stack: bool) -> list[Any]:
    axis = axis + x.ndim if axis < 0 else axis
    if use_stack:  # the sizes are the items' own along the axis
        return [x[(slice(None),) * axis + (slice(n, n + 1),)].squeeze(axis) for n in range(len(sizes))]
    ends = [sum(sizes[:n + 1]) for n in range(len(sizes))]
    return [x[(slice(None),) * axis + (slice(end - size, end),)] for size, end in zip(sizes, ends, strict=True)]


def _split(xp, x, sizes, *, axis: int = 0, use_stack: bool = False):
    return ArrayValue(_pieces(xp, x, host_values(sizes), axis, use_stack))


def _infer_split(x, sizes, *, axis=0, use_stack=False):
    shape = list(x.shape)
    shape[axis:axis + 1 or None] = [] if use_stack else [-1]
    return GradientArraySpec(tuple(shape), x.dtype)


split_op = operator(
    "array_split", "X, Sizes -> Out~X", kernel=_split, infer=_infer_split,
    grad={"X": lambda g, X, Sizes, axis, use_stack: apply(joined_op, g, X, Sizes, axis=axis, use_stack=use_stack)},
    moves=True, only_here=True, lists=True)
"""A tensor taken apart as it was joined: the gradient of that."""


def _joined(xp, array, like, sizes, *, axis: int = 0, use_stack: bool = False):
    result = xp.zeros_like(like)
    for n, part in enumerate(_pieces(xp, result, host_values(sizes), axis, use_stack)):
        if array.get(n) is not None:
            part[...] = array.get(n)
    return result


joined_op = operator(
    "array_gradient_joined", "X, Like, Sizes -> Out", kernel=_joined, infer=lambda array, like, sizes, **_: like,
    grad={"X": lambda g, Sizes, axis, use_stack: apply(split_op, g, Sizes, axis=axis, use_stack=use_stack)},
    moves=True, only_here=True, lists=True, fails="values")


def is_array(x: Any) -> bool:
    """Whether a value is a list of a Program."""
    return getattr(x, "kind", None) == "array"


def array_in(x: Any) -> Any:
    """The list of a Program that a value is, or the only item of a Python list; None where it is neither."""
    if type(x) in (list, tuple) and len(x) == 1:
        x = x[0]
    return x if is_array(x) else None


def joined(x: Any, axis: int, use_stack: bool) -> Any:
    """The items of a list one behind the other along an axis, or along a new one."""
    return apply(join_op, x, axis=axis, use_stack=use_stack)[0]

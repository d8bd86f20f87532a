"""Values rearranged, joined and divided: `flow.cat`, `flow.transpose`, `flow.split`, …"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ops.array import concat_split, creation, rearrange, triangles, unflatten
from ...ops.array import diagonal as diagonal_of
from ...ops.array import reshape as reshaping
from ...ops.array.full import is_value
from ...ops.array.indexing import getitem as _getitem
from ...ops.array.indexing import with_item
from ...ops.array.slices import slice_op
from ...ops.core.trace import current_trace
from ...ops.math import allclose as closeness
from ...ops.math import casting
from ..charge import apply_op, flowing
from ..size import Size


def reduce_size(x: Any) -> int:
    """The number of elements of a value whose sizes are known."""
    return math.prod(x.shape)


def sizes(what: str, given: tuple[Any, ...]) -> list[Any]:
    """The sizes that were given one by one, or as one list: `view(2, 3)`, `view([2, 3])`."""
    if len(given) == 1 and (isinstance(given[0], (list, tuple)) or is_value(given[0]) and len(given[0].shape) == 1):
        given = given[0]
    return [size if isinstance(size, int) else int(size) for size in given]


# Shapes

def reshape(input: Any, *shape: Any, **named: Any) -> Any:
    """The elements in another shape, of which one size may be -1: that which remains.

    >>> import proa.oneflow as flow
    >>> flow.reshape(flow.arange(6), (2, -1)).shape
    oneflow.Size([2, 3])
    """
    wanted = sizes("reshape", shape or (named["shape"],))
    if 0 in wanted:  # which copies a size below this face
        return _reshape_to_nothing(input, wanted)
    return apply_op(reshaping.reshape_op, (input, None, None), {"shape": wanted})


@flowing
def _reshape_to_nothing(input: Any, wanted: list[int]) -> Any:
    from ...ops.array.full import zeros

    if reduce_size(input):
        raise ValueError(f"reshape(input, shape): the number of elements must stay the same. Received "
                         f"input.shape={list(input.shape)}, shape={wanted}.")
    return zeros([0 if n == -1 else n for n in wanted], input.dtype)


view = reshape


def reshape_as(input: Any, other: Any) -> Any:
    """The elements in the shape of another value."""
    return reshape(input, *other.shape)


view_as = reshape_as


def permute(input: Any, *dims: Any, **named: Any) -> Any:
    """The dimensions in another order."""
    order = sizes("permute", dims or (named["dims"],))
    return _in_order(input, [n % input.ndim for n in order])


def transpose(input: Any, dim0: Any = None, dim1: int | None = None, perm: Any = None) -> Any:
    """Two dimensions swapped; given all of them (`perm`) they are in that order, and given none in reverse order."""
    order = dim0 if isinstance(dim0, (list, tuple)) else perm
    if order is not None:
        return _in_order(input, list(order))
    order = list(range(input.ndim))
    if dim0 is None or dim1 is None:
        return _in_order(input, order[::-1])
    if not order:
        return clone(input)
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return _in_order(input, order)


def _in_order(input: Any, order: list[int]) -> Any:
    return apply_op(reshaping.transpose_op, (input,), {"axis": order})


swapaxes = swapdims = transpose


@flowing
def movedim(input: Any, source: Any, destination: Any) -> Any:
    """Dimensions moved to other places."""
    return reshaping.moveaxis(input, source, destination)


@flowing
def t(input: Any) -> Any:
    """A matrix turned; a vector as it is."""
    return reshaping.t(input)


@flowing
def squeeze(input: Any, dim: Any = None) -> Any:
    """Without the dimensions of size 1, all or those given."""
    return reshaping.squeeze(input, dim)


@flowing
def unsqueeze(input: Any, dim: int) -> Any:
    """With another dimension, of size 1, at `dim`."""
    return reshaping.unsqueeze(input, dim)


@flowing
def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The dimensions from the first to the last given as one."""
    return reshaping.flatten(input, start_dim, end_dim)


@flowing
def expand(input: Any, *shape: Any) -> Any:
    """Dimensions of size 1 repeated to the sizes given, where -1 keeps one; new dimensions stand before the others."""
    return reshaping.expand(input, sizes("expand", shape))


def expand_as(input: Any, other: Any) -> Any:
    """As `expand`, to the sizes of another value."""
    return expand(input, *other.shape)


@flowing
def broadcast_to(input: Any, shape: Any) -> Any:
    """As `expand`."""
    return reshaping.broadcast_to(input, list(shape))


@flowing
def broadcast_like(input: Any, like: Any, broadcast_axes: Any = None) -> Any:
    """As `expand`, to the sizes of another value; `broadcast_axes`: where its dimensions are that input has not."""
    for axis in sorted(broadcast_axes or ()) if broadcast_axes and len(input.shape) < len(like.shape) else ():
        input = reshaping.unsqueeze(input, axis)
    return reshaping.broadcast_to(input, list(like.shape))


@flowing
def repeat(input: Any, *repeats: Any) -> Any:
    """The whole repeated along each dimension, new ones before the others.

    >>> import proa.oneflow as flow
    >>> flow.tensor([1, 2]).repeat(2, 2).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return reshaping.tile(input, sizes("repeat", repeats))


tile = repeat


@flowing
def repeat_interleave(input: Any, repeats: Any, dim: int | None = None, *, output_size: int | None = None) -> Any:
    """Each element repeated along a dimension, or of the flat value."""
    return rearrange.repeat_interleave(input, repeats, dim)


@flowing
def narrow(input: Any, dim: int, start: int, length: int) -> Any:
    """The part of `length` from `start` along a dimension."""
    before = (slice(None),) * (dim % len(input.shape))
    return _getitem(input, (*before, slice(start, start + length)))


@flowing
def select(input: Any, dim: int, index: int) -> Any:
    """What stands at an index of a dimension, without that."""
    return _getitem(input, (*(slice(None),) * (dim % len(input.shape)), index))


@flowing
def slice_(input: Any, slice_tup_list: Sequence[Any]) -> Any:
    """The parts (start, stop, step) along the first dimensions."""
    return _getitem(input, tuple(slice(*part) for part in slice_tup_list))


@flowing
def flip(input: Any, dims: Any) -> Any:
    """The elements in reverse order along dimensions."""
    return rearrange.flip(input, [dims] if isinstance(dims, int) else list(dims))


@flowing
def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """The elements moved along dimensions; what leaves at the end comes in at the beginning."""
    return rearrange.roll(input, shifts, dims)


@flowing
def tril(input: Any, diagonal: int = 0) -> Any:
    """Matrices with zeros above a diagonal."""
    return triangles.tril(input, diagonal)


@flowing
def triu(input: Any, diagonal: int = 0) -> Any:
    """Matrices with zeros below a diagonal."""
    return triangles.triu(input, diagonal)


@flowing
def diag(input: Any, diagonal: int = 0) -> Any:
    """The diagonal of a matrix, or the matrix with a vector as its diagonal."""
    return diagonal_of.diag(input, diagonal)


@flowing
def diagonal_(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The diagonal of two dimensions, as the last one."""
    return diagonal_of.diagonal(input, offset, dim1, dim2)


@flowing
def unfold(input: Any, dimension: int, size: int, step: int) -> Any:
    """Windows along a dimension, as a further dimension."""
    return unflatten.unfold(input, dimension, size, step)


@flowing
def as_strided(input: Any, size: Any, stride: Any, storage_offset: int = 0) -> Any:
    """What strides over the flat value give."""
    return unflatten.as_strided(input, list(size), list(stride), storage_offset or 0)


# Joining and dividing

@flowing
def cat(tensors: Any = None, dim: int = 0, *, axis: int | None = None, inputs: Any = None) -> Any:
    """Values one behind the other along a dimension.

    >>> import proa.oneflow as flow
    >>> flow.cat([flow.ones(1, 2), flow.zeros(1, 2)], dim=0).tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    """
    if tensors is None and inputs is None:
        raise TypeError("cat(tensors): give a list of values.")
    given = list(inputs if tensors is None else tensors)
    kinds = [x for x in given if not (len(x.shape) == 1 and x.shape[0] == 0)] or given[:1]
    return concat_split.concat(_of_one_dtype(kinds), dim if axis is None else axis)


concat = cat


def _of_one_dtype(values: list) -> list:
    from ...core.dtype import promote

    dtype = values[0].dtype
    for value in values[1:]:
        dtype = promote(dtype, value.dtype)
    return [casting.in_dtype(value, dtype) for value in values]


@flowing
def stack(tensors: Any, dim: int = 0) -> Any:
    """Values of one shape along a dimension of their own."""
    return concat_split.stack(_of_one_dtype(list(tensors)), dim)


@flowing
def split(input: Any, split_size_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """Parts along a dimension: of a size, the last of which may be smaller, or of several sizes.

    They are views: what is written to a part, the whole has too.

    >>> import proa.oneflow as flow
    >>> x = flow.zeros(3)
    >>> flow.split(x, 2)[1][:] = 1
    >>> x.tolist()
    [0.0, 0.0, 1.0]
    """
    size, total = split_size_or_sections, input.shape[dim]
    if isinstance(size, int):
        parts = [size] * (total // size) + ([total % size] if total % size else [])
    else:
        parts = [int(n) for n in size]
    if len(parts) < 2:
        return (_getitem(input, slice(None)),)
    found = concat_split.split(input, parts, dim)
    current_trace().note_views(found, slice_op, input, _places(dim % len(input.shape), tuple(parts)))
    return tuple(found)


@functools.cache
def _places(axis: int, sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """Where parts of these sizes are, as the operator `slice` says it."""
    ends = list(itertools.accumulate(sizes))
    return [{"axes": [axis], "starts": [end - size], "ends": [end]} for end, size in zip(ends, sizes, strict=True)]


@flowing
def chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """At most so many parts of one size along a dimension, the last of which may be smaller."""
    return split.__wrapped__(input, -(-input.shape[dim] // chunks), dim)  # type: ignore[attr-defined]


@flowing
def tensor_split(input: Any, indices_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """Parts along a dimension: so many, or divided at indices."""
    total = input.shape[dim]
    bounds = (np.cumsum([0, *(len(part) for part in np.array_split(np.arange(total), indices_or_sections))]).tolist()
              if isinstance(indices_or_sections, int) else [0, *indices_or_sections, total])
    return tuple(narrow.__wrapped__(input, dim, low, high - low)  # type: ignore[attr-defined]
                 for low, high in zip(bounds[:-1], bounds[1:], strict=True))


def vsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """As `tensor_split` along the first dimension."""
    return tensor_split(input, indices_or_sections, 0)


def hsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """As `tensor_split` along the second dimension, or the only one."""
    return tensor_split(input, indices_or_sections, 1 if len(input.shape) > 1 else 0)


@flowing
def unbind(input: Any, dim: int = 0) -> tuple[Any, ...]:
    """The parts along a dimension, without it."""
    return tuple(concat_split.unbind(input, dim))


hstack, vstack = flowing(concat_split.hstack), flowing(concat_split.vstack)
row_stack = vstack
atleast_1d, atleast_2d, atleast_3d = (
    flowing(f) for f in (unflatten.atleast_1d, unflatten.atleast_2d, unflatten.atleast_3d))


@flowing
def column_stack(tensors: Any) -> Any:
    """Values side by side: vectors as columns."""
    return concat_split.concat([x if len(x.shape) > 1 else reshaping.reshape(x, [-1, 1]) for x in tensors], 1)


@flowing
def dstack(tensors: Any) -> Any:
    """Values behind each other along the third dimension."""
    return concat_split.concat([unflatten.atleast_3d(x) for x in tensors], 2)


def broadcast_shapes(*shapes: Any) -> Size:
    """The one shape that all broadcast to."""
    return Size(np.broadcast_shapes(*(tuple(shape) if not isinstance(shape, int) else (shape,) for shape in shapes)))


@flowing
def slice_update(input: Any, update: Any, slice_tup_list: Sequence[Any]) -> Any:
    """The elements, with others in the place of the parts (start, stop, step) along the first dimensions."""
    return with_item(input, tuple(slice(*part) for part in slice_tup_list), update)


@flowing
def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """The values in the one shape that all broadcast to."""
    return tuple(concat_split.broadcast_tensors(list(tensors)))


@flowing
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Any, ...]:
    """The coordinates of a grid: of each vector a value with all dimensions."""
    vectors = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)
    if indexing != "xy" or len(vectors) < 2:
        return tuple(creation.meshgrid(vectors))
    turned = creation.meshgrid([vectors[1], vectors[0], *vectors[2:]])
    return (turned[1], turned[0], *turned[2:])


# Comparing

@flowing
def allclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are within atol + rtol * |other| of each other."""
    return bool(closeness.allclose(input, other, rtol, atol, equal_nan))


@flowing
def isclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Which elements are within atol + rtol * |other| of each other."""
    return closeness.isclose(input, other, rtol, atol, equal_nan)


@flowing
def equal(input: Any, other: Any) -> bool:
    """Whether both have one shape and equal elements."""
    return list(input.shape) == list(other.shape) and bool(closeness.equal_all(input, other))


@flowing
def clone(input: Any) -> Any:
    """A value of its own, to which the gradient of this one flows."""
    return reshaping.clone(input)

"""Parts of values: slice, slice_v2, slice_update, logical_slice, logical_slice_assign, sync_dynamic_resize, reverse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ops.array.creation import assign as write
from ...ops.array.rearrange import flip
from ...ops.array.slices import Ranges
from ..charge import their_face
from ..values import axes_of

_FAR = 2**31 - 1


def part(x: Any, axis: int, start: int, stop: int) -> Any:
    """x from `start` up to `stop`, without it, along a dimension."""
    ranges = Ranges()
    ranges.add(axis, start, stop)
    return ranges.take(x)


@their_face
def slice_v2(x: Any, slice_tup_list: Sequence[Sequence[int | None]], name: str | None = None) -> Any:
    """The part of x that a triple (start, stop, step) a dimension says; None is the end that is meant, or step 1.

    >>> import numpy as np
    >>> import proa.oneflow as flow
    >>> @flow.global_function()
    ... def job(x: flow.typing.Numpy.Placeholder((6,))) -> flow.typing.Numpy:
    ...     return flow.slice_v2(x, [(1, None, 2)])
    >>> job(np.arange(6, dtype="float32")).tolist()
    [1.0, 3.0, 5.0]
    """
    return _ranges("slice_v2", x, slice_tup_list).take(x)


@their_face
def slice_update(x: Any, update: Any, slice_tup_list: Sequence[Sequence[int | None]], name: str | None = None) -> Any:
    """x with `update` in the place of the part that `slice_v2` would take."""
    return _ranges("slice_update", x, slice_tup_list).put(x, update)


@their_face
def slice(x: Any, begin: Sequence[int | None], size: Sequence[int | None], name: str | None = None) -> Any:
    """The part of x that begins at `begin` and has the sizes `size`; None begins at 0; None and -1 take the rest."""
    rank = len(x.shape)
    for what, given in (("begin", begin), ("size", size)):
        if not isinstance(given, (list, tuple)) or len(given) != rank or not all(map(_is_bound, given)):
            raise ValueError(f"slice(x, begin, size): {what} must be a list of {rank} ints (or None), one for each "
                             f"dimension of x. Received {given!r}.")
    ranges = Ranges()
    for axis, (first, many, there) in enumerate(zip(begin, size, x.shape, strict=True)):
        first = 0 if first is None else first
        if there >= 0 and not -there <= first < there:
            raise ValueError(f"slice(x, begin, size): begin must lie in x. Received begin={list(begin)} for "
                             f"x.shape={list(x.shape)}.")
        first = first + there if first < 0 <= there else first
        many = -1 if many is None else many
        if many != -1 and (many <= 0 or 0 <= there < many):
            raise ValueError(f"slice(x, begin, size): sizes must be -1 or from 1 up to x's. Received size={list(size)} "
                             f"for x.shape={list(x.shape)}.")
        ranges.add(axis, first, _FAR if many == -1 or first + many == 0 else first + many)
    return ranges.take(x)


@their_face
def logical_slice(x: Any, slice_tup_list: Sequence[Sequence[int | None]], name: str | None = None) -> Any:
    """As `slice_v2`, with steps above 0."""
    return _forwards("logical_slice", x, slice_tup_list).take(x)


@their_face
def logical_slice_assign(x: Any, value: Any, slice_tup_list: Sequence[Sequence[int | None]],
                         name: str | None = None) -> None:
    """Writes a value to the part of a variable that `logical_slice` would take."""
    write(_forwards("logical_slice_assign", x, slice_tup_list).put(x, value), x)


def _forwards(what: str, x: Any, triples: Sequence[Sequence[int | None]]) -> Ranges:
    ranges = _ranges(what, x, triples)
    if any(step < 1 for step in ranges.strides):
        raise ValueError(f"{what}(x, slice_tup_list): steps must be above 0. Received {triples!r}.")
    return ranges


@their_face
def sync_dynamic_resize(inputs: Any, size: Any, name: str | None = None) -> Any:
    """The first rows: as many as `size`, a blob of one element, says."""
    ranges = Ranges()
    ranges.add(0, 0, size)
    return ranges.take(inputs)


@their_face
def reverse(input: Any, axis: Any, name: str | None = None) -> Any:
    """The elements along a dimension, or several, in the opposite order."""
    return flip(input, axes_of("reverse(axis)", axis, len(input.shape)))


def _is_bound(n: Any) -> bool:
    return n is None or isinstance(n, (int, np.integer))


def _ranges(what: str, x: Any, triples: Sequence[Sequence[int | None]]) -> Ranges:
    rank = len(x.shape)
    if not isinstance(triples, (list, tuple)) or len(triples) > rank:
        raise ValueError(f"{what}(x, slice_tup_list): a list of triples (start, stop, step), at most one for each of "
                         f"the {rank} dimensions of x. Received {triples!r}.")
    ranges = Ranges()
    for axis, triple in enumerate(triples):
        if not isinstance(triple, (list, tuple)) or len(triple) != 3 or not all(map(_is_bound, triple)):
            raise ValueError(f"{what}(x, slice_tup_list): each must be a triple (start, stop, step) of ints or None. "
                             f"Received {triple!r}.")
        start, stop, step = triple
        step = 1 if step is None else int(step)
        size = x.shape[axis]
        if step == 0:
            raise ValueError(f"{what}(x, slice_tup_list): a step must not be 0. Received {triple!r}.")
        if size >= 0 and ((start is not None and not -size <= start < size)
                          or (stop is not None and not -size - 1 <= stop <= size)):
            raise ValueError(f"{what}(x, slice_tup_list): a range must lie in its dimension, of size {size}. Received "
                             f"{triple!r} for dimension {axis}.")
        if start is None:
            start = 0 if step > 0 else _FAR
        if stop is None:
            stop = _FAR if step > 0 else -_FAR
        ranges.add(axis, int(start), int(stop), step)
    return ranges

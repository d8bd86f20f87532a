"""Sums of slices that share an id: unsorted_segment_sum, unsorted_segment_sum_like, unsorted_batch_segment_sum."""

from __future__ import annotations

from typing import Any

from ...core.dtype import int64
from ...ops.array.full import zeros
from ...ops.array.gather import index_add
from ...ops.array.reshape import reshape
from ...ops.array.where import where
from ...ops.math import casting, comparison, elementwise
from ..array.creation import numbered
from ..array.slices import part
from ..charge import their_face
from ..values import axis_of, number_like


@their_face
def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: int, axis: int = 0,
                         name: str | None = None) -> Any:
    """The sums of the slices of `data` along `axis` that have the same id, for the ids from 0 on.

    The dimensions of `segment_ids` are those of `data` from `axis` on. Slices whose id is none of them are left out.
    """
    axis = axis_of("unsorted_segment_sum(axis)", axis, len(data.shape))
    depth = len(segment_ids.shape)
    before, behind = list(data.shape[:axis]), list(data.shape[axis + depth:])
    ids, count = reshape(segment_ids, [-1]), int(num_segments)
    rows = reshape(data, [*before, -1, *behind]) if depth != 1 else data
    total = zeros([*before, count + 1, *behind], data.dtype)  # one more, for what is left out
    return part(index_add(total, _within(ids, count), axis, rows), axis, 0, count)


def _within(ids: Any, count: int) -> Any:
    """The ids, and `count` for those that are below 0 or not below it."""
    ids = casting.in_dtype(ids, int64)
    outside = comparison.logical_or(comparison.less_than(ids, number_like(ids, 0)),
                                    comparison.greater_equal(ids, number_like(ids, count)))
    return where(outside, number_like(ids, count), ids)


@their_face
def unsorted_segment_sum_like(data: Any, segment_ids: Any, like: Any, axis: int = 0, name: str | None = None) -> Any:
    """As `unsorted_segment_sum`, with as many segments as `like` has along `axis`."""
    axis = axis_of("unsorted_segment_sum_like(axis)", axis, len(data.shape))
    return unsorted_segment_sum(data, segment_ids, like.shape[axis], axis)


@their_face
def unsorted_batch_segment_sum(data: Any, segment_ids: Any, num_segments: int, name: str | None = None) -> Any:
    """As `unsorted_segment_sum` with ids of each row's own: all dimensions of `segment_ids` but its last are rows'."""
    rank = len(segment_ids.shape)
    rows, length, behind = list(segment_ids.shape[:-1]), segment_ids.shape[-1], list(data.shape[rank:])
    count, many = int(num_segments), 1
    for size in rows:
        many *= size
    ids = _within(reshape(segment_ids, [many, length]), count)
    first = reshape(elementwise.scale(numbered(0, many, 1, int64), count + 1), [many, 1])
    total = zeros([many * (count + 1), *behind], data.dtype)
    summed = index_add(total, reshape(elementwise.add(ids, first), [-1]), 0, reshape(data, [many * length, *behind]))
    return reshape(part(reshape(summed, [many, count + 1, *behind]), 1, 0, count), [*rows, count, *behind])

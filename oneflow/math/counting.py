"""What finds and counts: argmax, top_k, in_top_k, reduced_shape_elem_cnt, count_not_finite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.dtype import int64
from ...ops.array.reshape import reshape, unsqueeze
from ...ops.array.sorting import topk
from ...ops.array.take_along_axis import take_along_axis
from ...ops.math import casting, comparison, elementwise, extreme_positions, reduce, unary
from ...ops.math.add_n import add_n
from ..array.creation import constant_like, elem_cnt
from ..charge import their_face
from ..values import as_int8, axes_of, axis_of, number_like


@their_face
def argmax(input: Any, axis: int = -1, name: str | None = None) -> Any:
    """The positions of the largest elements along a dimension, the first of equal ones, int64."""
    return extreme_positions.argmax(input, axis_of("argmax(axis)", axis, len(input.shape)))


@their_face
def top_k(input: Any, axis: int = -1, k: int = 1, sorted: bool = True, name: str | None = None) -> Any:
    """The positions of the k largest elements along a dimension, the largest first, int64."""
    axis = axis_of("top_k(axis)", axis, len(input.shape))
    size = input.shape[axis]
    return topk(input, min(k, size) if size >= 0 else k, axis)[1]


@their_face
def in_top_k(targets: Any, predictions: Any, k: int, name: str | None = None) -> Any:
    """1 where fewer than k of a row of `predictions` are larger than the target's, else 0, as int8.

    0 also where a target is no column, and where the row holds something that is not finite.
    """
    columns = predictions.shape[1]
    targets = casting.in_dtype(targets, int64)
    zero, last = number_like(targets, 0), number_like(targets, columns - 1)
    within = elementwise.minimum(elementwise.maximum(targets, zero), last)
    picked = take_along_axis(predictions, unsqueeze(within, 1), 1, broadcast=False)
    larger = reduce.sum(casting.cast(comparison.greater_than(predictions, picked), int64), 1)
    found = comparison.logical_and(comparison.less_than(larger, number_like(larger, k)),
                                   reduce.all(unary.isfinite(predictions), 1))
    return as_int8(comparison.logical_and(found, comparison.equal(within, targets)))


@their_face
def reduced_shape_elem_cnt(input_blob: Any, axis: Any = None, dtype: Any = None, name: str | None = None) -> Any:
    """How many elements there are along dimensions, all for None: a vector of one, int32 unless `dtype` says else."""
    if axis is None:
        return elem_cnt(input_blob, dtype)
    axes = axes_of("reduced_shape_elem_cnt(axis)", axis, len(input_blob.shape))
    along = reduce.sum(constant_like(input_blob, 1, dtype or "int32"), axes, dtype or "int32", keepdim=True)
    return reshape(reduce.max(along), [1])


@their_face
def count_not_finite(x: Any, name: str | None = None) -> Any:
    """How many elements are infinite or NaN: a vector of one, int64."""
    wrong = casting.cast(unary.logical_not(unary.isfinite(x)), int64)
    return reshape(reduce.sum(wrong), [1])


@their_face
def multi_count_not_finite(x: Sequence[Any], name: str | None = None) -> Any:
    """How many elements of several blobs are infinite or NaN: a vector of one, int64."""
    return add_n([count_not_finite(each) for each in x])

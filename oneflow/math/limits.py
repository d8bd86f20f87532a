"""`flow.math` that keeps part of a value: clip_by_value, tril, fused_scale_tril, l2_normalize."""

from __future__ import annotations

from typing import Any

from ...core.dtype import bool_
from ...nn.functional import activation, common
from ...ops.array.full import full
from ...ops.array.triangles import tril as lower
from ...ops.array.where import where
from ...ops.math import casting, comparison, elementwise, reduce, unary
from ..charge import their_face
from ..values import axis_of, number_like
from .arithmetic import multiply


@their_face
def clip_by_value(values: Any, min_value: Any = None, max_value: Any = None, name: str | None = None) -> Any:
    """Each element brought between two numbers, either of which may be None. The slope is 1 at the limits too."""
    if min_value is None and max_value is None:
        raise ValueError("clip_by_value(values, min_value, max_value): give one of the limits at least.")
    if max_value is not None:
        high = number_like(values, max_value)
        values = where(comparison.greater_than(values, high), high, values)
    if min_value is not None:
        low = number_like(values, min_value)
        values = where(comparison.less_than(values, low), low, values)
    return values


@their_face
def l2_normalize(input: Any, axis: int, epsilon: float = 1e-12, name: str | None = None) -> Any:
    """x / sqrt(max(sum of x * x along `axis`, epsilon))."""
    axis = axis_of("l2_normalize(axis)", axis, len(input.shape))
    squares = reduce.sum(unary.square(input), axis, keepdim=True)
    return elementwise.divide(input, unary.sqrt(elementwise.maximum(squares, number_like(input, epsilon))))


@their_face
def tril(x: Any, diagonal: int = 0, fill_value: Any = 0, name: str | None = None) -> Any:
    """The lower triangles of the matrices in the last two dimensions, `fill_value` above diagonal number `diagonal`."""
    if not fill_value:
        return lower(x, diagonal)
    kept = casting.cast(lower(full(list(x.shape[-2:]), 1, "int32"), diagonal), bool_)
    return where(kept, x, number_like(x, fill_value))


@their_face
def fused_scale_tril(x: Any, diagonal: int = 0, fill_value: Any = 0, scale: Any = 1, name: str | None = None) -> Any:
    """`tril` of x * scale."""
    return tril(multiply(x, scale), diagonal, fill_value)


@their_face
def fused_scale_tril_softmax_dropout(x: Any, diagonal: int = 0, fill_value: Any = 0, scale: Any = 1, rate: float = 0.0,
                                     noise_shape: Any = None, seed: int | None = None,
                                     name: str | None = None) -> Any:
    """dropout(softmax(fused_scale_tril(x))) along the last dimension: what masks attention."""
    if noise_shape is not None:
        raise NotImplementedError("fused_scale_tril_softmax_dropout(noise_shape): elements are dropped one by one. "
                                  "Apply fused_scale_tril, flow.nn.softmax and flow.nn.dropout to have another mask.")
    return common.dropout(activation.softmax(fused_scale_tril(x, diagonal, fill_value, scale)), rate)

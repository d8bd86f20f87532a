"""Shapes: sums over what was broadcast, and values brought to a shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....ops.array.assign import shape as sizes_of
from ....ops.array.expand import expand_as_op, expand_op
from ....ops.array.reshape import reshape
from ....ops.core.trace import apply
from ....ops.math.reduce import sum as total
from .registry import form, gradient


@form("expand_to_shape", "X, Like? -> Out")
def _expanded(x: Any, like: Any, *, shape: Sequence[int] = ()) -> Any:
    if like is None:
        return apply(expand_op, x, None, None, shape=list(shape))
    return apply(expand_as_op, x, like, target_shape=list(like.shape))


@form("sum_to_shape", "X, Like? -> Out")
def _summed(x: Any, like: Any, *, shape: Sequence[int] = ()) -> Any:
    if like is not None:
        return gradient("elementwise_add", "X", like, {"X": like, "Y": x, "Out@GRAD": x})
    extra = len(x.shape) - len(shape)
    over = [n for n in range(len(x.shape)) if n < extra or shape[n - extra] == 1 != x.shape[n]]
    summed = total(x, over, keepdim=True) if over else x
    return reshape(summed, list(shape))


@form("reshape_to_shape", "X, Like? -> Out")
def _reshaped(x: Any, like: Any, *, shape: Sequence[int] = ()) -> Any:
    if like is None:
        return reshape(x, list(shape))
    return reshape(x, list(like.shape) if tuple(like.shape).count(-1) == 1 else sizes_of(like))

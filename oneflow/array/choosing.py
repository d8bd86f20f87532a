"""Elements chosen by conditions, and ordered: where, argwhere, nonzero, masked_fill, sort, argsort; assign."""

from __future__ import annotations

from typing import Any

from ...core.dtype import int32
from ...ops.array import sorting
from ...ops.array import where as base
from ...ops.array.creation import assign as write
from ...ops.array.reshape import transpose
from ...ops.math.casting import in_dtype
from ..charge import their_face
from ..values import as_condition, axis_of, number_like

_DIRECTIONS = ("ASCENDING", "DESCENDING")


@their_face
def argwhere(condition: Any, dtype: Any = None, name: str | None = None) -> Any:
    """The positions of what is not 0, a row each, int32 unless another dtype is given."""
    return in_dtype(base.nonzero(as_condition(condition)), int32 if dtype is None else dtype)


@their_face
def nonzero(a: Any, name: str | None = None) -> Any:
    """The positions of what is not 0: a row for each dimension, int32."""
    return transpose(argwhere(a), [1, 0])


@their_face
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """x where the condition is not 0 and y elsewhere, broadcasting; `argwhere` without x and y.

    >>> import numpy as np
    >>> import proa.oneflow as flow
    >>> @flow.global_function()
    ... def job(x: flow.typing.Numpy.Placeholder((2,))) -> flow.typing.Numpy:
    ...     return flow.where(flow.math.greater(x, 0.0), x, flow.zeros_like(x))
    >>> job(np.array([-1, 2], "float32")).tolist()
    [0.0, 2.0]
    """
    if x is None and y is None:
        return argwhere(condition)
    if x is None or y is None:
        raise ValueError("where(condition, x, y): give both x and y, or neither.")
    return base.where(as_condition(condition), x, y)


@their_face
def masked_fill(x: Any, mask: Any, value: Any, name: str | None = None) -> Any:
    """x with a number where the mask is not 0."""
    return base.where(as_condition(mask), number_like(x, value), x)


def _descends(what: str, direction: str) -> bool:
    if direction not in _DIRECTIONS:
        raise ValueError(f"{what}(direction): must be 'ASCENDING' or 'DESCENDING'. Received {direction!r}.")
    return direction == "DESCENDING"


@their_face
def sort(input: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Any:
    """The elements along a dimension in order, the smallest first or ('DESCENDING') the largest."""
    return sorting.sort(input, axis_of("sort(axis)", axis, len(input.shape)), _descends("sort", direction))


@their_face
def argsort(input: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Any:
    """The positions, int32, of the elements along a dimension in order."""
    axis = axis_of("argsort(axis)", axis, len(input.shape))
    return in_dtype(sorting.argsort(input, axis, _descends("argsort", direction)), int32)


@their_face
def assign(ref: Any, value: Any, dtype: Any = None, name: str | None = None) -> None:
    """Writes a value to a variable: it has it from there on, and in the calls that follow."""
    write(in_dtype(value, ref.dtype), ref)

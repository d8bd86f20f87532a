"""Values joined: concat, stack; and spread to one shape: broadcast_to_compatible_with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.array import concat_split
from ...ops.array.expand import broadcast_shape, broadcast_to
from ..charge import their_face
from ..values import axis_of


@their_face
def concat(inputs: Sequence[Any] | None = None, axis: int = 0, max_dim_size: int | None = None,
           name: str | None = None, values: Sequence[Any] | None = None) -> Any:
    """Several values one behind the other along a dimension; `values` is an older name of `inputs`."""
    if (inputs is None) == (values is None):
        raise TypeError("concat(inputs): give a list of blobs, once.")
    parts = list(inputs or values or ())
    if len(parts) == 1:
        return parts[0]
    axis = axis_of("concat(axis)", axis, len(parts[0].shape))
    total = sum(int(part.shape[axis]) for part in parts)
    if max_dim_size is not None and max_dim_size < total and all(part.shape[axis] >= 0 for part in parts):
        raise ValueError(f"concat(max_dim_size): must hold what is joined, {total}. Received {max_dim_size}.")
    return concat_split.concat(parts, axis)


@their_face
def stack(inputs: Sequence[Any], axis: int = 0, name: str | None = None) -> Any:
    """Several values of one shape along a new dimension."""
    parts = list(inputs)
    if any(tuple(part.shape) != tuple(parts[0].shape) for part in parts):
        raise ValueError("stack(inputs): all must have one shape. Received "
                         f"{', '.join(str(list(part.shape)) for part in parts)}.")
    return concat_split.stack(parts, axis_of("stack(axis)", axis, len(parts[0].shape) + 1))


@their_face
def broadcast_to_compatible_with(x: Any, compatible: Sequence[Any], name: str | None = None) -> Any:
    """x spread to the shape that it and the others have together."""
    shape = list(x.shape)
    for other in compatible:
        shape = broadcast_shape(shape, list(other.shape))
    return broadcast_to(x, shape)

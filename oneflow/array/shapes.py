"""Values in another shape: reshape, transpose, flatten, squeeze, expand_dims, expand, broadcast_like, identity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.array import reshape as base
from ...ops.array.creation import assign as copy
from ...ops.array.expand import expand as spread
from ...ops.array.reshape import shape as shape_vector
from ..charge import their_face
from ..values import axes_of, axis_of, sizes_of


@their_face
def reshape(x: Any, shape: Sequence[int], name: str | None = None) -> Any:
    """x in another shape; one size may be -1, and is then what is left.

    >>> import numpy as np
    >>> import proa.oneflow as flow
    >>> @flow.global_function()
    ... def job(x: flow.typing.Numpy.Placeholder((2, 3))) -> flow.typing.Numpy:
    ...     return flow.reshape(x, [3, -1])
    >>> job(np.ones((2, 3), "float32")).shape
    (3, 2)
    """
    if not isinstance(shape, (tuple, list)) or any(n != -1 and n <= 0 for n in shape) or list(shape).count(-1) > 1:
        raise ValueError("reshape(x, shape): shape must be a list or tuple of sizes above 0, one of which may be -1. "
                         f"Received {shape!r} for x.shape={list(x.shape)}.")
    return base.reshape(x, list(shape))


@their_face
def reshape_like(x: Any, like: Any, name: str | None = None) -> Any:
    """x in the shape of another value."""
    return base.reshape(x, sizes_of(like))


dynamic_reshape = reshape


@their_face
def transpose(a: Any, perm: Sequence[int] | None = None, conjugate: bool = False, batch_axis_non_change: bool = False,
              name: str | None = None) -> Any:
    """a with its dimensions in the order `perm`."""
    if not isinstance(perm, (tuple, list)):
        raise TypeError(f"transpose(a, perm): perm must be a list or tuple of dimensions. Received {perm!r}.")
    if conjugate:
        raise NotImplementedError("transpose(conjugate): there are no complex blobs. Leave it out.")
    return base.transpose(a, axes_of("transpose(perm)", list(perm), len(a.shape)))


@their_face
def flatten(input: Any, start_dim: int = 0, end_dim: int = -1, name: str | None = None) -> Any:
    """The dimensions from start_dim to end_dim as one."""
    return base.flatten(input, start_dim, end_dim)


@their_face
def squeeze(input: Any, axis: Sequence[int] | None = None, name: str | None = None) -> Any:
    """Without the dimensions `axis`, or all, of size 1."""
    axes = None if axis is None else axes_of("squeeze(axis)", axis, len(input.shape))
    for n in axes or []:
        if input.shape[n] not in (1, -1):
            raise ValueError(f"squeeze(input, axis): dimensions that go must have size 1. Received axis={axis} for "
                             f"input.shape={list(input.shape)}.")
    if axes is None:
        axes = [n for n, size in enumerate(input.shape) if size == 1]
    return base.squeeze(input, axes) if axes else copy(input)


@their_face
def expand_dims(input: Any, axis: int, name: str | None = None) -> Any:
    """With a dimension of size 1 at `axis`."""
    return base.unsqueeze(input, axis_of("expand_dims(axis)", axis, len(input.shape) + 1))


@their_face
def expand(x: Any, expand_size: Sequence[int], name: str | None = None) -> Any:
    """x repeated along its dimensions of size 1, and along new ones in front; -1 leaves a size."""
    if len(expand_size) < len(x.shape):
        raise ValueError("expand(x, expand_size): a size for each dimension of x at least. Received "
                         f"{list(expand_size)} for x.shape={list(x.shape)}.")
    return spread(x, list(expand_size))


@their_face
def broadcast_like(x: Any, like: Any, broadcast_axes: Sequence[int] | None = None, name: str | None = None) -> Any:
    """x repeated along `broadcast_axes`, all dimensions by default, to the shape of `like`.

    x has size 1 there, or where it has fewer dimensions than `like` is without them.
    """
    rank = len(like.shape)
    axes = axes_of("broadcast_like(broadcast_axes)", broadcast_axes, rank)
    if not axes:
        raise ValueError("broadcast_like(broadcast_axes): name one dimension of `like` at least.")
    if len(x.shape) < rank and len(x.shape) == rank - len(axes):
        x = base.unsqueeze(x, sorted(axes))
    return spread(x, shape_vector(like) if -1 in like.shape else list(like.shape))


@their_face
def identity(x: Any, name: str | None = None) -> Any:
    """x, as a value of its own."""
    return copy(x)


amp_white_identity = cast_to_static_shape = identity


@their_face
def identity_n(inputs: Sequence[Any], name: str | None = None) -> list[Any]:
    """Each of several values, as values of their own."""
    return [copy(x) for x in inputs]

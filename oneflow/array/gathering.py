"""Elements taken by positions and put back: gather, gather_nd, dim_gather, scatter_nd, tensor_scatter_nd_update."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.dtype import int64
from ...ops.array import gather as base
from ...ops.array.concat_split import unbind
from ...ops.array.expand import expand
from ...ops.array.reshape import reshape, unsqueeze
from ...ops.array.take_along_axis import take_along_axis
from ...ops.array.where import index_put
from ...ops.math.casting import in_dtype
from ..charge import their_face
from ..values import axis_of


@their_face
def gather(params: Any, indices: Any, validate_indices: Any = None, axis: int | None = None, batch_dims: int = 0,
           name: str | None = None) -> Any:
    """The slices of `params` at positions along `axis`; with `batch_dims` each row of indices takes from its own row.

    Of indices' dimensions the last one is then that of positions, and those before it, however many `batch_dims` says,
    are of rows: OneFlow has it so, and scripts write `gather(x, positions, axis=2, batch_dims=2)`.

    >>> import numpy as np
    >>> import proa.oneflow as flow
    >>> @flow.global_function()
    ... def job(x: flow.typing.Numpy.Placeholder((3,)),
    ...         i: flow.typing.Numpy.Placeholder((2,), flow.int32)) -> flow.typing.Numpy:
    ...     return flow.gather(x, i)
    >>> job(np.array([5, 6, 7], "float32"), np.array([2, 0], "int32")).tolist()
    [7.0, 5.0]
    """
    axis = batch_dims if axis is None else axis_of("gather(axis)", axis, len(params.shape))
    if batch_dims:
        if axis != batch_dims:
            raise NotImplementedError("gather(axis, batch_dims): the axis must be the first dimension behind the rows, "
                                      f"{batch_dims}. Received axis={axis}.")
        return _batch_gather(params, indices)
    before, behind = list(params.shape[:axis]), list(params.shape[axis + 1:])
    taken = base.gather(params, reshape(indices, [-1]), axis)
    return taken if len(indices.shape) == 1 else reshape(taken, [*before, *indices.shape, *behind])


def _batch_gather(params: Any, indices: Any) -> Any:
    """Row by row: shapes (rows…, n, rest…) and (rows…, m) give (rows…, m, rest…)."""
    batch_dims = len(indices.shape) - 1
    if list(params.shape[:batch_dims]) != list(indices.shape[:-1]):
        raise ValueError("gather(batch_dims): params and indices must have the same rows. Received "
                         f"params.shape={list(params.shape)}, indices.shape={list(indices.shape)}.")
    rest = list(params.shape[batch_dims + 1:])
    places = in_dtype(indices, int64)
    if rest:
        places = unsqueeze(places, [*range(batch_dims + 1, batch_dims + 1 + len(rest))])
        places = expand(places, [*indices.shape, *rest])
    return take_along_axis(params, places, batch_dims, broadcast=False)


@their_face
def gather_nd(params: Any, indices: Any, name: str | None = None) -> Any:
    """The parts of `params` at the positions in the last dimension of `indices`."""
    return base.gather_nd(params, indices)


@their_face
def dim_gather(input: Any, dim: int, index: Any, name: str | None = None) -> Any:
    """For each place of `index` the element of `input` there, with the position that stands there along `dim`."""
    rank = len(input.shape)
    dim = axis_of("dim_gather(dim)", dim, rank)
    if len(index.shape) != rank or any(
            n != dim and size != other for n, (size, other) in enumerate(zip(input.shape, index.shape, strict=False))):
        raise ValueError("dim_gather(input, dim, index): sizes must agree but along dim. Received "
                         f"input.shape={list(input.shape)}, index.shape={list(index.shape)}, dim={dim}.")
    return take_along_axis(input, in_dtype(index, int64), dim, broadcast=False)


@their_face
def scatter_nd(indices: Any, updates: Any, shape: Sequence[int], name: str | None = None) -> Any:
    """Zeros with `updates` added at the positions in the last dimension of `indices`."""
    return base.scatter_nd(indices, updates, list(shape))


@their_face
def tensor_scatter_nd_update(params: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """`params` with `updates` in the place of what stands at the positions in the last dimension of `indices`."""
    return index_put(params, unbind(indices, len(indices.shape) - 1), updates)


@their_face
def tensor_scatter_nd_add(params: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """`params` with `updates` added at the positions in the last dimension of `indices`."""
    return base.scatter_nd_add(params, indices, updates)

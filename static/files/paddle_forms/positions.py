"""Positions: of maxima, of samples, of boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....core import dtype as dt
from ....ops.array.concat_split import stack, unstack
from ....ops.array.creation import full_like
from ....ops.array.reshape import reshape
from ....ops.array.take_along_axis import put_along_axis, take_along_axis
from ....ops.core.trace import apply, current_trace
from ....ops.linalg.solving import determinant_op
from ....ops.math.casting import cast
from ....ops.math.comparison import equal
from .registry import form, gradient, gradients, zeros


@form("take_positions", "X, Mask -> Out")
def _taken_at(x: Any, mask: Any) -> Any:
    _check_each_channel(mask, x)
    taken = take_along_axis(reshape(x, [0, 0, -1]), reshape(mask, [0, 0, -1]), 2)
    return reshape(taken, [0, 0, *list(mask.shape)[2:]])


@form("put_positions", "G, Mask, Like? -> Out")
def _put_at(g: Any, mask: Any, like: Any, *, size: Sequence[int] = ()) -> Any:
    _check_each_channel(mask, g)
    sizes = list(size) if like is None else list(like.shape)[2:]
    into = zeros([g.shape[0], g.shape[1], -1 if -1 in sizes else math.prod(sizes)], g)
    placed = put_along_axis(into, reshape(mask, [0, 0, -1]), reshape(g, [0, 0, -1]), 2, "add")
    return reshape(placed, [0, 0, *sizes])


def _check_each_channel(mask: Any, x: Any) -> None:
    if mask.shape[1] != x.shape[1] or list(mask.shape).count(-1) > 1:
        raise NotImplementedError("channels have the same positions, or sizes are not known")


@form("spread_at_places", "G, X, Down, Along -> Out")
def _spread(g: Any, x: Any, down: Any, along: Any) -> Any:
    return _at_places(g, x, down, along)[0]


@form("slopes_at_places", "G, X, Down, Along -> DownGrad, AlongGrad")
def _slopes_of_places(g: Any, x: Any, down: Any, along: Any) -> tuple[Any, Any]:
    grid = _at_places(g, x, down, along)[1]
    across, downwards = unstack(grid, -1, 2)
    return downwards * (2.0 / x.shape[2]), across * (2.0 / x.shape[3])


def _at_places(g: Any, x: Any, down: Any, along: Any) -> list[Any]:
    """The gradients of `grid_sample`, whose grid goes from -1 to 1 between the images' edges."""
    if len(down.shape) != 3 or -1 in list(x.shape)[2:]:
        raise NotImplementedError("the size of the images is not known, or places do not lie in a grid")
    grid = stack([along * (2.0 / x.shape[3]) + (1.0 / x.shape[3] - 1.0),
                  down * (2.0 / x.shape[2]) + (1.0 / x.shape[2] - 1.0)], -1)
    return gradients("grid_sampler", {"X": x, "Grid": grid}, {"X": x, "Grid": grid, "Output@GRAD": g},
                      mode="bilinear", padding_mode="zeros", align_corners=False)


@form("affine_grid_grad", "G -> ThetaGrad")
def _affine(g: Any, *, align_corners: bool = True) -> Any:
    rank = g.shape[-1]
    if -1 in list(g.shape):
        raise NotImplementedError("sizes are not known")
    return gradient("affine_grid", "Theta", zeros([g.shape[0], rank, rank + 1], g), {"Output@GRAD": g},
                     align_corners=align_corners, output_shape=[g.shape[0], 1, *list(g.shape)[1:-1]])


@form("roi_align_back", "G, ROIs, RoisNum, Like? -> Out")
def _aligned(g: Any, boxes: Any, counts: Any, like: Any, *, size: Sequence[int] = (), **attrs: Any) -> Any:
    like = zeros(size, g) if like is None else like
    return gradient("roi_align", "X", like, {"X": like, "ROIs": boxes, "RoisNum": counts, "Out@GRAD": g},
                     pooled_height=g.shape[2], pooled_width=g.shape[3], **attrs)


@form("roi_put", "G, Argmax, RoisNum, Like? -> Out")
def _pooled_from(g: Any, positions: Any, counts: Any, like: Any, *, size: Sequence[int] = ()) -> Any:
    like, boxes = zeros(size, g) if like is None else like, zeros([g.shape[0], 4], g)  # which are not read
    return gradient("roi_pool", "X", like, {"X": like, "ROIs": boxes, "RoisNum": counts, "Argmax": positions,
                                             "Out@GRAD": g}, pooled_height=g.shape[2], pooled_width=g.shape[3])


@form("mode_positions", "X -> Out")
def _most_frequent(x: Any, *, axis: int = -1) -> Any:
    if not x.shape:
        raise NotImplementedError("there is no dimension")
    block = current_trace().block
    shape = tuple(1 if n == axis % len(x.shape) else size for n, size in enumerate(x.shape))
    values, places = (block.new_var(None, shape, dtype, stop_gradient=True) for dtype in (x.dtype, dt.int64))
    block.append("mode", {"X": [x.name]}, {"Out": [values.name], "Indices": [places.name]},
                 {"axis": axis, "keepdim": True})
    return places


@form("multiplex_grad", "X, Ids -> Out*")
def _to_sources(g: Any, ids: Any, *, count: int) -> list[Any]:
    chosen = reshape(ids, [-1, *[1] * (len(g.shape) - 1)])
    return [g * cast(equal(chosen, full_like(chosen, n)), g.dtype) for n in range(count)]


@form("temporal_shift_back", "G -> Out")
def _shifted_back(g: Any, **attrs: Any) -> Any:
    return gradient("temporal_shift", "X", g, {"Out@GRAD": g}, **attrs)


@form("cofactors", "X -> Out")
def _cofactors(x: Any) -> Any:
    found = apply(determinant_op, x)
    return gradient("determinant", "Input", x, {"Input": x, "Out": found, "Out@GRAD": full_like(found, 1.0)})

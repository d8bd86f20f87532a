"""Sampling of images and volumes where a grid says: grid_sampler.

The gradient is written in operators that have gradients of their own: the weights are products of distances, which the
grid gives, and elements are taken from and put to positions.
"""

from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import sampling as fast
from ..array.concat_split import stack
from ..array.reshape import shape_handle, squeeze, unsqueeze
from ..array.slices import slice_
from ..core.infer import promoting
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of
from ..math.comparison import less_equal
from ..math.elementwise import minimum, multiply
from ..math.unary import abs, floor, round
from ..nn.pool import put_back
from ..nn.pool_kernels import take_positions
from .corners import Corners, linear_gradients
from .grid_sample_kernels import corners, nearest, placed
from .sample_at_places import slopes_op, spread_op


def _places(xp: Any, grid: Any, sizes: Any, padding_mode: str, align_corners: bool) -> list[Any]:
    """The place of each sample along each dimension of the image; the grid names the last dimension first."""
    return [placed(xp, grid[..., len(sizes) - 1 - n], size, padding_mode, align_corners)
            for n, size in enumerate(sizes)]


def _grid_sampler(xp, x, grid, *, align_corners: bool = True, padding_mode: str = "zeros", mode: str = "bilinear"):
    places = _places(xp, grid, x.shape[2:], padding_mode, align_corners)
    if mode == "nearest":
        at, weight = nearest(xp, places, x.shape[2:])
        return take_positions(xp, x, at) * weight.astype(xp.result_type(x, grid))
    result = None
    for at, weight in corners(xp, places, x.shape[2:]):
        part = take_positions(xp, x, at) * weight
        result = part if result is None else result + part
    return result


def _by_loops(x, grid, *, align_corners: bool = True, padding_mode: str = "zeros", mode: str = "bilinear"):
    if mode != "bilinear" or x.ndim != 4:
        return NotImplemented
    return fast.sampled(x, *_places(np, grid, x.shape[2:], padding_mode, align_corners))


def _infer(x, grid, *, align_corners=True, padding_mode="zeros", mode="bilinear"):
    if -1 not in (x.shape[0], grid.shape[0]) and x.shape[0] != grid.shape[0]:
        raise ValueError(f"grid_sample(x, grid): both must have as many samples. "
                         f"Received x.shape={list(x.shape)}, grid.shape={list(grid.shape)}.")
    return Spec((*x.shape[:2], *grid.shape[1:-1]), x.dtype)


# the gradient

class _Sampled(Corners):
    """The corners of the places that a grid names, and how fast the places move with it."""

    def __init__(self, x: Any, grid: Any, padding_mode: str, align_corners: bool, mode: str):
        super().__init__(x, dtype_of(grid))
        self.padding_mode, self.align_corners = padding_mode, align_corners
        self.speeds: list[Any] = []
        self.places: list[Any] = []
        for n, size in enumerate(self.sizes):
            axis = self.rank - 1 - n
            along = squeeze(slice_(grid, [self.rank + 1], [axis], [axis + 1]), [self.rank + 1])
            place, speed = self._placed(along, size)
            self.places.append(round(place) if mode == "nearest" else place)
            self.speeds.append(speed)

    def _placed(self, p: Any, size: Any) -> tuple[Any, Any]:
        """A place, and the change of it when the coordinate grows."""
        factor = (size - 1.0) * 0.5 if self.align_corners else size * 0.5
        p = (p + 1.0) * factor if self.align_corners else (p + 1.0) * factor - 0.5
        if self.padding_mode == "zeros":
            return p, factor
        turned: Any = 1.0
        if self.padding_mode == "reflection":
            p, turned = self._reflected(p, size)
        return self.held(p, size), self.inside(p, size) * turned * factor

    def _reflected(self, p: Any, size: Any) -> tuple[Any, Any]:
        shift, period = (0.0, (size - 1.0) * 2.0) if self.align_corners else (0.5, size * 2.0)
        if isinstance(period, float) and period == 0:
            return p * 0.0, p * 0.0
        p = p + shift
        outward = self.mask(less_equal(p * 0.0, p)) * 2.0 - 1.0
        away = abs(p)
        away = away - floor(away / period) * period
        rising = self.mask(less_equal(away, period - away))
        return minimum(away, period - away) - shift, outward * (rising * 2.0 - 1.0)


def _gradients(g, X, Grid, align_corners, padding_mode, mode, wants):
    sampled = _Sampled(X, Grid, padding_mode, align_corners, mode)
    if mode == "bilinear" and sampled.rank == 2:
        d_x = apply(spread_op, g, X, *sampled.places) if wants[0] else None
        if not wants[1]:
            return d_x, None
        slopes = apply(slopes_op, g, X, *sampled.places)
        return d_x, stack([slope * speed for slope, speed in zip(slopes, sampled.speeds, strict=True)][::-1], -1)
    sampled.settle(sampled.places)
    if mode == "nearest":
        _, at, inside = next(iter(sampled))
        d_x = put_back(multiply(g, cast(unsqueeze(inside, 1), dtype_of(X))), at, shape_handle(X)) if wants[0] else None
        return d_x, Grid * 0.0 if wants[1] else None
    d_x, slopes = linear_gradients(g, X, dtype_of(X), sampled, wants)
    if not wants[1]:
        return d_x, None
    return d_x, stack([slope * speed for slope, speed in zip(slopes, sampled.speeds, strict=True)][::-1], -1)


grid_sampler_op = operator("grid_sampler", "X, Grid -> Output", kernel=_grid_sampler, infer=promoting(_infer),
                           engines=[by(LOOPS, _by_loops, fast.LEAST)],
                           grad={"X, Grid": _gradients})

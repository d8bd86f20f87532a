"""Images [N, C, H, W] at places [N, *out] between their elements, zeros outside; and the gradients of that."""

import itertools
from typing import Any

from ...backend.engines import LOOPS
from ...backend.kernels import sampling as fast
from ..array.reshape import shape_handle, unsqueeze
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import dtype_of
from ..math.reduce import sum
from ..nn.pool import put_back, take_positions_op
from ..nn.pool_kernels import put_positions, take_positions
from .corners import Corners
from .grid_sample_kernels import corners, inside


def sample_images(xp: Any, x: Any, down: Any, along: Any) -> Any:
    """The images of arrays at the places."""
    result = None
    for at, weight in corners(xp, [down, along], x.shape[2:]):
        part = take_positions(xp, x, at) * weight
        result = part if result is None else result + part
    return result


def _gradients(g: Any, X: Any, Down: Any, Along: Any, wants: Any) -> tuple[Any, Any, Any]:
    d_x = apply(spread_op, g, X, Down, Along) if wants[0] else None
    return d_x, *(apply(slopes_op, g, X, Down, Along) if wants[1] or wants[2] else (None, None))


sample_op = operator("sample_at_places", "X, Down, Along -> Out", kernel=sample_images,
                     infer=lambda x, down, along: Spec((*x.shape[:2], *down.shape[1:]), x.dtype),
                     engines=[by(LOOPS, fast.sampled, fast.LEAST)], grad={"X, Down, Along": _gradients}, only_here=True)
"""Images [N, C, H, W] at places [N, *out] between their elements, zeros outside: [N, C, *out]."""


def _spread(xp, g, x, down, along):
    result = None
    for at, weight in corners(xp, [down, along], x.shape[2:]):
        part = put_positions(xp, g * weight, xp.broadcast_to(at, g.shape), x.shape[2:])
        result = part if result is None else result + part
    return result.astype(x.dtype)


def _spread_gradients(g: Any, G: Any, Down: Any, Along: Any, wants: Any) -> tuple[Any, None, Any, Any]:
    """The sum of g times what is spread is that of G times the samples of g."""
    d_g = apply(sample_op, g, Down, Along) if wants[0] else None
    return d_g, None, *(apply(slopes_op, G, g, Down, Along) if wants[2] or wants[3] else (None, None))


spread_op = operator("spread_at_places", "G, X, Down, Along -> Out", kernel=_spread, infer=lambda g, x, *_: x,
                     engines=[by(LOOPS, fast.spread, fast.LEAST)],
                     grad={"G, X, Down, Along": _spread_gradients}, only_here=True)
"""The gradient of the images by that of the samples."""


def _slopes(xp, g, x, down, along):
    lower = [xp.floor(down), xp.floor(along)]
    share = [down - lower[0], along - lower[1]]
    found: list[Any] = [0, 0]
    for offsets in itertools.product((0, 1), repeat=2):
        at, is_inside = inside(xp, [low + n for low, n in zip(lower, offsets, strict=True)], x.shape[2:])
        part = (g * take_positions(xp, x, at[:, None])).sum(1) * is_inside
        for n in range(2):
            other = share[1 - n] if offsets[1 - n] else 1 - share[1 - n]
            found[n] = found[n] + part * (other if offsets[n] else -other)
    return found[0].astype(down.dtype), found[1].astype(down.dtype)


def _slopes_gradients(d_DownGrad: Any, d_AlongGrad: Any, G: Any, X: Any, Down: Any, Along: Any) -> tuple[Any, ...]:
    around = Corners(X, dtype_of(Down))
    around.settle([Down, Along])
    d_g = d_x = mixed = None
    for offsets, at, seen in around:
        taken = apply(take_positions_op, X, at)
        change = d_DownGrad * around.weight(offsets, 0) + d_AlongGrad * around.weight(offsets, 1)
        weight = unsqueeze(change * seen, 1)
        twice = sum(G * taken, 1) * seen * (1.0 if offsets[0] == offsets[1] else -1.0)
        parts = taken * weight, put_back(G * weight, at, shape_handle(X)), twice
        d_g, d_x, mixed = parts if d_g is None else (d_g + parts[0], d_x + parts[1], mixed + parts[2])
    return d_g, d_x, d_AlongGrad * mixed, d_DownGrad * mixed


slopes_op = operator("slopes_at_places", "G, X, Down, Along -> DownGrad, AlongGrad", kernel=_slopes,
                     infer=lambda g, x, down, along: (down, along), engines=[by(LOOPS, fast.slopes, fast.LEAST)],
                     grad={"G, X, Down, Along": _slopes_gradients}, only_here=True)
"""The gradients of the places by that of the samples."""

"""similarity_focus: 1 where a plane of a tensor has its largest elements, one in each row and column."""

from typing import Any

from ..core.infer import same
from ..core.operator import Ints, operator


def _largest(xp: Any, planes: Any) -> Any:
    """For planes [N, H, W], whether an element is the largest of those in whose row and column none was taken before.

    As many are taken as the shorter side is long.
    """
    count, height, width = planes.shape
    order = xp.argsort(-planes.reshape(count, -1), axis=1, kind="stable")
    rank = xp.empty_like(order)
    rank[xp.arange(count)[:, None], order] = xp.arange(height * width)
    rank = rank.reshape(planes.shape)
    taken, every = xp.zeros(planes.shape, bool), xp.arange(count)
    for _ in range(min(height, width)):
        down, across = divmod(rank.reshape(count, -1).argmin(1), width)
        taken[every, down, across] = True
        rank[every, down] = height * width
        rank[every, :, across] = height * width
    return taken


def _focus(xp, x, *, axis: int, indexes: Ints):
    found = xp.zeros([size for n, size in enumerate(x.shape) if n != axis], bool)
    for index in indexes:
        found |= _largest(xp, xp.take(x, index, axis))
    return xp.broadcast_to(xp.expand_dims(found, axis), x.shape).astype(x.dtype)


def _infer(x, *, axis, indexes):
    if x.rank != 4 or axis not in (1, 2, 3):
        raise ValueError(f"similarity_focus(input, axis): input must have four dimensions, and axis be 1, 2 or 3. "
                         f"Received shape {list(x.shape)}, axis={axis}.")
    size = x.shape[axis]
    if not indexes or min(indexes) < 0 or size >= 0 and max(indexes) >= size:
        raise ValueError(f"similarity_focus(indexes): must be places along dimension {axis}, of size {size}. "
                         f"Received {list(indexes)}.")
    return same(x)


similarity_focus_op = operator("similarity_focus", "X -> Out", kernel=_focus, infer=_infer)

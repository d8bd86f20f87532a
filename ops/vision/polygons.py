"""How much polygons overlap: the area that two have in common, whatever their form.

Corners are rows of coordinates [..., 2 * corners] (x, y, x, y, …), as detectors of text in scenes give quadrilaterals.
What lies inside is decided by how many edges stand to the left, odd or even: a polygon may be concave or cross itself.
"""

from typing import Any

import numpy as np

from ...backend.arrays import to_numpy

_PART = 1 << 20  # numbers that are computed at once


def _edges(polygons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the edges of polygons [pairs, corners, 2] begin and end."""
    return polygons, np.roll(polygons, -1, 1)


def _crossings(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The heights [pairs, edges * (edges - 1) / 2] at which edges of a pair meet; else that of a corner."""
    first, second = np.triu_indices(start.shape[1], 1)
    way, other = end[:, first] - start[:, first], end[:, second] - start[:, second]
    apart = start[:, second] - start[:, first]
    across = way[..., 0] * other[..., 1] - way[..., 1] * other[..., 0]
    at = (apart[..., 0] * other[..., 1] - apart[..., 1] * other[..., 0]) / across
    meets = (across != 0) & (at > 0) & (at < 1)
    return start[:, first, 1] + np.where(meets, at, 0) * way[..., 1]


def _common(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The areas that polygons a [pairs, corners, 2] and b have in common.

    Between two heights at which nothing begins, ends or crosses, what is inside of both is made of trapezia: their
    width halfway, times the height.
    """
    start, end = (np.concatenate(sides, 1) for sides in zip(_edges(a), _edges(b), strict=True))
    heights = np.sort(np.concatenate([start[..., 1], _crossings(start, end)], 1), 1)
    middle = ((heights[:, 1:] + heights[:, :-1]) / 2)[:, :, None]
    low, high = np.minimum(start, end)[:, None, :, 1], np.maximum(start, end)[:, None, :, 1]
    way = end - start
    slope = np.where(way[..., 1] != 0, way[..., 0] / way[..., 1], 0)[:, None]
    there = (low < middle) & (middle < high)
    x = np.where(there, start[:, None, :, 0] + (middle - start[:, None, :, 1]) * slope, np.inf)
    order = np.argsort(x, -1, kind="stable")
    x = np.take_along_axis(x, order, -1)
    of_a = order < a.shape[1]
    there = np.isfinite(x)
    inside = (np.cumsum(of_a & there, -1) % 2 == 1) & (np.cumsum(~of_a & there, -1) % 2 == 1)
    wide = np.where(inside[..., :-1], np.diff(np.where(there, x, 0), axis=-1), 0)
    return (wide.sum(-1) * np.diff(heights, axis=1)).sum(-1)


def _area(polygons: np.ndarray) -> np.ndarray:
    """The areas that polygons [..., corners, 2] go around."""
    end = np.roll(polygons, -1, -2)
    return np.abs((polygons[..., 0] * end[..., 1] - polygons[..., 1] * end[..., 0]).sum(-1)) / 2


def overlaps(xp: Any, a: Any, b: Any) -> Any:
    """Intersection over union of polygons a [..., 2 * corners] and b, which broadcast; 0 for those without area."""
    dtype = a.dtype
    left, right = (to_numpy(x).astype("float64").reshape(*x.shape[:-1], x.shape[-1] // 2, 2) for x in (a, b))
    areas = _area(left) + _area(right)
    shape = areas.shape
    near = np.all((left.min(-2) < right.max(-2)) & (right.min(-2) < left.max(-2)), -1)
    near &= (_area(left) > 0) & (_area(right) > 0)
    where = np.flatnonzero(near)
    pairs = [np.broadcast_to(x, (*shape, *x.shape[-2:])).reshape(-1, *x.shape[-2:]) for x in (left, right)]
    edges = left.shape[-2] + right.shape[-2]
    step = max(_PART // edges**3, 1)
    common = np.zeros(areas.size)
    for first in range(0, len(where), step):
        part = where[first:first + step]
        common[part] = _common(pairs[0][part], pairs[1][part])
    common = common.reshape(shape)
    union = areas - common
    return xp.asarray(common / np.where(union > 0, union, 1), dtype=dtype)


__all__ = ["overlaps"]

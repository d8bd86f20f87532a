"""Sampling of images and volumes at positions between their elements, on arrays.

Places are coordinates along each dimension, counted in elements. A place has 2**rank corners, the elements around it;
with what weights they count says how near they are.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any


def placed(xp: Any, p: Any, size: int, padding_mode: str, align_corners: bool) -> Any:
    """Coordinates in [-1, 1] along a dimension as places in it, those outside brought inside after the mode."""
    p = (p + 1) * (0.5 * (size - 1)) if align_corners else ((p + 1) * size - 1) * 0.5
    if padding_mode == "zeros":
        return p
    if padding_mode == "reflection":
        p = _reflected(xp, p, size, align_corners)
    return xp.clip(p, 0, size - 1)


def _reflected(xp: Any, p: Any, size: int, align_corners: bool) -> Any:
    shift, period = (0.0, 2.0 * (size - 1)) if align_corners else (0.5, 2.0 * size)
    if period == 0:
        return xp.zeros_like(p)
    away = xp.abs(p + shift)
    away = away - xp.floor(away / period) * period
    return xp.minimum(away, period - away) - shift


def corners(xp: Any, places: Sequence[Any], sizes: Sequence[int]) -> Iterator[tuple[Any, Any]]:
    """For each corner the flat positions [N, 1, *out] and the weights, 0 outside the image."""
    lower = [xp.floor(p) for p in places]
    share = [p - low for p, low in zip(places, lower, strict=True)]
    for offsets in itertools.product((0, 1), repeat=len(places)):
        at, weight = inside(xp, [low + n for low, n in zip(lower, offsets, strict=True)], sizes)
        for n, part in zip(offsets, share, strict=True):
            weight = weight * (part if n else 1 - part)
        yield at[:, None], weight[:, None]


def inside(xp: Any, at: Sequence[Any], sizes: Sequence[int]) -> tuple[Any, Any]:
    """Flat positions, those outside moved to the edge, and 1 inside and 0 outside."""
    flat: Any = 0
    weight: Any = 1
    for p, size in zip(at, sizes, strict=True):
        weight = weight * ((p >= 0) & (p <= size - 1)).astype(p.dtype)
        flat = flat * size + xp.clip(xp.nan_to_num(p), 0, size - 1).astype("int64")
    return flat, weight


def nearest(xp: Any, places: Sequence[Any], sizes: Sequence[int]) -> tuple[Any, Any]:
    """As `corners` for the one nearest element, halves away from zero."""
    rounded = [xp.sign(p) * xp.floor(xp.abs(p) + 0.5) for p in places]
    at, weight = inside(xp, rounded, sizes)
    return at[:, None], weight[:, None]

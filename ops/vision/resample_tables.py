"""Which elements a resized dimension is made of, and with what weights: nearest, linear and cubic interpolation.

A table has, for each of several taps, one position and one weight for each element of the result. The transposed
table does the same for the gradient: positions are then those of the result, and elements those of the input.
"""


import functools
from typing import Any

import numpy as np

from ...backend.kernels.resampling import weighted

Table = tuple[tuple[np.ndarray, np.ndarray | None], ...]
"""For each tap the positions and the weights, which nobody writes to; None stands for weights of 1."""


def _ratio(size: int, out: int, scale: float, align_corners: bool, number: Any = float) -> Any:
    """How far apart in the input two neighbours in the result lie; `scale` 0 stands for out / size."""
    if out <= 1:
        return number(0)
    if align_corners:
        return number(size - 1) / number(out - 1)
    return number(1) / number(scale) if scale > 0 else number(size) / number(out)


def _nearest(size: int, out: int, scale: float, align_corners: bool) -> Table:
    """As PaddlePaddle finds it, in float32, so that ties fall alike."""
    places = _ratio(size, out, scale, align_corners, np.float32) * np.arange(out, dtype=np.float32)
    found = (places.astype(np.float64) + 0.5 if align_corners else places).astype(np.int64)
    return ((np.minimum(found, size - 1), None),)


def _linear(size: int, out: int, ratio: float, align_corners: bool, align_mode: int) -> Table:
    places = ratio * np.arange(out)
    if align_mode == 0 and not align_corners:
        places = np.maximum(places + 0.5 * ratio - 0.5, 0.0)
    before = np.minimum(places.astype(np.int64), size - 1)
    after = np.minimum(before + 1, size - 1)
    share = places - before
    return (before, 1 - share), (after, share)


def _cubic(size: int, out: int, ratio: float, align_corners: bool) -> Table:
    """Keys' kernel with a = -0.75; elements beyond the edge are those at the edge."""
    places = ratio * np.arange(out) if align_corners else ratio * (np.arange(out) + 0.5) - 0.5
    start = np.floor(places)
    t, a = places - start, -0.75

    def inner(x: Any) -> Any:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def outer(x: Any) -> Any:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    weights = (outer(t + 1), inner(t), inner(1 - t), outer(2 - t))
    positions = [np.clip(start.astype(np.int64) + n, 0, size - 1) for n in (-1, 0, 1, 2)]
    return tuple(zip(positions, weights, strict=True))


@functools.lru_cache(256)
def table(kind: str, size: int, out: int, scale: float, align_corners: bool, align_mode: int) -> Table:
    """The table of one dimension; `kind` is "nearest", "linear" or "cubic"."""
    if kind == "nearest":
        return _nearest(size, out, scale, align_corners)
    ratio = _ratio(size, out, scale, align_corners)
    if kind == "cubic":
        return _cubic(size, out, ratio, align_corners)
    return _linear(size, out, ratio, align_corners, align_mode)


_LARGEST = 1 << 22


@functools.lru_cache(256)
def transposed(kind: str, size: int, out: int, scale: float, align_corners: bool, align_mode: int) -> Table:
    """The table that carries a gradient of `out` elements back to `size`."""
    if max(size, out) > _LARGEST:
        raise ValueError(f"interpolate(x): the gradient of more than {_LARGEST} places along a dimension cannot be "
                         f"computed. Received {size} and {out}.")
    users: list[list[tuple[int, float]]] = [[] for _ in range(size)]
    for positions, weights in table(kind, size, out, scale, align_corners, align_mode):
        each = [1.0] * out if weights is None else weights.tolist()
        for n, (position, weight) in enumerate(zip(positions.tolist(), each, strict=True)):
            if weight:
                users[position].append((n, weight))
    longest = max(map(len, users))
    filled = [row + [(row[0][0] if row else 0, 0.0)] * (longest - len(row)) for row in users]
    return tuple((np.array([row[tap][0] for row in filled]), np.array([row[tap][1] for row in filled]))
                 for tap in range(longest))


def _taken(xp: Any, x: Any, positions: Any, axis: int) -> Any:
    """`x.take(positions, axis)`, which lies in memory in the order in which x does where its channels come last."""
    if x.ndim < 3 or x.flags.c_contiguous:
        return x.take(positions, axis)
    return xp.moveaxis(xp.moveaxis(x, 1, -1).take(positions, axis - 1), -1, 1)


def resampled(xp: Any, x: Any, axis: int, taps: Table, has_gaps: bool = False) -> Any:
    """The array with one dimension made anew after a table; where it `has_gaps`, a weight of 0 hides infinities."""
    result = weighted(x, axis, taps) if not has_gaps and (len(taps) > 1 or taps[0][1] is not None) else NotImplemented
    if result is not NotImplemented:
        return result
    result = None
    for positions, weights in taps:
        part = _taken(xp, x, xp.asarray(positions), axis)
        if weights is not None:
            part *= xp.asarray(weights, part.dtype).reshape(-1, *(1,) * (x.ndim - axis - 1))
            if has_gaps:
                part[(slice(None),) * axis + (xp.asarray(weights == 0),)] = 0
        if result is None:
            result = part
        else:
            result += part
    return result

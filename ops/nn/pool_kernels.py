"""Pooling on arrays in channels-first layout: maxima and means of windows, their gradients, and maxima with positions.

Windows at even steps are swept one dimension after the other. The windows of adaptive pooling differ in size where the
result's size does not divide the input's: means then are products with a matrix for each dimension, maxima are taken
from tables of the elements' positions.
"""


import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...backend.kernels.window_maxima import maxima
from ...backend.scatter import add_at
from ..core.infer import product
from .windows import Geometry, padded

Table = np.ndarray  # [windows, longest] along a dimension: the positions in each window


def _sweep(function: Callable, x: Any, geo: Geometry, n: int) -> Any:
    """The elements that stand in one window along dimension n of those that have windows, joined by `function`."""
    before, after = x.ndim - len(geo.kernel) + n, len(geo.kernel) - n - 1
    last = (geo.out[n] - 1) * geo.strides[n] + 1

    def at(offset: int) -> Any:
        return x[(*(slice(None),) * before, slice(offset, offset + last, geo.strides[n]), *(slice(None),) * after)]

    if geo.kernel[n] == 1:
        return at(0)
    result = function(at(0), at(1))
    for offset in range(2, geo.kernel[n]):
        function(result, at(offset), out=result)
    return result


def _swept(function: Callable, x: Any, geo: Geometry) -> Any:
    for n in range(len(geo.kernel)):
        x = _sweep(function, x, geo, n)
    return x


def _lowest(xp: Any, dtype: Any) -> Any:
    """The least number there is: what the maximum of padding alone is, and what padding holds."""
    return (xp.finfo if dtype.kind == "f" else xp.iinfo)(dtype).min


def max_pool(xp: Any, x: Any, geo: Geometry) -> Any:
    """The maxima of the windows."""
    result = _swept(xp.maximum, padded(xp, x, geo, _lowest(xp, x.dtype)), geo)
    return result.copy() if set(geo.kernel) == {1} else result


def _first_hits(xp: Any, x: Any, out: Any, geo: Geometry) -> Any:
    """For each place in a window its slices, and in which windows it holds the first of the maxima."""
    x = padded(xp, x, geo, _lowest(xp, x.dtype))
    free = None
    for offsets in itertools.product(*map(range, geo.kernel)):
        place = (..., *geo.place(offsets))
        hit = x[place] == out
        if free is None:
            free = ~hit
        else:
            hit &= free
            free ^= hit
        yield place, hit


def max_pool_grad(xp: Any, x: Any, out: Any, g: Any, geo: Geometry) -> Any:
    """The gradient of the maxima, all of it to the first of equal ones; an infinite one makes no NaN of the others."""
    none = xp.zeros((), g.dtype)
    disjoint = all(k <= s for k, s in zip(geo.kernel, geo.strides, strict=True))
    covered = disjoint and all(c * s == size for c, s, size in zip(geo.out, geo.strides, geo.padded, strict=True))
    make = xp.empty if covered and geo.kernel == geo.strides else xp.zeros
    result = make((*x.shape[:2], *geo.padded), g.dtype)
    for place, hit in _first_hits(xp, x, out, geo):
        if disjoint:
            result[place] = xp.where(hit, g, none)
        else:
            result[place] += xp.where(hit, g, none)
    return result[(..., *geo.inner)]


def max_pool_take(xp: Any, x: Any, out: Any, v: Any, geo: Geometry) -> Any:
    """The elements of v that stand where those of x are the maxima: the transpose of `max_pool_grad`."""
    v, none = padded(xp, v, geo), xp.zeros((), v.dtype)
    return sum(xp.where(hit, v[place], none) for place, hit in _first_hits(xp, x, out, geo))


# means

def _counts(geo: Geometry, pads: Sequence[tuple[int, int]], exclusive: bool) -> list[list[int]]:
    """How many elements count in each window, by dimension: those of the input, or of the padding too.

    Behind the input as much padding counts as there is before it, in PaddlePaddle, whose models are trained so.
    """
    result = []
    for kernel, stride, size, out, (before, _) in zip(
            geo.kernel, geo.strides, geo.sizes, geo.out, pads, strict=True):
        low, high = (0, size) if exclusive else (-before, size + before)
        starts = [n * stride - before for n in range(out)]
        result.append([max(min(start + kernel, high) - max(start, low), 1) for start in starts])
    return result


def mean_factor(xp: Any, geo: Geometry, pads: Sequence[tuple[int, int]], exclusive: bool, dtype: Any) -> Any:
    """What sums of windows are multiplied by; `pads` is the padding without what only completes the last windows."""
    counts = _counts(geo, pads, exclusive)
    if all(len(set(row)) == 1 for row in counts):
        factor = 1.0
        for row in counts:
            factor /= row[0]
        return factor
    result = xp.ones((), dtype)
    for row in counts:
        result = result[..., None] / xp.asarray(row, dtype)
    return result


def _is_whole(geo: Geometry) -> bool:
    return geo.kernel == geo.sizes and not geo.is_padded


def sum_pool(xp: Any, x: Any, geo: Geometry) -> Any:
    """The sums of the windows."""
    if _is_whole(geo):
        return x.sum(tuple(range(2, x.ndim)), dtype=x.dtype, keepdims=True)
    return _swept(xp.add, padded(xp, x, geo), geo)


def sum_pool_grad(xp: Any, g: Any, geo: Geometry) -> Any:
    """The gradient of the sums."""
    if _is_whole(geo):
        return xp.broadcast_to(g, (*g.shape[:2], *geo.sizes)).copy()
    rank = len(geo.kernel)
    for n in reversed(range(rank)):
        if geo.kernel[n] == geo.strides[n] == 1 and g.shape[2 + n] == geo.padded[n]:
            continue
        spread = xp.zeros((*g.shape[:2 + n], geo.padded[n], *g.shape[3 + n:]), g.dtype)
        rest = (slice(None),) * (rank - n - 1)
        for offset in range(geo.kernel[n]):
            last = offset + (geo.out[n] - 1) * geo.strides[n] + 1
            spread[(..., slice(offset, last, geo.strides[n]), *rest)] += g
        g = spread
    return g[(..., *geo.inner)]


# windows of several sizes

def _adaptive_bounds(size: int, out: int) -> tuple[np.ndarray, np.ndarray]:
    """Where each of `out` windows over `size` elements begins and ends: two columns."""
    window = np.arange(out)[:, None]
    return window * size // out, -(-(window + 1) * size // out)


def _mean_matrix(xp: Any, size: int, out: int, dtype: Any) -> Any:
    place = np.arange(size)
    start, end = _adaptive_bounds(size, out)
    return xp.asarray(np.where((start <= place) & (place < end), 1 / (end - start), 0.0), dtype)


def adaptive_mean(xp: Any, x: Any, sizes: Sequence[int], out: Sequence[int], back: bool = False) -> Any:
    """The means of `out` windows over `sizes` elements in each dimension; with `back` the transpose of this map."""
    for n, (size, count) in enumerate(zip(sizes, out, strict=True)):
        matrix = _mean_matrix(xp, size, count, x.dtype)
        x = xp.moveaxis(xp.matmul(xp.moveaxis(x, 2 + n, -1), matrix if back else matrix.T), -1, 2 + n)
    return x


def adaptive_tables(sizes: Sequence[int], out: Sequence[int]) -> list[Table]:
    """The positions in adaptive windows; the last of a shorter one is repeated."""
    tables = []
    for size, count in zip(sizes, out, strict=True):
        start, end = _adaptive_bounds(size, count)
        tables.append(np.minimum(start + np.arange((end - start).max(initial=1)), end - 1))
    return tables


def even_tables(geo: Geometry) -> list[Table]:
    """The positions in windows at even steps; those in the padding are replaced by the nearest in the input."""
    return [
        np.clip(np.arange(out)[:, None] * stride - before + np.arange(kernel), 0, size - 1)
        for kernel, stride, size, out, (before, _) in zip(
            geo.kernel, geo.strides, geo.sizes, geo.out, geo.pads, strict=True)]


def _flattened(x: Any) -> Any:
    """x [N, C, *sizes] with its sizes as one, also where there is no sample."""
    return x.reshape(*x.shape[:2], math.prod(x.shape[2:]))


def joined(tables: Sequence[Table], sizes: Sequence[int]) -> np.ndarray:
    """The positions [*out, longest], row after row, in windows whose positions along each dimension tables have."""
    rank = len(tables)
    flat = np.zeros((1,) * (2 * rank), "int64")
    for n, table in enumerate(tables):
        shape = [1] * (2 * rank)
        shape[n], shape[rank + n] = table.shape
        flat = flat * sizes[n] + table.reshape(shape)
    return flat.reshape(*flat.shape[:rank], -1)


def max_with_positions(xp: Any, x: Any, tables: Sequence[Table]) -> tuple[Any, Any]:
    """The maxima, and their positions (int32) in the sample's channel, row after row."""
    table = joined(tables, x.shape[2:])
    found = maxima(x, np.ascontiguousarray(np.moveaxis(table, -1, 0), "int32"))
    if found is not NotImplemented:
        return found
    flat = xp.asarray(table)
    values = _flattened(x)[:, :, flat]
    best = values.argmax(-1)[..., None]
    positions = xp.take_along_axis(xp.broadcast_to(flat, values.shape), best, -1)[..., 0]
    return xp.take_along_axis(values, best, -1)[..., 0], positions.astype("int32")


def take_positions(xp: Any, x: Any, positions: Any) -> Any:
    """The elements of x at positions in each channel, which may be the same in all channels ([N, 1, *sizes])."""
    flat = _flattened(positions)
    if flat.shape[1] == 1 < x.shape[1] and len(x):
        rows = [plane.reshape(x.shape[1], -1).take(at[0], 1) for plane, at in zip(x, flat, strict=True)]
        return xp.stack(rows).reshape(*x.shape[:2], *positions.shape[2:])
    return xp.take_along_axis(_flattened(x), flat, 2).reshape(*x.shape[:2], *positions.shape[2:])


def _flat_positions(xp: Any, g: Any, positions: Any, count: int) -> Any:
    """Where the elements of g go in an array [samples * channels * count]."""
    channel = xp.arange(g.shape[0] * g.shape[1]).reshape(*g.shape[:2], *(1,) * (g.ndim - 2)) * count
    return (positions + channel).reshape(-1)


def put_positions(xp: Any, g: Any, positions: Any, sizes: Sequence[int]) -> Any:
    """Zeros of `sizes` with the elements of g added at positions in each channel (or in all: [N, 1, *sizes])."""
    result = xp.zeros((*g.shape[:2], *sizes), g.dtype)
    add_at(xp, result.reshape(-1), _flat_positions(xp, g, positions, product(sizes)), g.reshape(-1))
    return result


def set_positions(xp: Any, x: Any, positions: Any, sizes: Sequence[int]) -> Any:
    """Zeros of `sizes` with the elements of x set at positions in each channel."""
    result = xp.zeros((*x.shape[:2], *sizes), x.dtype)
    result.reshape(-1)[_flat_positions(xp, x, positions, product(sizes))] = x.reshape(-1)
    return result

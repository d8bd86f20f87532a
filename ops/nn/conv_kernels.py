"""Convolution on arrays in channels-first layout: the product itself, and its transposes in either operand.

For x [n, c, *sizes], w [o, c / groups, *kernel] and y [n, o, *out] these are the three maps of one trilinear form:
`convolve` gives y from x and w, `convolve_back` x from y and w, and `correlate` w from x and y. Windows are laid out
as columns for a part of the samples that fits the cache, and multiplied as matrices; where each channel has a filter
of its own, they are summed place by place.
"""


import itertools
import math
from typing import Any

from ...backend import products
from .windows import Geometry, padded_parts, parts_of, windows


def _is_depthwise(w: Any, groups: int) -> bool:
    return groups > 1 and w.shape[1] == 1


def _places(geo: Geometry) -> Any:
    """Each place in a window, and the slices of the elements there."""
    for offsets in itertools.product(*map(range, geo.kernel)):
        yield offsets, geo.place(offsets)


def convolve(xp: Any, x: Any, w: Any, geo: Geometry, groups: int) -> Any:
    """y [n, o, *out]. Channels of another number are refused: samples would be taken for channels, or broadcast."""
    if x.shape[1] != w.shape[1] * groups:
        raise ValueError(f"conv(x, weight): x must have weight.shape[1] * groups = {w.shape[1] * groups} channels. "
                         f"Received x.shape={list(x.shape)}, weight.shape={list(w.shape)}, groups={groups}.")
    if x.dtype.itemsize == 2:
        return convolve(xp, x.astype("float32"), w.astype("float32"), geo, groups).astype(x.dtype)
    if 0 in geo.out:
        return xp.zeros((x.shape[0], w.shape[0], *geo.out), x.dtype)
    if _is_depthwise(w, groups):
        return _convolve_depthwise(xp, x, w, geo, groups)
    samples, count = x.shape[0], math.prod(geo.out)
    filters, inner = w.shape[0] // groups, math.prod(w.shape[1:])
    matrix = w.reshape(groups, filters, inner)
    result = xp.empty((samples, groups, filters, count), x.dtype)
    chunk = parts_of(xp, samples, groups * inner * count)
    for where, part in padded_parts(xp, x, geo, chunk):
        columns = windows(xp, part, geo).reshape(-1, groups, inner, count)
        products.matmul(xp, matrix, columns, result[where])
    return result.reshape(samples, w.shape[0], *geo.out)


def convolve_back(xp: Any, y: Any, w: Any, geo: Geometry, groups: int) -> Any:
    """x [n, c, *sizes]: what `convolve` takes, from what it gives."""
    if y.dtype.itemsize == 2:
        return convolve_back(xp, y.astype("float32"), w.astype("float32"), geo, groups).astype(y.dtype)
    if 0 in geo.out:
        return xp.zeros((y.shape[0], w.shape[1] * groups, *geo.sizes), y.dtype)
    if _is_depthwise(w, groups):
        return _convolve_back_depthwise(xp, y, w, geo, groups)
    samples, count = y.shape[0], math.prod(geo.out)
    filters, inner = w.shape[0] // groups, math.prod(w.shape[1:])
    channels = w.shape[1] * groups
    matrix = w.reshape(groups, filters, inner).swapaxes(1, 2)
    y = y.reshape(samples, groups, filters, count)
    if geo.is_pointwise:
        return products.matmul(xp, matrix, y).reshape(samples, channels, *geo.sizes)
    result = xp.empty((samples, channels, *geo.sizes), y.dtype)
    chunk = parts_of(xp, samples, groups * inner * count)
    buffer = xp.empty((chunk, channels, *geo.padded), y.dtype)
    for start in range(0, samples, chunk):
        where = slice(start, min(start + chunk, samples))
        columns = products.matmul(xp, matrix, y[where]).reshape(-1, channels, *geo.kernel, *geo.out)
        part = buffer[:columns.shape[0]]
        part[...] = 0
        for offsets, place in _places(geo):
            part[(..., *place)] += columns[(slice(None), slice(None), *offsets)]
        result[where] = part[(..., *geo.inner)]
    return result


def correlate(xp: Any, x: Any, y: Any, geo: Geometry, groups: int) -> Any:
    """w [o, c / groups, *kernel]: the transpose of `convolve` in the filter."""
    if x.dtype.itemsize == 2:
        return correlate(xp, x.astype("float32"), y.astype("float32"), geo, groups).astype(x.dtype)
    channels, filters, count = x.shape[1] // groups, y.shape[1] // groups, math.prod(geo.out)
    if not count:
        return xp.zeros((y.shape[1], channels, *geo.kernel), x.dtype)
    if groups > 1 and channels == 1:
        return _correlate_depthwise(xp, x, y, geo, groups)
    inner, rank = channels * math.prod(geo.kernel), len(geo.out)
    total = xp.zeros((groups, filters, inner), x.dtype)
    order = (1, 2, *range(3, 3 + rank), 0, *range(3 + rank, 3 + 2 * rank))  # the samples beside the places
    for where, part in padded_parts(xp, x, geo, parts_of(xp, x.shape[0], groups * inner * count)):
        view = windows(xp, part, geo)
        view = view.reshape(view.shape[0], groups, channels, *view.shape[2:])
        columns = view.transpose(order).reshape(groups, inner, -1)
        rows = y[where].reshape(-1, groups, filters, count).transpose(1, 2, 0, 3).reshape(groups, filters, -1)
        total += products.matmul(xp, rows, columns.swapaxes(1, 2))
    return total.reshape(groups * filters, channels, *geo.kernel)


# a filter for each channel; dimension 2 holds the several filters of one channel

def _by_channel(w: Any, groups: int) -> Any:
    """w as [groups, filters, *kernel, 1, …]: what stands at a place broadcasts over the windows."""
    rank = w.ndim - 2
    return w.reshape(groups, w.shape[0] // groups, *w.shape[2:], *(1,) * rank)


def _convolve_depthwise(xp: Any, x: Any, w: Any, geo: Geometry, groups: int) -> Any:
    filters = _by_channel(w, groups)
    shape = (groups, filters.shape[1], *geo.out)
    result = xp.zeros((x.shape[0], *shape), x.dtype)
    chunk = parts_of(xp, x.shape[0], 3 * math.prod(shape))
    product = xp.empty((chunk, *shape), x.dtype)
    for where, part in padded_parts(xp, x, geo, chunk):
        target, term = result[where], product[:part.shape[0]]
        for offsets, place in _places(geo):
            xp.multiply(part[(..., *place)][:, :, None], filters[(slice(None), slice(None), *offsets)], out=term)
            target += term
    return result.reshape(x.shape[0], w.shape[0], *geo.out)


def _convolve_back_depthwise(xp: Any, y: Any, w: Any, geo: Geometry, groups: int) -> Any:
    filters = _by_channel(w, groups)
    y = y.reshape(y.shape[0], groups, filters.shape[1], *geo.out)
    result = xp.empty((y.shape[0], groups, *geo.sizes), y.dtype)
    chunk = parts_of(xp, y.shape[0], 3 * math.prod(y.shape[1:]))
    buffer = xp.empty((chunk, groups, *geo.padded), y.dtype)
    for start in range(0, y.shape[0], chunk):
        where = slice(start, min(start + chunk, y.shape[0]))
        part, source = buffer[:where.stop - start], y[where]
        part[...] = 0
        for offsets, place in _places(geo):
            term = source * filters[(slice(None), slice(None), *offsets)]
            part[(..., *place)] += term[:, :, 0] if term.shape[2] == 1 else term.sum(2)
        result[where] = part[(..., *geo.inner)]
    return result


def _correlate_depthwise(xp: Any, x: Any, y: Any, geo: Geometry, groups: int) -> Any:
    filters, rank = y.shape[1] // groups, len(geo.out)
    y = y.reshape(y.shape[0], groups, filters, *geo.out)
    total = xp.zeros((groups, filters, *geo.kernel), x.dtype)
    axes = (0, *range(3, 3 + rank))
    chunk = parts_of(xp, x.shape[0], 3 * math.prod(y.shape[1:]))
    for where, part in padded_parts(xp, x, geo, chunk):
        source = y[where]
        for offsets, place in _places(geo):
            term = part[(..., *place)][:, :, None] * source
            total[(slice(None), slice(None), *offsets)] += term.sum(axes)
    return total.reshape(groups * filters, 1, *geo.kernel)

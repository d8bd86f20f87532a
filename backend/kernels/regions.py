"""Regions of images in bins, one number for each bin and channel, by tables of what stands in each bin along each
dimension; and the gradients of that.

An image's elements are rows of channels, `rows` [N * H * W, C], where a bin has the same elements in all channels, and
planes [N, C, H, W] elsewhere. `image` [R] says to which image each region belongs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import loops
from ..loops.names import parallel
from .arrays import F32, F64, bound, flat

LEAST = 1 << 10  # elements of the images, or of the bins' gradients


class Samples(NamedTuple):
    """Along one dimension, for each region and bin [R, bins, n], which elements count and with what weight."""

    at: np.ndarray
    weight: np.ndarray


class Spans(NamedTuple):
    """Along one dimension, for each region and bin [R, bins], the first element and the one after the last."""

    first: np.ndarray
    last: np.ndarray


@loops.kernel
def _weighted(rows, image, down, down_weight, along, along_weight, out, regions, height, width, lines, columns,
              many_down, many_along, channels):
    for q in parallel(regions * height, width * many_down * many_along * channels):
        base = image[q // height] * lines
        for j in range(width):
            target = out + (q * width + j) * channels
            for c in range(channels):
                target[c] = 0.0
            for a in range(many_down):
                share = down_weight[q * many_down + a]
                if share != 0.0:
                    line = (base + down[q * many_down + a]) * columns
                    for b in range(many_along):
                        other = (q // height * width + j) * many_along + b
                        if along_weight[other] != 0.0:
                            weight = share * along_weight[other]
                            source = rows + (line + along[other]) * channels
                            for c in range(channels):
                                target[c] = target[c] + weight * source[c]


@loops.kernel
def _spread(g, image, down, down_weight, along, along_weight, out, regions, height, width, lines, columns, many_down,
            many_along, channels):
    for q in parallel((channels + 31) // 32, regions * height * width * many_down * many_along * 32):
        begin = q * 32
        wide = min(32, channels - begin)
        for n in range(regions * height):
            base = image[n // height] * lines
            for j in range(width):
                given = g + ((n * width + j) * channels + begin)
                for a in range(many_down):
                    share = down_weight[n * many_down + a]
                    if share != 0.0:
                        line = (base + down[n * many_down + a]) * columns
                        for b in range(many_along):
                            other = (n // height * width + j) * many_along + b
                            if along_weight[other] != 0.0:
                                weight = share * along_weight[other]
                                target = out + ((line + along[other]) * channels + begin)
                                for c in range(wide):
                                    target[c] = target[c] + weight * given[c]


@loops.kernel
def _largest(rows, image, top, bottom, left, right, out, found, regions, height, width, lines, columns, channels):
    for q in parallel(regions * height, width * channels * 8):
        base = image[q // height] * lines
        for j in range(width):
            other = q // height * width + j
            target = out + (q * width + j) * channels
            place = found + (q * width + j) * channels
            first = top[q] * columns + left[other]
            is_there = bottom[q] > top[q] and right[other] > left[other]
            source = rows + (base * columns + (first if is_there else 0)) * channels
            for c in range(channels):
                target[c] = source[c] if is_there else 0.0
                place[c] = first if is_there else -1
            if is_there:
                for y in range(top[q], bottom[q]):
                    for x in range(left[other], right[other]):
                        at = y * columns + x
                        candidate = rows + (base * columns + at) * channels
                        for c in range(channels):
                            kept = target[c]
                            better = candidate[c] > kept or (candidate[c] != candidate[c] and kept == kept)
                            target[c] = candidate[c] if better else kept
                            place[c] = at if better else place[c]


@loops.kernel
def _put(g, image, places, out, regions, channels, bins, plane):
    for c in parallel(channels, regions * bins * 4):
        for r in range(regions):
            target = out + (image[r] * channels + c) * plane
            first = (r * channels + c) * bins
            for b in range(bins):
                place = places[first + b]
                if place >= 0:
                    target[place] = target[place] + g[first + b]


@loops.kernel
def _own_means(x, image, top, bottom, left, right, out, regions, channels, height, width, lines, columns):
    """Channels of x are in [channels, height, width]: each bin has its own."""
    bins = height * width
    for q in parallel(regions * channels, bins * 16):
        r = q // channels
        for b in range(bins):
            n = r * height + b // width
            m = r * width + b % width
            plane = x + ((image[r] * channels + q % channels) * bins + b) * lines * columns
            total = 0.0
            for i in range(top[n], bottom[n]):
                for j in range(left[m], right[m]):
                    total = total + plane[i * columns + j]
            count = (bottom[n] - top[n]) * (right[m] - left[m])
            out[q * bins + b] = total / (count if count > 0 else 1)


@loops.kernel
def _own_shares(g, image, top, bottom, left, right, out, regions, channels, height, width, lines, columns):
    bins = height * width
    for q in parallel(channels * bins, regions * 16):
        b = q % bins
        for r in range(regions):
            n = r * height + b // width
            m = r * width + b % width
            plane = out + (image[r] * channels * bins + q) * lines * columns
            count = (bottom[n] - top[n]) * (right[m] - left[m])
            share = g[(r * channels + q // bins) * bins + b] / (count if count > 0 else 1)
            for i in range(top[n], bottom[n]):
                for j in range(left[m], right[m]):
                    plane[i * columns + j] = plane[i * columns + j] + share


_TABLES, _EDGES, _SIZES = "i64* i64* T* i64* T*", "i64* i64* i64* i64* i64*", " i64 i64 i64 i64 i64 i64"
_run_weighted = bound(_weighted, f"T* {_TABLES} T* {_SIZES} i64 i64")
_run_spread = bound(_spread, f"T* {_TABLES} T* {_SIZES} i64 i64")
_run_largest = bound(_largest, f"T* {_EDGES} T* i64* {_SIZES}")
_run_put = bound(_put, "T* i64* i64* T* i64 i64 i64 i64")
_run_own_means = bound(_own_means, f"T* {_EDGES} T* {_SIZES}")
_run_own_shares = bound(_own_shares, f"T* {_EDGES} T* {_SIZES}")


def _rows(x: np.ndarray) -> np.ndarray:
    """[N, C, H, W] as [N * H * W, C]: no copy where channels lie side by side."""
    return flat(x.transpose(0, 2, 3, 1))


def _images(rows: np.ndarray) -> np.ndarray:
    return rows.transpose(0, 3, 1, 2)


def _tables(down: Samples, along: Samples, dtype: Any) -> list[np.ndarray]:
    return [flat(part) for table in (down, along) for part in (table.at, table.weight.astype(dtype, copy=False))]


def _is_for_loops(x: np.ndarray, kernel: loops.Kernel, work: int) -> bool:
    return x.ndim == 4 and (x.dtype is F32 or x.dtype is F64) and loops.is_ready() and kernel.is_due(work)


def _samples(down: Samples, along: Samples, channels: int) -> int:
    """How many elements are multiplied."""
    return len(down.at) * down.at[0].size * along.at[0].size * channels


def _elements(down: Spans, along: Spans, channels: int) -> int:
    """How many elements are looked at."""
    across = [(spans.last - spans.first).clip(0).sum(1) for spans in (down, along)]
    return int((across[0] * across[1]).sum()) * channels


def weighted_bins(x: np.ndarray, image: np.ndarray, down: Samples, along: Samples) -> Any:
    """Sums [R, C, bins down, bins along] of weighted elements of images [N, C, H, W]."""
    if not _is_for_loops(x, _weighted, _samples(down, along, x.shape[1])):
        return NotImplemented
    out = np.empty((*down.at.shape[:2], along.at.shape[1], x.shape[1]), x.dtype)
    _run_weighted(x.dtype, _rows(x), image, *_tables(down, along, x.dtype), out, *out.shape[:3], *x.shape[2:],
                  down.at.shape[2], along.at.shape[2], x.shape[1])
    return _images(out)


def spread_bins(g: np.ndarray, image: np.ndarray, down: Samples, along: Samples, shape: Sequence[int]) -> Any:
    """g [R, C, bins down, bins along], weighted, added to the elements of zeros [N, C, H, W]."""
    if not _is_for_loops(g, _spread, _samples(down, along, shape[1])):
        return NotImplemented
    out = np.zeros((shape[0], *shape[2:], shape[1]), g.dtype)
    _run_spread(g.dtype, _rows(g), image, *_tables(down, along, g.dtype), out, len(g), *g.shape[2:], *shape[2:],
                down.at.shape[2], along.at.shape[2], shape[1])
    return _images(out)


def largest_in_bins(x: np.ndarray, image: np.ndarray, down: Spans, along: Spans) -> Any:
    """The largest element in each bin and its position in its plane, [R, C, bins] each; 0 and -1 in an empty bin."""
    if not _is_for_loops(x, _largest, _elements(down, along, x.shape[1])):
        return NotImplemented
    out = np.empty((*down.first.shape, along.first.shape[1], x.shape[1]), x.dtype)
    found = np.empty(out.shape, "int64")
    _run_largest(x.dtype, _rows(x), image, *map(flat, (*down, *along)), out, found, *out.shape[:3], *x.shape[2:],
                 x.shape[1])
    return _images(out), _images(found)


def put_in_planes(g: np.ndarray, image: np.ndarray, places: np.ndarray, shape: Sequence[int]) -> Any:
    """g [R, C, bins] added at places in the planes of zeros [N, C, H, W]; a place of -1 is none."""
    is_inside = (places.dtype == np.int64 and places.shape == g.shape and len(image) == len(g)
                 and places.max(initial=-1) < shape[2] * shape[3] and image.max(initial=-1) < shape[0])
    if not is_inside or g.shape[1] != shape[1] or not _is_for_loops(g, _put, g.size):
        return NotImplemented
    out = np.zeros(shape, g.dtype)
    _run_put(g.dtype, flat(g), image, flat(places), out, *g.shape[:2], g.shape[2] * g.shape[3], shape[2] * shape[3])
    return out


def means_of_own_planes(x: np.ndarray, image: np.ndarray, down: Spans, along: Spans) -> Any:
    """The means of the bins [R, C, bins], each in a plane of its own, of images [N, C * bins, H, W]."""
    bins = (down.first.shape[1], along.first.shape[1])
    if not _is_for_loops(x, _own_means, _elements(down, along, x.shape[1] // (bins[0] * bins[1]))):
        return NotImplemented
    out = np.empty((len(image), x.shape[1] // (bins[0] * bins[1]), *bins), x.dtype)
    _run_own_means(x.dtype, flat(x), image, *map(flat, (*down, *along)), out, *out.shape, *x.shape[2:])
    return out


def shares_of_own_planes(g: np.ndarray, image: np.ndarray, down: Spans, along: Spans, shape: Sequence[int]) -> Any:
    """g [R, C, bins], divided among the elements of its bin, added to zeros [N, C * bins, H, W]."""
    if not _is_for_loops(g, _own_shares, _elements(down, along, g.shape[1])):
        return NotImplemented
    out = np.zeros(shape, g.dtype)
    _run_own_shares(g.dtype, flat(g), image, *map(flat, (*down, *along)), out, *g.shape, *shape[2:])
    return out

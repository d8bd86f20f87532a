"""Images [N, C, H, W] at places between their elements, linearly, and the gradients of that.

A place is a row and a column, counted in elements. It has four elements around it; those outside the image count 0.
What they are, and their weights, is found once for all channels.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import floor, i32, parallel
from .arrays import bound, flat, takes_floats

LEAST = _LEAST = 1 << 5


@loops.kernel
def _around(down, along, at, weights, images, count, height, width, which):
    """Positions [N, 4, P] and weights [N, 4, P]; `which` 1 and 2: the change of the weights down and along."""
    for q in parallel(images * ((count + 255) // 256), 256 * 16):
        blocks = (count + 255) // 256
        n = q // blocks
        first = n * count
        base = n * 4 * count
        for p in range(q % blocks * 256, min(count, q % blocks * 256 + 256)):
            y = down[first + p]
            x = along[first + p]
            top = floor(y)
            left = floor(x)
            below = y - top
            right = x - left
            above = 1.0 - below if which != 1 else -1.0
            below = below if which != 1 else 1.0
            before = 1.0 - right if which != 2 else -1.0
            right = right if which != 2 else 1.0
            last_row = height - 1.0
            last_column = width - 1.0
            above = above if top >= 0.0 and top <= last_row else 0.0
            below = below if top >= -1.0 and top < last_row else 0.0
            before = before if left >= 0.0 and left <= last_column else 0.0
            right = right if left >= -1.0 and left < last_column else 0.0
            row = top if top >= 0.0 else 0.0
            row = row if row <= last_row else last_row
            next_row = top + 1.0 if top >= -1.0 else 0.0
            next_row = next_row if next_row <= last_row else last_row
            column = left if left >= 0.0 else 0.0
            column = column if column <= last_column else last_column
            next_column = left + 1.0 if left >= -1.0 else 0.0
            next_column = next_column if next_column <= last_column else last_column
            at[base + p] = i32(row) * i32(width) + i32(column)
            at[base + count + p] = i32(row) * i32(width) + i32(next_column)
            at[base + 2 * count + p] = i32(next_row) * i32(width) + i32(column)
            at[base + 3 * count + p] = i32(next_row) * i32(width) + i32(next_column)
            lost = (y - y) + (x - x)  # NaN where a place is none
            weights[base + p] = above * before + lost
            weights[base + count + p] = above * right + lost
            weights[base + 2 * count + p] = below * before + lost
            weights[base + 3 * count + p] = below * right + lost


@loops.kernel
def _taken(x, at, weights, out, images, channels, size, count):
    for q in parallel(images * channels, count * 8):
        base = q // channels * 4 * count
        image = x + q * size
        first = at + base
        second = at + (base + count)
        third = at + (base + 2 * count)
        fourth = at + (base + 3 * count)
        w = weights + base
        for p in range(count):
            upper = w[p] * image[first[p]] + w[count + p] * image[second[p]]
            out[q * count + p] = upper + w[2 * count + p] * image[third[p]] + w[3 * count + p] * image[fourth[p]]


@loops.kernel
def _put(g, at, weights, out, images, channels, size, count):
    for q in parallel(images * channels, count * 12):
        base = q // channels * 4 * count
        image = out + q * size
        for i in range(size):
            image[i] = 0.0
        for p in range(count):
            value = g[q * count + p]
            for k in range(4):
                place = at[base + k * count + p]
                image[place] = image[place] + value * weights[base + k * count + p]


@loops.kernel
def _slopes(g, x, at, weights, out, images, channels, size, count):
    """The sum over channels of g times what the weights make of x."""
    blocks = (count + 63) // 64
    for q in parallel(images * blocks, 64 * channels * 8):
        n = q // blocks
        base = n * 4 * count
        begin = q % blocks * 64
        end = min(count, begin + 64)
        for p in range(begin, end):
            out[n * count + p] = 0.0
        for c in range(n * channels, (n + 1) * channels):
            image = x + c * size
            for p in range(begin, end):
                upper = (weights[base + p] * image[at[base + p]]
                         + weights[base + count + p] * image[at[base + count + p]])
                lower = (weights[base + 2 * count + p] * image[at[base + 2 * count + p]]
                         + weights[base + 3 * count + p] * image[at[base + 3 * count + p]])
                out[n * count + p] = out[n * count + p] + g[c * count + p] * (upper + lower)


_run_around = bound(_around, "T* T* i32* T* i64 i64 i64 i64 i64")
_run_taken = bound(_taken, "T* i32* T* T* i64 i64 i64 i64")
_run_put = bound(_put, "T* i32* T* T* i64 i64 i64 i64")
_run_slopes = bound(_slopes, "T* T* i32* T* T* i64 i64 i64 i64")


def _can(x: np.ndarray, down: np.ndarray, along: np.ndarray) -> bool:
    larger = x if x.size > down.size else down
    return (x.ndim == 4 and x.dtype is down.dtype is along.dtype and down.shape == along.shape and 0 < x.size < 1 << 31
            and 0 < down.size and len(down) == len(x) and takes_floats(larger, _LEAST, _taken))


def _corners(x: np.ndarray, down: np.ndarray, along: np.ndarray, which: int) -> tuple[np.ndarray, np.ndarray]:
    """The positions and weights of what lies around the places."""
    images, count = len(down), down.size // len(down)
    at, weights = np.empty((images, 4, count), "int32"), np.empty((images, 4, count), x.dtype)
    _run_around(x.dtype, flat(down), flat(along), at, weights, images, count, *x.shape[2:], which)
    return at, weights


def _sizes(x: np.ndarray, down: np.ndarray) -> tuple[int, int, int, int]:
    return len(x), x.shape[1], math.prod(x.shape[2:]), down.size // len(down)


def sampled(x: np.ndarray, down: np.ndarray, along: np.ndarray) -> Any:
    """The images at places [N, *out]: [N, C, *out]."""
    if not _can(x, down, along):
        return NotImplemented
    out = np.empty((*x.shape[:2], *down.shape[1:]), x.dtype)
    _run_taken(x.dtype, flat(x), *_corners(x, down, along, 0), out, *_sizes(x, down))
    return out


def spread(g: np.ndarray, x: np.ndarray, down: np.ndarray, along: np.ndarray) -> Any:
    """g [N, C, *out] added, by the weights, to the elements around the places, in the shape of x."""
    if g.dtype is not x.dtype or not _can(x, down, along):
        return NotImplemented
    out = np.empty(x.shape, x.dtype)
    _run_put(x.dtype, flat(g), *_corners(x, down, along, 0), out, *_sizes(x, down))
    return out


def slopes(g: np.ndarray, x: np.ndarray, down: np.ndarray, along: np.ndarray) -> Any:
    """How fast the sum over channels of g times the samples changes as the places move down, and along."""
    if g.dtype is not x.dtype or not _can(x, down, along):
        return NotImplemented
    found = []
    for which in (1, 2):
        out = np.empty(down.shape, x.dtype)
        _run_slopes(x.dtype, flat(g), flat(x), *_corners(x, down, along, which), out, *_sizes(x, down))
        found.append(out)
    return tuple(found)

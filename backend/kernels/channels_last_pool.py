"""Two-dimensional pooling of images whose channels lie side by side: maxima of windows, means of whole images.

Maxima are those of NumPy, NaN among them; a library that passes it over would have to be watched. Sums are taken in
parts, which keeps them accurate. Around a small image each call of Python takes as long as what it computes: here a
call is one loop, and nothing is looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import f32, parallel
from ..threads import get_num_threads
from .arrays import F32, bound_plain, takes

_LEAST_CHANNELS = 16  # a loop over fewer is too short for vectors
_LEAST_OF_MAXIMA, _LARGEST_WINDOW = 64, 4  # of fewer channels and larger windows oneDNN's code is faster
_PART = 256  # places that are summed at a time
_WIDTH = 64  # channels at the least that a thread takes


@loops.kernel
def _maxima(x, out, n, h, w, c, oh, ow, kh, kw, sh, sw, ph, pw):
    for r in parallel(n * oh, ow * c * kh):
        image = x + r // oh * h * w * c
        top = max(r % oh * sh - ph, 0)
        bottom = min(r % oh * sh - ph + kh, h)
        for ox in range(ow):
            left = max(ox * sw - pw, 0)
            width = min(ox * sw - pw + kw, w) - left
            pairs = width // 2
            result = out + (r * ow + ox) * c
            first = image + (top * w + left) * c
            if bottom - top + width < kh + kw:  # padding counts as the lowest number
                for k in range(c):
                    result[k] = max(first[k], -3.4028234663852886e38)
            else:
                for k in range(c):
                    result[k] = first[k]
            for y in range(top, bottom):
                row = image + (y * w + left) * c
                for u in range(pairs):
                    place = row + u * 2 * c
                    for k in range(c):
                        result[k] = max(result[k], max(place[k], place[c + k]))
                for u in range(pairs * 2, width):
                    for k in range(c):
                        result[k] = max(result[k], row[u * c + k])


@loops.kernel
def _means(x, out, n, size, c, block, blocks, parts):
    for r in parallel(n * blocks, size * block):
        first = r % blocks * block
        width = min(block, c - first)
        image = x + (r // blocks * size * c + first)
        totals = out + (r // blocks * parts * c + first)
        for p in range(parts):
            begin = p * size // parts
            end = (p + 1) * size // parts
            fours = begin + (end - begin) // 4 * 4
            part = totals + p * c
            for k in range(width):
                part[k] = 0.0
            for i in range(begin, fours, 4):
                a = image + i * c
                for k in range(width):
                    part[k] = part[k] + ((a[k] + a[c + k]) + (a[c * 2 + k] + a[c * 3 + k]))
            for i in range(fours, end):
                for k in range(width):
                    part[k] = part[k] + image[i * c + k]
        whole = 1 + (parts - 1) // 4 * 4
        for p in range(1, whole, 4):
            b = totals + p * c
            for k in range(width):
                totals[k] = totals[k] + ((b[k] + b[c + k]) + (b[c * 2 + k] + b[c * 3 + k]))
        for p in range(whole, parts):
            for k in range(width):
                totals[k] = totals[k] + totals[p * c + k]
        for k in range(width):
            totals[k] = totals[k] / f32(size)


_run_maxima = bound_plain(_maxima, "f32* f32*" + " i64" * 12)
_run_means = bound_plain(_means, "f32* f32*" + " i64" * 6)


def channels_last_maxima(x: np.ndarray, kernel: Sequence[int], strides: Sequence[int],
                         pads: Sequence[tuple[int, int]], out: Sequence[int]) -> Any:
    """The maxima [n, c, *out] of small windows, each of which holds an element of x; channels last."""
    if x.ndim != 4 or x.shape[1] < _LEAST_OF_MAXIMA or kernel[0] * kernel[1] > _LARGEST_WINDOW:
        return NotImplemented
    if not takes(x, 1, _maxima):
        return NotImplemented
    image = x.transpose(0, 2, 3, 1)
    if not image.flags.c_contiguous:
        return NotImplemented
    n, h, w, c = image.shape
    result = np.empty((n, *out, c), F32)
    _run_maxima(image, result, n, h, w, c, *out, *kernel, *strides, pads[0][0], pads[1][0])
    return result.transpose(0, 3, 1, 2)


def channels_last_means(x: np.ndarray) -> Any:
    """The means [n, c, 1, 1] of whole images."""
    if x.ndim != 4 or x.shape[1] < _LEAST_CHANNELS or not takes(x, 1, _means):
        return NotImplemented
    image = x.transpose(0, 2, 3, 1)
    if not image.flags.c_contiguous:
        return NotImplemented
    n, h, w, c = image.shape
    threads, parts = get_num_threads(), max(h * w // _PART, 1)
    share = -(-c // threads)
    block = c if n >= threads else -(-share // _WIDTH) * _WIDTH
    result = np.empty((n, parts, c), F32)
    _run_means(image, result, n, h * w, c, block, -(-c // block), parts)
    return (result if parts == 1 else np.ascontiguousarray(result[:, 0])).reshape(n, c, 1, 1)

"""Two-dimensional pooling of small images, for which a call of a library costs more than the windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel
from .arrays import bound, flat, takes_floats

_MOST = 1 << 11  # elements


@loops.kernel
def _maxima(x, out, planes, h, w, oh, ow, kh, kw, sh, sw, ph, pw):
    for p in parallel(planes, h * w):
        plane = x + p * h * w
        for oy in range(oh):
            for ox in range(ow):
                top = max(oy * sh - ph, 0)
                left = max(ox * sw - pw, 0)
                best = plane[top * w + left]
                for y in range(top, min(oy * sh - ph + kh, h)):
                    for u in range(left, min(ox * sw - pw + kw, w)):
                        best = max(best, plane[y * w + u])
                out[(p * oh + oy) * ow + ox] = best


@loops.kernel
def _means(x, out, planes, h, w, oh, ow, kh, kw, sh, sw, ph, pw, divisor):
    for p in parallel(planes, h * w):
        plane = x + p * h * w
        for oy in range(oh):
            for ox in range(ow):
                top = max(oy * sh - ph, 0)
                left = max(ox * sw - pw, 0)
                bottom = min(oy * sh - ph + kh, h)
                right = min(ox * sw - pw + kw, w)
                total = 0.0
                for y in range(top, bottom):
                    for u in range(left, right):
                        total += plane[y * w + u]
                count = divisor if divisor > 0 else (bottom - top) * (right - left)
                out[(p * oh + oy) * ow + ox] = total / count


_run_maxima = bound(_maxima, "T* T*" + " i64" * 11)
_run_means = bound(_means, "T* T*" + " i64" * 12)


def _bounds(x: np.ndarray, kernel: Sequence[int], strides: Sequence[int], pads: Sequence[tuple[int, int]],
            out: Sequence[int]) -> tuple[int, ...]:
    n, c, h, w = x.shape
    return n * c, h, w, *out, *kernel, *strides, pads[0][0], pads[1][0]


def _takes(x: np.ndarray, kernel: loops.Kernel) -> bool:
    return x.ndim == 4 and x.size <= _MOST and takes_floats(x, 1, kernel)


def max_pool(x: np.ndarray, kernel: Sequence[int], strides: Sequence[int], pads: Sequence[tuple[int, int]],
             out: Sequence[int]) -> Any:
    """The maxima [n, c, *out] of windows; each window holds an element of x."""
    if not _takes(x, _maxima):
        return NotImplemented
    result = np.empty((*x.shape[:2], *out), x.dtype)
    _run_maxima(x.dtype, flat(x), result, *_bounds(x, kernel, strides, pads, out))
    return result


def mean_pool(x: np.ndarray, kernel: Sequence[int], strides: Sequence[int], pads: Sequence[tuple[int, int]],
              out: Sequence[int], with_padding: bool) -> Any:
    """The means [n, c, *out] of windows: of their elements of x, or `with_padding` of their whole size."""
    if not _takes(x, _means):
        return NotImplemented
    result = np.empty((*x.shape[:2], *out), x.dtype)
    _run_means(x.dtype, flat(x), result, *_bounds(x, kernel, strides, pads, out),
               kernel[0] * kernel[1] if with_padding else 0)
    return result

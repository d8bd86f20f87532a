"""The gradient of two-dimensional max pooling, images with their channels side by side in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel
from .arrays import bound, takes_floats

_LEAST = 1 << 12
_LEAST_CHANNELS = 16  # a loop over fewer is too short for vectors


@loops.kernel
def _give_to_first(x, out, g, dx, left, n, h, w, c, oh, ow, kh, kw, sh, sw, ph, pw):
    for b in parallel(n, h * w * c * 2):
        for i in range(b * h * w * c, (b + 1) * h * w * c):
            dx[i] = 0.0
        mine = left + b * c
        for oy in range(oh):
            for ox in range(ow):
                o = ((b * oh + oy) * ow + ox) * c
                for k in range(c):
                    mine[k] = g[o + k]
                for y in range(max(oy * sh - ph, 0), min(oy * sh - ph + kh, h)):
                    for u in range(max(ox * sw - pw, 0), min(ox * sw - pw + kw, w)):
                        i = ((b * h + y) * w + u) * c
                        for k in range(c):
                            hit = x[i + k] == out[o + k]
                            dx[i + k] = dx[i + k] + (mine[k] if hit else 0.0)
                            mine[k] = 0.0 if hit else mine[k]


_run = bound(_give_to_first, "T* T* T* T* T* " + " ".join(["i64"] * 12))


def max_pool_grad(x: np.ndarray, out: np.ndarray, g: np.ndarray, kernel: Sequence[int], strides: Sequence[int],
                  pads: Sequence[tuple[int, int]]) -> Any:
    """The gradient [n, c, h, w] of the maxima `out` of x, channels last: all of it to the first of equal ones."""
    if x.ndim != 4 or x.shape[1] < _LEAST_CHANNELS or not takes_floats(x, _LEAST, _give_to_first):
        return NotImplemented
    if out.dtype != x.dtype or g.dtype != x.dtype or g.shape != out.shape or out.shape[:2] != x.shape[:2]:
        return NotImplemented
    images, maxima, gradients = (np.ascontiguousarray(a.transpose(0, 2, 3, 1)) for a in (x, out, g))
    n, h, w, c = images.shape
    result, left = np.empty_like(images), np.empty((n, c), x.dtype)
    _run(x.dtype, images, maxima, gradients, result, left, n, h, w, c, *maxima.shape[1:3], *kernel, *strides,
         pads[0][0], pads[1][0])
    return result.transpose(0, 3, 1, 2)

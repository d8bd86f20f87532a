"""pixel_shuffle and pixel_unshuffle of images [n, c, h, w], in any order in memory, a row of pixels at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel
from .arrays import bound_plain

LEAST = 1 << 12
_BITS = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}


@loops.kernel
def _shuffle(x, out, images, channels, height, width, r, by_image, by_channel, by_row, by_column):
    for q in parallel(images * channels * height * r, width * r):
        i = q % r
        y = q // r % height
        c = q // (r * height) % channels
        source = x + (q // (r * height * channels) * by_image + (c * r + i) * r * by_channel + y * by_row)
        target = out + q * width * r
        for j in range(r):
            for k in range(width):
                target[k * r + j] = source[j * by_channel + k * by_column]


@loops.kernel
def _unshuffle(x, out, images, channels, height, width, r, by_image, by_channel, by_row, by_column):
    for q in parallel(images * channels * height * r, width * r):
        i = q % r
        y = q // r % height
        plane = q // (r * height)
        source = x + (plane // channels * by_image + plane % channels * by_channel + (y * r + i) * by_row)
        for j in range(r):
            target = out + (((plane * r + i) * r + j) * height + y) * width
            for k in range(width):
                target[k] = source[(k * r + j) * by_column]


_NUMBERS = " ".join(["i64"] * 9)
_run_shuffle = {size: bound_plain(_shuffle, f"{kind}* {kind}* {_NUMBERS}") for size, kind in _BITS.items()}
_run_unshuffle = {size: bound_plain(_unshuffle, f"{kind}* {kind}* {_NUMBERS}") for size, kind in _BITS.items()}


def _moved(run: dict[int, Callable[..., None]], kernel: loops.Kernel, x: np.ndarray, shape: tuple[int, ...],
           sizes: tuple[int, ...]) -> Any:
    if (x.itemsize not in _BITS or x.dtype.hasobject or not x.flags.aligned or not loops.is_ready()
            or not kernel.is_due(x.size)):
        return NotImplemented
    out = np.empty(shape, x.dtype)
    run[x.itemsize](x, out, *sizes, *[step // x.itemsize for step in x.strides])
    return out


def shuffled(x: np.ndarray, r: int) -> Any:
    """[n, c * r * r, h, w] as [n, c, h * r, w * r]."""
    n, c, h, w = x.shape
    c //= r * r
    return _moved(_run_shuffle, _shuffle, x, (n, c, h * r, w * r), (n, c, h, w, r))


def unshuffled(x: np.ndarray, r: int) -> Any:
    """[n, c, h * r, w * r] as [n, c * r * r, h, w]."""
    n, c, h, w = x.shape
    h, w = h // r, w // r
    return _moved(_run_unshuffle, _unshuffle, x, (n, c * r * r, h, w), (n, c, h, w, r))

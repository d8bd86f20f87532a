"""group_norm and instance_norm of images whose channels lie side by side, and their gradient.

Sums are taken of each channel, over some places at a time; those of a group's channels and parts are put together in
float64.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .. import loops
from ..in_order import lying_as
from ..loops.names import parallel
from .arrays import bound
from .batch_norm_loops import column_slopes, column_statistics

_PLACES = 1 << 9  # of a part: rounding grows with the length of a sum
_LEAST = 1 << 15  # elements, of fewer of which a copy in order takes less time than what is put together here


@loops.kernel
def _statistics(x, means, squares, samples, parts, places, channels):
    blocks = (channels + 31) // 32
    for p in parallel(samples * parts * blocks, places // parts * min(channels, 32)):
        part = p // blocks
        first = p % blocks * 32
        begin = part % parts * places // parts
        end = (part % parts + 1) * places // parts
        start = (part // parts * places + begin) * channels + first
        at = part * channels + first
        column_statistics(x + start, means + at, squares + at, end - begin, min(32, channels - first), channels)


@loops.kernel
def _scaled(x, mean, factor, bias, y, samples, parts, places, channels):
    for p in parallel(samples * parts, places // parts * channels):
        n = p // parts
        middle = mean + n * channels
        slope = factor + n * channels
        for r in range(n * places + p % parts * places // parts, n * places + (p % parts + 1) * places // parts):
            row = x + r * channels
            result = y + r * channels
            for c in range(channels):
                result[c] = (row[c] - middle[c]) * slope[c] + bias[c]


@loops.kernel
def _slopes(x, g, mean, inverse, along, total, samples, parts, places, channels):
    blocks = (channels + 31) // 32
    for p in parallel(samples * parts * blocks, places // parts * min(channels, 32)):
        part = p // blocks
        first = p % blocks * 32
        begin = part % parts * places // parts
        end = (part % parts + 1) * places // parts
        start = (part // parts * places + begin) * channels + first
        of_sample = part // parts * channels + first
        at = part * channels + first
        column_slopes(x + start, g + start, mean + of_sample, inverse + of_sample, along + at, total + at, end - begin,
                      min(32, channels - first), channels)


@loops.kernel
def _spread(x, g, mean, scale, shift, slope, dx, samples, parts, places, channels):
    for p in parallel(samples * parts, places // parts * channels):
        n = p // parts
        middle = mean + n * channels
        factor = scale + n * channels
        less = shift + n * channels
        tilt = slope + n * channels
        for r in range(n * places + p % parts * places // parts, n * places + (p % parts + 1) * places // parts):
            row = x + r * channels
            back = g + r * channels
            result = dx + r * channels
            for c in range(channels):
                result[c] = back[c] * factor[c] - less[c] - (row[c] - middle[c]) * tilt[c]


_SIZES = "i64 i64 i64 i64"
_run_statistics = bound(_statistics, f"T* T* T* {_SIZES}")
_run_scaled = bound(_scaled, f"T* T* T* T* T* {_SIZES}")
_run_slopes = bound(_slopes, f"T* T* T* T* T* T* {_SIZES}")
_run_spread = bound(_spread, f"T* T* T* T* T* T* T* {_SIZES}")


class _Sizes(NamedTuple):
    samples: int
    parts: int
    places: int
    channels: int

    @property
    def counts(self) -> np.ndarray:
        """The places of each part, [parts, 1, 1]."""
        ends = np.arange(self.parts + 1) * self.places // self.parts
        return np.diff(ends)[:, None, None]

    def by_groups(self, values: np.ndarray, groups: int) -> np.ndarray:
        """[samples, parts, groups, channels of a group], in float64."""
        return values.reshape(self.samples, self.parts, groups, -1).astype(np.float64)

    def of_channels(self, values: np.ndarray, dtype: np.dtype) -> np.ndarray:
        """What is of groups, [samples, groups], as of their channels, [samples, channels]."""
        return values.repeat(self.channels // values.shape[1], 1).astype(dtype)


def lies_last(x: np.ndarray) -> bool:
    """Whether the channels of images, large enough, lie side by side."""
    return (x.size >= _LEAST and x.ndim > 2 and not x.flags.c_contiguous
            and x.transpose(0, *range(2, x.ndim), 1).flags.c_contiguous)


def _sizes(x: np.ndarray) -> _Sizes:
    places = math.prod(x.shape[2:])
    return _Sizes(len(x), -(-places // _PLACES), places, x.shape[1])


def normalized(x: np.ndarray, scale: np.ndarray, bias: np.ndarray, groups: int, epsilon: float) -> tuple:
    """The normalized array, and mean, variance and 1 / deviation of each group."""
    sizes, dtype, y = _sizes(x), x.dtype, np.empty_like(x)
    means, squares = np.empty((2, sizes.samples * sizes.parts, sizes.channels), dtype)
    _run_statistics(dtype, x, means, squares, *sizes)
    middles, of_each = sizes.by_groups(means, groups), sizes.places * sizes.channels // groups
    mean = (middles * sizes.counts).sum((1, 3)) / of_each
    away = middles - mean[:, None, :, None]
    variance = (sizes.by_groups(squares, groups) + away * away * sizes.counts).sum((1, 3)) / of_each
    inverse = 1 / np.sqrt(variance + epsilon)
    factor = sizes.of_channels(inverse, dtype) * scale
    _run_scaled(dtype, x, sizes.of_channels(mean, dtype), factor, bias, y, *sizes)
    return y, *[found.astype(dtype).reshape(-1) for found in (mean, variance, inverse)]


def gradients(x: np.ndarray, scale: np.ndarray, mean: np.ndarray, inverse: np.ndarray, g: np.ndarray,
              groups: int) -> tuple:
    """Those of x, scale and bias."""
    sizes, dtype, g, dx = _sizes(x), x.dtype, lying_as(g, x), np.empty_like(x)
    along, total = np.empty((2, sizes.samples * sizes.parts, sizes.channels), dtype)
    middle, slope = (sizes.of_channels(each.reshape(-1, groups), dtype) for each in (mean, inverse))
    _run_slopes(dtype, x, g, middle, slope, along, total, *sizes)
    sums = [sizes.by_groups(each, groups).sum(1) for each in (along, total)]
    of_each = sizes.places * sizes.channels // groups
    tilt, shift = (sizes.of_channels((each * scale.reshape(groups, -1)).sum(2) / of_each, dtype) for each in sums)
    _run_spread(dtype, x, g, middle, slope * scale, shift * slope, tilt * slope * slope, dx, *sizes)
    d_scale, d_bias = (each.sum(0).reshape(-1).astype(dtype) for each in sums)
    return dx, d_scale, d_bias

"""batch_norm and its gradient, for channels in front of the positions and for channels last in memory.

An array of shape [N, C, H, W] may lie in memory as [N, H, W, C]: results then lie so as well. With the channels in
front a thread takes a channel, with the channels last a part of the rows, and what the parts found is put together:
means and sums of squares around them (Chan, Golub and LeVeque, Updating Formulae and a Pairwise Algorithm for Computing
Sample Variances, 1979), never the difference of two large sums.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..in_order import lying_as
from .arrays import flat, takes_floats
from .batch_norm_loops import (
    backward,
    backward_front,
    backward_last,
    backward_whole_last,
    combine,
    forward,
    front,
    part_statistics,
    part_sums,
    scale_front,
    scale_last,
    whole_last,
)
from .layer_norm import parameter

_LEAST = 1 << 5
_PART = 1 << 15  # elements of a part: it stays in the cache between its mean and its squares
_FEW_ROWS = 1 << 11  # with so few, a thread takes whole columns, which stay in the cache


class _Layout(NamedTuple):
    """An array, or a copy of it, whose channels lie in front of `places` of them or behind `rows`."""

    x: np.ndarray
    channels_last: bool
    rows: int
    channels: int
    places: int

    @property
    def parts(self) -> int:
        """Into how many parts of the rows the work falls: as many on any number of threads."""
        return max(1, min(self.rows, self.x.size // _PART))


def _layout(x: np.ndarray, data_format: str) -> _Layout:
    if data_format[-1] == "C" or x.ndim == 2:
        channels = x.shape[-1]
        return _Layout(flat(x), True, x.size // channels, channels, 1)
    channels, places = x.shape[1], math.prod(x.shape[2:])
    if not x.flags.c_contiguous and x.transpose(0, *range(2, x.ndim), 1).flags.c_contiguous:
        return _Layout(x, True, x.size // channels, channels, 1)
    if places == 1:
        return _Layout(flat(x), True, x.shape[0], channels, 1)
    return _Layout(flat(x), False, x.shape[0], channels, places)


def batch_norm(x: np.ndarray, scale: Any, bias: Any, mean: np.ndarray, variance: np.ndarray,
               momentum_tensor: Any = None, *, momentum: float = 0.9, epsilon: float = 1e-5, is_test: bool = False,
               data_layout: str = "NCHW", use_global_stats: bool = False, trainable_statistics: bool = False) -> Any:
    """The normalized array, the running mean and variance, and the batch's mean and 1 / deviation."""
    dtype = x.dtype
    if not takes_floats(x, _LEAST, forward) or mean.dtype is not dtype or variance.dtype is not dtype:
        return NotImplemented
    layout = _layout(x, data_layout)
    channels = layout.channels
    scale, bias = parameter(scale, channels, dtype, 1.0), parameter(bias, channels, dtype, 0.0)
    if scale is None or bias is None or mean.size != channels or variance.size != channels or x.size == channels:
        return NotImplemented
    y = np.empty_like(layout.x)
    if (is_test and not trainable_statistics) or use_global_stats:
        inverse = 1 / np.sqrt(variance + epsilon)
        _scale(layout, mean, inverse * scale, bias, y)
        return y, mean, variance, mean.copy(), inverse
    keep = momentum if momentum_tensor is None else momentum_tensor.item()
    found = np.empty((4, channels), dtype)
    mean_out, variance_out, saved, inverse = found
    running = flat(mean), flat(variance), mean_out, variance_out, saved, inverse
    if layout.channels_last and layout.rows <= _FEW_ROWS:
        whole_last(dtype, layout.x, scale, bias, y, *running, layout.rows, channels, keep, 1 - keep, epsilon)
    elif layout.channels_last:
        parts = layout.parts
        work = np.empty((2, parts, channels), dtype)
        part_statistics(dtype, layout.x, work[0], work[1], layout.rows, channels, parts)
        combine(dtype, work[0], work[1], *running, layout.rows, channels, parts, keep, 1 - keep, epsilon)
        scale_last(dtype, layout.x, saved, inverse * scale, bias, y, layout.rows, channels)
    else:
        front(dtype, layout.x, scale, bias, y, *running, layout.rows, channels, layout.places, keep, 1 - keep, epsilon)
    return y, mean_out, variance_out, saved, inverse


def _scale(layout: _Layout, mean: np.ndarray, factor: np.ndarray, bias: np.ndarray, y: np.ndarray) -> None:
    """y = (x - mean) * factor + bias."""
    x, dtype = layout.x, layout.x.dtype
    if layout.channels_last:
        scale_last(dtype, x, flat(mean), factor, bias, y, layout.rows, layout.channels)
    else:
        scale_front(dtype, x, flat(mean), factor, bias, y, layout.rows, layout.channels, layout.places)


def batch_norm_grad(x: np.ndarray, scale: Any, mean: np.ndarray, inverse: np.ndarray, g: np.ndarray, data_format: str,
                    constant: bool) -> Any:
    """The gradients of x, scale and bias; where `constant`, the statistics do not depend on x."""
    dtype = x.dtype
    if not all(a.dtype is dtype for a in (g, mean, inverse)) or not takes_floats(x, _LEAST, backward):
        return NotImplemented
    layout = _layout(x, data_format)
    channels = layout.channels
    scale = parameter(scale, channels, dtype, 1.0)
    if scale is None or g.shape != x.shape or mean.size != channels or inverse.size != channels or x.size == channels:
        return NotImplemented
    g, dx = lying_as(g, layout.x), np.empty_like(layout.x)
    share = 0.0 if constant else channels / x.size
    mean, inverse = flat(mean), flat(inverse)
    if not layout.channels_last:
        d_scale, d_bias = np.empty((2, channels), dtype)
        backward_front(dtype, layout.x, g, scale, mean, inverse, dx, d_scale, d_bias, layout.rows, channels,
                       layout.places, share)
        return dx, d_scale, d_bias
    if layout.rows <= _FEW_ROWS:
        d_scale, d_bias = np.empty((2, channels), dtype)
        backward_whole_last(dtype, layout.x, g, scale, mean, inverse, dx, d_scale, d_bias, layout.rows, channels, share)
        return dx, d_scale, d_bias
    parts = layout.parts
    sums = np.empty((2, parts, channels), dtype)
    part_sums(dtype, layout.x, g, mean, inverse, sums[0], sums[1], layout.rows, channels, parts)
    d_scale, d_bias = sums.sum(1) if parts > 1 else sums[:, 0]
    factor = inverse * scale
    if constant:
        along = shift = np.zeros(channels, dtype)
    else:
        along, shift = d_scale * inverse * share, d_bias * share
    backward_last(dtype, layout.x, g, mean, factor, along, shift, dx, layout.rows, channels)
    return dx, d_scale, d_bias

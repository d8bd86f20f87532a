"""group_norm and instance_norm (a group a channel) of arrays with the channels in front, and their gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import f64, parallel
from . import group_norm_last
from .arrays import bound, flat, takes_floats
from .group_norm_last import lies_last
from .layer_norm import parameter
from .reduce_functions import mean_and_spread, product_totals

_LEAST = 1 << 5


@loops.kernel
def _forward(x, scale, bias, y, means, variances, inverses, samples, groups, each, count, epsilon):
    for p in parallel(samples * groups, each * count):
        block = x + p * each * count
        result = y + p * each * count
        mean, variance, inverse = mean_and_spread(block, each * count, epsilon)
        means[p] = mean
        variances[p] = variance
        inverses[p] = inverse
        for j in range(each):
            channel = p % groups * each + j
            factor = inverse * scale[channel]
            shift = bias[channel]
            for i in range(j * count, j * count + count):
                result[i] = (block[i] - mean) * factor + shift


@loops.kernel
def _backward(x, g, scale, means, inverses, dx, d_scale, d_bias, samples, groups, each, count):
    for p in parallel(samples * groups, each * count):
        start = p * each * count
        mean = means[p]
        inverse = inverses[p]
        n = each * count
        total, along = f64(0.0), f64(0.0)
        for j in range(each):
            place = p * each + j
            weight = scale[p % groups * each + j]
            of_g, of_products = product_totals(g + start + j * count, x + start + j * count, mean, count)
            d_bias[place] = of_g
            d_scale[place] = of_products * inverse
            total += of_g * weight
            along += of_products * weight
        shift, slope = 0.0, 0.0
        shift = total / n
        slope = along * inverse * inverse / n
        for j in range(each):
            weight = scale[p % groups * each + j]
            for i in range(start + j * count, start + j * count + count):
                dx[i] = (g[i] * weight - shift - (x[i] - mean) * slope) * inverse


_call_forward = bound(_forward, "T* T* T* T* T* T* T* i64 i64 i64 i64 real")
_call_backward = bound(_backward, "T* T* T* T* T* T* T* T* i64 i64 i64 i64")


def _normalized(x: np.ndarray, scale: Any, bias: Any, groups: int, epsilon: float) -> Any:
    """The normalized array, and mean, variance and 1 / deviation of each group."""
    samples, channels = x.shape[:2]
    scale, bias = parameter(scale, channels, x.dtype, 1.0), parameter(bias, channels, x.dtype, 0.0)
    if scale is None or bias is None or groups < 1 or channels % groups:
        return NotImplemented
    if lies_last(x):
        return group_norm_last.normalized(x, scale, bias, groups, epsilon)
    y, found = np.empty(x.shape, x.dtype), np.empty((3, samples * groups), x.dtype)
    mean, variance, inverse = found
    _call_forward(x.dtype, flat(x), scale, bias, y, mean, variance, inverse, samples, groups, channels // groups,
                  math.prod(x.shape[2:]), epsilon)
    return y, mean, variance, inverse


def group_norm(x: np.ndarray, scale: np.ndarray | None = None, bias: np.ndarray | None = None, *,
               epsilon: float = 1e-5, groups: int, data_layout: str = "NCHW") -> Any:
    """The normalized array, and mean and variance of each sample's groups."""
    if not takes_floats(x, _LEAST, _forward) or data_layout[-1] == "C":
        return NotImplemented
    found = _normalized(x, scale, bias, groups, epsilon)
    if found is NotImplemented:
        return NotImplemented
    y, mean, variance, _ = found
    return y, mean.reshape(-1, groups), variance.reshape(-1, groups)


def instance_norm(x: np.ndarray, scale: np.ndarray | None = None, bias: np.ndarray | None = None, *,
                  epsilon: float = 1e-5) -> Any:
    """The normalized array, and mean and 1 / deviation of each sample's channels."""
    if not takes_floats(x, _LEAST, _forward):
        return NotImplemented
    found = _normalized(x, scale, bias, x.shape[1], epsilon)
    if found is NotImplemented:
        return NotImplemented
    y, mean, _, inverse = found
    return y, mean, inverse


def group_norm_grad(x: np.ndarray, scale: np.ndarray | None, mean: np.ndarray, inverse: np.ndarray, g: np.ndarray,
                    groups: int) -> Any:
    """The gradients of x, scale and bias; `inverse` is 1 / deviation of each group."""
    dtype = x.dtype
    if not all(a.dtype is dtype for a in (g, mean, inverse)) or not takes_floats(x, _LEAST, _backward):
        return NotImplemented
    samples, channels = x.shape[:2]
    scale = parameter(scale, channels, dtype, 1.0)
    if scale is None or groups < 1 or channels % groups or g.size != x.size:
        return NotImplemented
    if mean.size != samples * groups or inverse.size != samples * groups:
        return NotImplemented
    if lies_last(x):
        return group_norm_last.gradients(x, scale, mean, inverse, g, groups)
    dx, sums = np.empty(x.shape, dtype), np.empty((2, samples, channels), dtype)
    _call_backward(dtype, flat(x), flat(g), scale, flat(mean), flat(inverse), dx, sums[0], sums[1], samples, groups,
                   channels // groups, math.prod(x.shape[2:]))
    d_scale, d_bias = sums.sum(1)
    return dx, d_scale, d_bias

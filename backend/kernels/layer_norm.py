"""layer_norm and its gradient: a row is read once and stays in the cache for mean, variance and result."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import f64, parallel, sqrt
from .arrays import bound, flat, takes_floats
from .reduce_functions import mean_and_spread

_LEAST = 1 << 5
_PARTS = 16  # of the rows, each with sums of its own for the gradients of the parameters


@loops.kernel
def _forward(x, scale, bias, y, means, variances, rows, n, epsilon):
    for r in parallel(rows, n):
        row = x + r * n
        result = y + r * n
        mean, variance, inverse = mean_and_spread(row, n, epsilon)
        means[r] = mean
        variances[r] = variance
        for i in range(n):
            result[i] = (row[i] - mean) * inverse * scale[i] + bias[i]


@loops.function
def weighted_totals(x, g, scale, mean, n):
    """The sums of g * scale and of g * scale * (x - mean)."""
    total, along = f64(0.0), f64(0.0)
    for start in range(0, n, 1024):
        part, part_along = 0.0, 0.0
        for i in range(start, min(start + 1024, n)):
            weighted = g[i] * scale[i]
            part += weighted
            part_along += weighted * (x[i] - mean)
        total += part
        along += part_along
    return total, along


@loops.kernel
def _backward(x, g, scale, means, variances, dx, d_scale, d_bias, rows, n, parts, epsilon):
    for p in parallel(parts, rows // parts * n):
        scales = d_scale + p * n
        biases = d_bias + p * n
        for i in range(n):
            scales[i] = 0.0
            biases[i] = 0.0
        for r in range(p * rows // parts, (p + 1) * rows // parts):
            row = x + r * n
            back = g + r * n
            result = dx + r * n
            mean = means[r]
            inverse = 1.0 / sqrt(variances[r] + epsilon)
            total, along = weighted_totals(row, back, scale, mean, n)
            shift, slope = 0.0, 0.0
            shift = total / n
            slope = along * inverse / n
            for i in range(n):
                normal = (row[i] - mean) * inverse
                result[i] = (back[i] * scale[i] - shift - normal * slope) * inverse
                scales[i] = scales[i] + back[i] * normal
                biases[i] = biases[i] + back[i]


_call_forward = bound(_forward, "T* T* T* T* T* T* i64 i64 real")
_call_backward = bound(_backward, "T* T* T* T* T* T* T* T* i64 i64 i64 real")


@lru_cache(maxsize=64)
def _constant(size: int, dtype: Any, value: float) -> np.ndarray:
    return np.full(size, value, dtype)


def parameter(x: np.ndarray | None, size: int, dtype: Any, value: float) -> np.ndarray | None:
    """A scale or bias as loops take it; an array of `value` for one that is absent, None for one they do not take."""
    if x is None:
        return _constant(size, dtype, value)
    return flat(x) if x.dtype is dtype and x.size == size else None


def layer_norm(x: np.ndarray, scale: np.ndarray | None = None, bias: np.ndarray | None = None, *,
               begin_norm_axis: int = 1, epsilon: float = 1e-5) -> Any:
    """The normalized array, and mean and variance of each row."""
    if not takes_floats(x, _LEAST, _forward) or begin_norm_axis >= x.ndim:
        return NotImplemented
    lead = x.shape[:begin_norm_axis]
    rows, n = math.prod(lead), math.prod(x.shape[begin_norm_axis:])
    scale, bias = parameter(scale, n, x.dtype, 1.0), parameter(bias, n, x.dtype, 0.0)
    if scale is None or bias is None:
        return NotImplemented
    y, mean, variance = np.empty(x.shape, x.dtype), np.empty(lead, x.dtype), np.empty(lead, x.dtype)
    _call_forward(x.dtype, flat(x), scale, bias, y, mean, variance, rows, n, epsilon)
    return y, mean, variance


def layer_norm_grad(x: np.ndarray, scale: np.ndarray | None, mean: np.ndarray, variance: np.ndarray, g: np.ndarray,
                    begin: int, epsilon: float) -> Any:
    """The gradients of x, scale and bias."""
    dtype = x.dtype
    if not all(a.dtype is dtype for a in (g, mean, variance)) or not takes_floats(x, _LEAST, _backward):
        return NotImplemented
    rows, n = math.prod(x.shape[:begin]), math.prod(x.shape[begin:])
    scale = parameter(scale, n, dtype, 1.0)
    if scale is None or g.size != x.size or mean.size != rows or variance.size != rows:
        return NotImplemented
    parts = min(rows, _PARTS) if x.size >= 1 << 14 else 1
    dx, sums = np.empty(x.shape, dtype), np.empty((2, parts, n), dtype)
    _call_backward(dtype, flat(x), flat(g), scale, flat(mean), flat(variance), dx, sums[0], sums[1], rows, n, parts,
                   epsilon)
    d_scale, d_bias = sums.sum(1) if parts > 1 else sums[:, 0]
    return dx, d_scale, d_bias

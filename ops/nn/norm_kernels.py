"""Normalization on arrays: to mean 0 and variance 1 over some dimensions, then scaled and moved; and its gradient.

A `View` says over which dimensions of a reshaped input the statistics go and how the parameters broadcast to it, so
that batch, layer, group and instance normalization share one kernel and one gradient.
"""


import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.infer import product


class View(NamedTuple):
    """The input's shape as the kernels see it, the dimensions of the statistics, and the parameters' shape."""

    shape: tuple[int, ...]
    axes: tuple[int, ...]
    parameters: tuple[int, ...]


def view_of(kind: str, shape: Sequence[int], data_format: str = "NCHW", begin: int = 1, groups: int = 1) -> View:
    """The view for batch, layer, group or instance normalization of an input of this shape; -1 is not known."""
    if kind == "layer":
        inner = product(shape[begin:])
        return View((product(shape[:begin]), inner), (1,), (1, inner))
    last = data_format[-1] == "C"
    channels = shape[-1] if last else shape[1]
    if kind == "batch" and last:
        return View((product(shape[:-1]), channels, 1), (0, 2), (1, channels, 1))
    count = product(shape[1:-1] if last else shape[2:])
    if kind == "group":
        each = channels // groups if channels >= 0 else -1
        if last:
            return View((shape[0], count, groups, each), (1, 3), (1, 1, groups, each))
        return View((shape[0], groups, each, count), (2, 3), (1, groups, each, 1))
    return View((shape[0], channels, count), (2,) if kind == "instance" else (0, 2), (1, channels, 1))


def total(x: Any, axes: Sequence[int]) -> Any:
    """The sum over `axes`, which are kept with size 1; the last dimension goes first, which is fastest."""
    for axis in sorted(axes, reverse=True):
        x = _summed(x, axis)
    return x


def _summed(x: Any, axis: int) -> Any:
    """The sum along a dimension. NumPy adds what does not lie side by side one after the other, and each addition
    rounds: so many elements are added in parts, and the parts then."""
    size, part = x.shape[axis], math.isqrt(x.shape[axis])
    if type(x) is not np.ndarray or part < 8 or x.strides[axis] == min((n for n in x.strides if n), default=0):
        return x.sum(axis, dtype=x.dtype, keepdims=True)
    whole, before = size // part * part, (slice(None),) * axis
    split = x[(*before, slice(whole))].reshape(*x.shape[:axis], whole // part, part, *x.shape[axis + 1:])
    found = split.sum(axis + 1, dtype=x.dtype).sum(axis, dtype=x.dtype, keepdims=True)
    if whole < size:
        found += x[(*before, slice(whole, None))].sum(axis, dtype=x.dtype, keepdims=True)
    return found


def count_along(x: Any, axes: Sequence[int]) -> int:
    """The number of elements that share a statistic."""
    return product([x.shape[axis] for axis in axes])


def statistics(xp: Any, x: Any, view: View) -> tuple[Any, Any, Any]:
    """Mean, variance (that of the values themselves, not an estimate), and x less the mean, of a viewed input."""
    count = max(count_along(x, view.axes), 1)
    mean = total(x, view.axes) / count
    centered = x - mean
    return mean, total(centered * centered, view.axes) / count, centered


def scaled(xp: Any, centered: Any, inverse: Any, scale: Any, bias: Any, view: View) -> Any:
    """(x - mean) / deviation * scale + bias, in the memory of `centered`."""
    if scale is None:
        centered *= inverse
    else:
        scale = scale.reshape(view.parameters)
        if inverse.shape == scale.shape:
            centered *= inverse * scale
        else:
            centered *= inverse
            centered *= scale
    if bias is not None:
        centered += bias.reshape(view.parameters)
    return centered


def gradients(xp: Any, x: Any, mean: Any, inverse: Any, scale: Any, g: Any, view: View,
              constant: bool) -> tuple[Any, Any, Any]:
    """The gradients of a viewed input, of scale and of bias; where `constant`, the statistics do not depend on x."""
    normal = x - mean
    normal *= inverse
    over = tuple(n for n, size in enumerate(view.parameters) if size == 1)
    d_scale, d_bias = total(g * normal, over), total(g, over)
    weighted = g if scale is None else g * scale.reshape(view.parameters)
    if constant:
        return weighted * inverse, d_scale.reshape(-1), d_bias.reshape(-1)
    count = count_along(x, view.axes)
    if over == view.axes:  # the sums are there already
        factor = 1.0 if scale is None else scale.reshape(view.parameters)
        along, mean_g = d_scale * factor / count, d_bias * factor / count
    else:
        along, mean_g = total(weighted * normal, view.axes) / count, total(weighted, view.axes) / count
    normal *= along
    normal += mean_g
    xp.subtract(weighted, normal, out=normal)
    normal *= inverse
    return normal, d_scale.reshape(-1), d_bias.reshape(-1)

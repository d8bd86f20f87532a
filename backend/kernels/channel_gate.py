"""The gates of squeeze-and-excitation, [n, c, 1, 1], of an image whose channels lie side by side.

gate(second · max(first · mean + bias, 0) + bias), with the mean over height and width. Three loops, each of them shared
among threads where it is large; the sums are taken in parts, which keeps them accurate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel, sigmoid
from .arrays import F32, bound_plain, takes
from .reduce import sums_of_parts

_PART = 256  # places of the image that are summed at a time
_NONE = np.zeros(1, np.float32)


@loops.kernel
def _squeezed(totals, weight, bias, out, n, channels, inner, has_bias, factor):
    for r in parallel(n * inner, channels):
        whole = totals + r // inner * channels
        row = weight + r % inner * channels
        total = 0.0
        for c in range(channels):
            total += row[c] * whole[c]
        out[r] = max(total * factor + bias[r % inner * has_bias], 0.0)


@loops.function
def hard(x, slope, offset):
    """A line between 0 and 1."""
    return min(max(x * slope + offset, 0.0), 1.0)


@loops.function
def soft(x, slope, offset):
    """The logistic function."""
    return sigmoid(x)


def _gates_by(hidden, weight, bias, out, n, channels, inner, has_bias, slope, offset, *, gate):
    for r in parallel(n * channels, inner):
        row = weight + r % channels * inner
        values = hidden + r // channels * inner
        total = 0.0
        for k in range(inner):
            total += row[k] * values[k]
        out[r] = gate(total + bias[r % channels * has_bias], slope, offset)


_run_squeezed = bound_plain(_squeezed, "f32* f32* f32* f32* i64 i64 i64 i64 real")
_run_gates = {name: bound_plain(loops.kernel_with(_gates_by, gate=function),
                                "f32* f32* f32* f32* i64 i64 i64 i64 real real")
              for name, function in (("hard_sigmoid", hard), ("sigmoid", soft))}


def _fits(weight: np.ndarray, bias: np.ndarray | None, shape: tuple[int, int]) -> bool:
    """Whether loops take a filter for `shape` of windows of one element, and its bias."""
    return (weight.shape == (*shape, 1, 1) and weight.dtype is F32 and weight.flags.c_contiguous and (
        bias is None or bias.size == shape[0] and bias.dtype is F32 and bias.flags.c_contiguous))


def channel_gate(x: np.ndarray, first: np.ndarray, second: np.ndarray, first_bias: np.ndarray | None,
                 second_bias: np.ndarray | None, gate: str, slope: float, offset: float) -> Any:
    """The gates, channels last; `gate` is hard_sigmoid, of this slope and offset, or sigmoid."""
    if x.ndim != 4 or not takes(x, 1, _squeezed):
        return NotImplemented
    n, channels, inner, size = x.shape[0], x.shape[1], first.shape[0], x.shape[2] * x.shape[3]
    image = x.transpose(0, 2, 3, 1)
    if (not image.flags.c_contiguous or not _fits(first, first_bias, (inner, channels))
            or not _fits(second, second_bias, (channels, inner))):
        return NotImplemented
    parts = max(size // _PART, 1)
    totals = sums_of_parts(image, n, size, channels, parts)
    if parts > 1:
        totals = totals.sum(1)
    hidden, out = np.empty((n, inner), F32), np.empty((n, 1, 1, channels), F32)
    _run_squeezed(totals, first, _NONE if first_bias is None else first_bias, hidden, n, channels, inner,
                  first_bias is not None, 1.0 / size)
    _run_gates[gate](hidden, second, _NONE if second_bias is None else second_bias, out, n, channels, inner,
                     second_bias is not None, slope, offset)
    return out.transpose(0, 3, 1, 2)

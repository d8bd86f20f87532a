"""The gates of squeeze-and-excitation, [n, c, 1, 1], of an image whose channels lie side by side, or it times them.

gate(second · max(first · mean + bias, 0) + bias), with the mean over height and width; the sums are taken in parts,
which keeps them accurate. Where threads can share it, it is three or four loops; else it is one, as around a small
image each call of Python takes as long as what it computes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel, sigmoid
from ..threads import get_num_threads
from .arrays import F32, bound_plain, takes
from .reduce import sums_of_parts

_PART = 256  # places of the image that are summed at a time
_ALONE = 1 << 17  # elements and products that one thread has done as soon as others have been woken three times
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


@loops.kernel
def _multiplied(x, gates, out, n, size, channels):
    for r in parallel(n * size, channels):
        factors = gates + r // size * channels
        for c in range(channels):
            out[r * channels + c] = x[r * channels + c] * factors[c]


def _gated_by(x, first, first_bias, second, second_bias, room, out, n, size, channels, inner, parts, has_first,
              has_second, is_multiplied, factor, slope, offset, *, gate):
    """All of it, image by image. `room` has 2 * channels + inner numbers for each."""
    for b in parallel(n, size * channels * 2 + channels * inner * 2):
        image = x + b * size * channels
        totals = room + b * (channels * 2 + inner)
        part = totals + channels
        hidden = part + channels
        for c in range(channels):
            totals[c] = 0.0
        for p in range(parts):
            begin = p * size // parts
            end = (p + 1) * size // parts
            fours = begin + (end - begin) // 4 * 4
            for c in range(channels):
                part[c] = 0.0
            for i in range(begin, fours, 4):
                a = image + i * channels
                for c in range(channels):
                    part[c] = part[c] + ((a[c] + a[channels + c]) + (a[channels * 2 + c] + a[channels * 3 + c]))
            for i in range(fours, end):
                for c in range(channels):
                    part[c] = part[c] + image[i * channels + c]
            for c in range(channels):
                totals[c] = totals[c] + part[c]
        for r in range(inner):
            row = first + r * channels
            total = 0.0
            for c in range(channels):
                total += row[c] * totals[c]
            hidden[r] = max(total * factor + first_bias[r * has_first], 0.0)
        for c in range(channels):
            line = second + c * inner
            value = 0.0
            for k in range(inner):
                value += line[k] * hidden[k]
            part[c] = gate(value + second_bias[c * has_second], slope, offset)
        for c in range(channels * (1 - is_multiplied)):
            out[b * channels + c] = part[c]
        result = out + b * size * channels
        for i in range(size * is_multiplied):
            for c in range(channels):
                result[i * channels + c] = image[i * channels + c] * part[c]


_run_multiplied = bound_plain(_multiplied, "f32* f32* f32* i64 i64 i64")
_run_squeezed = bound_plain(_squeezed, "f32* f32* f32* f32* i64 i64 i64 i64 real")
_run_gates = {name: bound_plain(loops.kernel_with(_gates_by, gate=function),
                                "f32* f32* f32* f32* i64 i64 i64 i64 real real")
              for name, function in (("hard_sigmoid", hard), ("sigmoid", soft))}
_run_gated = {name: bound_plain(loops.kernel_with(_gated_by, gate=function),
                                "f32* f32* f32* f32* f32* f32* f32*" + " i64" * 8 + " real real real")
              for name, function in (("hard_sigmoid", hard), ("sigmoid", soft))}


def _fits(weight: np.ndarray, bias: np.ndarray | None, shape: tuple[int, int]) -> bool:
    """Whether loops take a filter for `shape` of windows of one element, and its bias."""
    return (weight.shape == (*shape, 1, 1) and weight.dtype is F32 and weight.flags.c_contiguous and (
        bias is None or bias.size == shape[0] and bias.dtype is F32 and bias.flags.c_contiguous))


def channel_gate(x: np.ndarray, first: np.ndarray, second: np.ndarray, first_bias: np.ndarray | None,
                 second_bias: np.ndarray | None, gate: str, slope: float, offset: float, is_multiplied: bool) -> Any:
    """The gates, or the image times them, channels last; `gate`: hard_sigmoid, of this slope and offset, or sigmoid."""
    if x.ndim != 4 or not takes(x, 1, _squeezed):
        return NotImplemented
    (n, channels, height, width), inner = x.shape, first.shape[0]
    size, image = height * width, x.transpose(0, 2, 3, 1)
    if (not image.flags.c_contiguous or not _fits(first, first_bias, (inner, channels))
            or not _fits(second, second_bias, (channels, inner))):
        return NotImplemented
    before = _NONE if first_bias is None else first_bias
    behind = _NONE if second_bias is None else second_bias
    parts, numbers = max(size // _PART, 1), (first_bias is not None, 1.0 / size)
    threads = get_num_threads()
    if threads == 1 or n * (size + inner) * channels <= _ALONE or n >= 2 * threads:
        room = np.empty(n * (2 * channels + inner), F32)
        out = np.empty(image.shape if is_multiplied else (n, 1, 1, channels), F32)
        _run_gated[gate](image, first, before, second, behind, room, out, n, size, channels, inner, parts, numbers[0],
                         second_bias is not None, is_multiplied, numbers[1], slope, offset)
        return out.transpose(0, 3, 1, 2)
    totals = sums_of_parts(image, n, size, channels, parts)
    if parts > 1:
        totals = totals.sum(1)
    hidden, out = np.empty((n, inner), F32), np.empty((n, 1, 1, channels), F32)
    _run_squeezed(totals, first, before, hidden, n, channels, inner, *numbers)
    _run_gates[gate](hidden, second, behind, out, n, channels, inner, second_bias is not None, slope, offset)
    if is_multiplied:
        gates, out = out, np.empty(image.shape, F32)
        _run_multiplied(image, gates, out, n, size, channels)
    return out.transpose(0, 3, 1, 2)

"""Copies: large arrays filled, copied, concatenated by several threads, as one does not fill the memory's bus; images
whose channels lie side by side concatenated along these, and resized to the nearest element; broadcast views without
the checks of NumPy's own function, which cost more than the view; matrices with zeros beyond a diagonal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel
from .arrays import bound, bound_plain, flat, own_axis, takes_floats

LEAST = _LEAST = 1 << 16
_SHARED = 1 << 17  # from here on several threads copy an array
_BITS = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}


@loops.kernel
def _fill(out, n, value):
    for p in parallel((n + 4095) // 4096, 512):
        for i in range(p * 4096, min(n, p * 4096 + 4096)):
            out[i] = value


@loops.kernel
def _copy(x, out, n):
    for p in parallel((n + 4095) // 4096, 1024):
        for i in range(p * 4096, min(n, p * 4096 + 4096)):
            out[i] = x[i]


@loops.kernel
def _copy_columns(a, b, c, d, out, rows, of_a, of_b, of_c, of_d, wide, first):
    """Four at a time, so that a row is written while it is at hand."""
    for p in parallel((rows + 63) // 64, (of_a + of_b + of_c + of_d) * 16):
        for r in range(p * 64, min(rows, p * 64 + 64)):
            target = out + (r * wide + first)
            source = a + r * of_a
            for i in range(of_a):
                target[i] = source[i]
            target = target + of_a
            source = b + r * of_b
            for i in range(of_b):
                target[i] = source[i]
            target = target + of_b
            source = c + r * of_c
            for i in range(of_c):
                target[i] = source[i]
            target = target + of_c
            source = d + r * of_d
            for i in range(of_d):
                target[i] = source[i]


@loops.kernel
def _pick(x, out, down, across, rows, height, width, oh, ow, channels):
    """A line that is the one before again is copied from that: a larger image consists of such."""
    blocks = (oh + 15) // 16
    wide = ow * channels
    for q in parallel(rows * blocks, wide * 16):
        first = q % blocks * 16
        image = x + q // blocks * height * width * channels
        for j in range(first, min(oh, first + 16)):
            line = image + down[j] * width * channels
            target = out + (q // blocks * oh + j) * wide
            before = out + (q // blocks * oh + max(j - 1, first)) * wide
            if channels == 1 and j > first and down[j] == down[max(j - 1, first)]:
                for i in range(wide):
                    target[i] = before[i]
            elif channels == 1:
                for i in range(ow):
                    target[i] = line[across[i]]
            else:
                for i in range(ow):
                    source = line + across[i] * channels
                    place = target + i * channels
                    for c in range(channels):
                        place[c] = source[c]


_run_fill = {size: bound_plain(_fill, f"{kind}* i64 i64") for size, kind in _BITS.items()}
_run_copy = {size: bound_plain(_copy, f"{kind}* {kind}* i64") for size, kind in _BITS.items()}

_AT_A_TIME, _WIDE = 4, 16  # narrower rows are copied faster from one array at a time
_run_columns = {size: bound_plain(_copy_columns, f"{kind}* " * 5 + " ".join(["i64"] * 7))
                for size, kind in _BITS.items()}
_run_pick = {size: bound_plain(_pick, f"{kind}* {kind}* i64* i64* i64 i64 i64 i64 i64 i64")
             for size, kind in _BITS.items()}


def filled(shape: Sequence[int], value: Any, dtype: np.dtype) -> Any:
    """An array filled with a number: by NumPy where it is small, or loops are not to be had."""
    out = np.empty(shape, dtype)
    size = out.size
    if size < _LEAST or dtype.itemsize not in _BITS or not loops.is_ready() or not _fill.is_due(size):
        out.fill(value)
        return out
    one = np.empty((), dtype)
    one.fill(value)
    _run_fill[dtype.itemsize](out, size, one.view(f"int{8 * dtype.itemsize}").item())
    return out


def _is_due(size: int) -> bool:
    return loops.is_ready() and _copy.is_due(size)


def _put(x: np.ndarray, out: np.ndarray) -> None:
    if x.flags.c_contiguous and x.dtype == out.dtype:
        _run_copy[x.itemsize](x, out, x.size)
    else:
        np.copyto(out, x)


def copied(x: np.ndarray) -> Any:
    """A copy."""
    if x.size < _LEAST or x.itemsize not in _BITS or not x.flags.c_contiguous or not _is_due(x.size):
        return NotImplemented
    out = np.empty(x.shape, x.dtype)
    _put(x, out)
    return out


def joined(arrays: Sequence[np.ndarray], axis: int, stacked: bool) -> Any:
    """Arrays of one dtype one behind the other along a dimension before which there is none but of size 1."""
    first = arrays[0]
    if first.size * len(arrays) < _LEAST:
        return NotImplemented
    axis = own_axis(axis, first.ndim + stacked)
    if axis == 1 and not stacked and first.ndim > 2 and not first.flags.c_contiguous:
        return _joined_channels(arrays)
    if (first.itemsize not in _BITS or math.prod(first.shape[:axis]) != 1 or not _is_due(first.size * len(arrays))
            or max([x.size for x in arrays]) < _SHARED):  # one thread copies as fast by one call of NumPy's
        return NotImplemented
    before, behind = first.shape[:axis], first.shape[axis if stacked else axis + 1:]
    for x in arrays:
        if x.dtype != first.dtype or x.shape[:axis] != before or x.shape[axis if stacked else axis + 1:] != behind:
            return NotImplemented
    sizes = [1 if stacked else x.shape[axis] for x in arrays]
    out = np.empty((*before, sum(sizes), *behind), first.dtype)
    rows, start = out.reshape(-1, *behind), 0
    for x, size in zip(arrays, sizes, strict=True):
        _put(x.reshape(size, *behind), rows[start:start + size])
        start += size
    return out


def _channels_last(x: np.ndarray) -> np.ndarray | None:
    """An array [n, c, *sizes] as [n, *sizes, c] where it lies so."""
    last = x.transpose(0, *range(2, x.ndim), 1)
    return last if last.flags.c_contiguous else None


def _joined_channels(arrays: Sequence[np.ndarray]) -> Any:
    """Images of one dtype whose channels lie side by side, one behind the other along these."""
    first, size = arrays[0], sum(x.size for x in arrays)
    if size < _LEAST or first.itemsize not in _BITS or not loops.is_ready() or not _copy_columns.is_due(size):
        return NotImplemented
    lying = [_channels_last(x) for x in arrays]
    rest = (first.shape[0], *first.shape[2:])
    if any(last is None or last.dtype != first.dtype or last.shape[:-1] != rest for last in lying):
        return NotImplemented
    wide, start = sum(x.shape[1] for x in arrays), 0
    out = np.empty((*rest, wide), first.dtype)
    count = _AT_A_TIME if min(x.shape[1] for x in arrays) >= _WIDE else 1
    for begin in range(0, len(lying), count):
        four, widths = lying[begin:begin + count], [x.shape[1] for x in arrays[begin:begin + count]]
        missing = _AT_A_TIME - len(four)
        four, widths = four + [lying[0]] * missing, widths + [0] * missing
        _run_columns[first.itemsize](*four, out, math.prod(rest), *widths, wide, start)
        start += sum(widths)
    return np.moveaxis(out, -1, 1)


def picked(x: np.ndarray, down: np.ndarray, across: np.ndarray) -> Any:
    """x[:, :, down][:, :, :, across] of images [n, c, h, w], lying as x does; int64 positions that are within x."""
    out = x.shape[0] * x.shape[1] * down.size * across.size
    if out < _LEAST or not x.size or x.itemsize not in _BITS or not loops.is_ready() or not _pick.is_due(out):
        return NotImplemented
    n, c, h, w = x.shape
    last = x if x.flags.c_contiguous else _channels_last(x)
    if last is None:
        return NotImplemented
    rows, channels = (n, c) if last is not x else (n * c, 1)
    result = np.empty((rows, down.size, across.size, channels), x.dtype)
    _run_pick[x.itemsize](last, result, down, across, rows, h, w, down.size, across.size, channels)
    return result.transpose(0, 3, 1, 2) if last is not x else result.reshape(n, c, down.size, across.size)


def broadcast(x: np.ndarray, shape: tuple[int, ...]) -> Any:
    """x repeated to a shape to which it is known to broadcast; NotImplemented where x does not lie in order."""
    if not x.size or not x.flags.c_contiguous:
        return NotImplemented
    steps: Sequence[int] = x.strides
    if 1 in x.shape:
        steps = [0 if size == 1 else step for size, step in zip(x.shape, steps, strict=True)]
    view = np.ndarray(shape, x.dtype, x, 0, (*[0] * (len(shape) - x.ndim), *steps))
    view.flags.writeable = False  # what works in place makes a copy of it
    return view


@loops.kernel
def _lower_triangle(x, out, matrices, rows, columns, diagonal):
    for q in parallel(matrices * rows, columns):
        border = max(0, min(columns, q % rows + diagonal + 1))
        for j in range(q * columns, q * columns + border):
            out[j] = x[j]
        for j in range(q * columns + border, q * columns + columns):
            out[j] = 0


@loops.kernel
def _upper_triangle(x, out, matrices, rows, columns, diagonal):
    for q in parallel(matrices * rows, columns):
        border = max(0, min(columns, q % rows + diagonal))
        for j in range(q * columns, q * columns + border):
            out[j] = 0
        for j in range(q * columns + border, q * columns + columns):
            out[j] = x[j]


_run_triangle = [bound(kernel, "T* T* i64 i64 i64 i64") for kernel in (_upper_triangle, _lower_triangle)]
LEAST_OF_TRIANGLES = 1 << 9


def triangle(x: np.ndarray, *, diagonal: int = 0, lower: bool = True) -> Any:
    """x with zeros above, or below, a diagonal of its last two dimensions."""
    if x.ndim < 2 or not takes_floats(x, LEAST_OF_TRIANGLES, _lower_triangle):
        return NotImplemented
    out = np.empty(x.shape, x.dtype)
    rows, columns = x.shape[-2:]
    _run_triangle[lower](x.dtype, flat(x), out, x.size // (rows * columns), rows, columns, diagonal)
    return out

"""Element by element on NumPy arrays: sin and cos of large ones, relu in an array's own memory (float32), prelu.

A float32 angle below 2048 is brought near 0 by a quarter of a turn in three parts; a larger one in float64, where a
quarter of a turn times a whole number below 2**31 is known well enough for float32. For float64 it has three parts,
too, and whole numbers stay below 2**20. Larger angles, infinities and NaN are left to NumPy.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import flags
from .. import loops, threads
from ..loops.elementwise import ElementwiseLoop
from ..loops.names import (
    bits,
    bits64,
    f32,
    f64,
    fma,
    i32,
    nearest,
    parallel,
    sin_cos_of_quarters,
    sin_cos_of_quarters_f64,
)
from ..loops.same_bits import SameBits
from .arrays import F32, F64, bound_plain, flat, takes_floats

LEAST = 1 << 13
LEAST_OF_PRELU = 1 << 9


@loops.kernel
def _turned(x, out, wrong, n, ahead):
    """The sines of angles so many quarters ahead of x."""
    for block in parallel((n + 2047) // 2048, 2048 * 8):
        start = block * 2048
        size = min(2048, n - start)
        beyond = i32(0)
        large = i32(0)
        for i in range(start, start + size):
            magnitude = bits(x[i]) & 2147483647
            beyond = beyond | (1317011456 - magnitude)  # its sign: above 2**30
            large = large | (1157627904 - magnitude)  # above 2048
        if beyond < 0:
            wrong[0] = 1
        elif large >= 0:
            for i in range(start, start + size):
                whole = nearest(x[i] * 0.63661977236758134)
                near = fma(whole, -1.5707963705062866, x[i])
                near = fma(whole, 4.371138828673793e-08, near)
                near = fma(whole, 1.7151245100058819e-15, near)
                sine, _ = sin_cos_of_quarters(near, i32(whole) + i32(ahead))
                out[i] = sine if sine != 0.0 else x[i]  # 0 keeps its sign
        else:
            for i in range(start, start + size):
                angle = f64(x[i])
                quarters = nearest(angle * 0.63661977236758134)
                rest = fma(quarters, -1.5707963267948966, angle)
                rest = fma(quarters, -6.123233995736766e-17, rest)
                sine, _ = sin_cos_of_quarters(f32(rest), i32(quarters) + i32(ahead))
                out[i] = sine if sine != 0.0 else x[i]  # 0 keeps its sign


@loops.kernel
def _turned_f64(x, out, wrong, n, ahead):
    for block in parallel((n + 1023) // 1024, 1024 * 12):
        start = block * 1024
        size = min(1024, n - start)
        known = 0
        for i in range(start, start + size):
            known += 1 if abs(x[i]) < 1647099.0 else 0
        if known < size:
            wrong[0] = 1
        else:
            for i in range(start, start + size):
                shifted = fma(x[i], 0.63661977236758134, 6755399441055744.0)
                quarters = shifted - 6755399441055744.0
                rest = fma(quarters, -1.5707963267948966, x[i])
                rest = fma(quarters, -6.123233995736766e-17, rest)
                rest = fma(quarters, 1.4973849048591833e-33, rest)
                sine, _ = sin_cos_of_quarters_f64(rest, bits64(shifted) - 4843621399236968448 + ahead)
                out[i] = sine if sine != 0.0 else x[i]  # 0 keeps its sign


_run = bound_plain(_turned, "f32* f32* u8* i64 i64")
_run_f64 = bound_plain(_turned_f64, "f64* f64* u8* i64 i64")


def _sine(x: np.ndarray, ahead: int) -> Any:
    is_wide = x.dtype is F64
    if not takes_floats(x, LEAST, _turned_f64 if is_wide else _turned):
        return NotImplemented
    out, wrong = np.empty(x.shape, x.dtype), np.zeros(1, "uint8")
    (_run_f64 if is_wide else _run)(flat(x), out, wrong, x.size, ahead)
    return NotImplemented if wrong[0] else out


def sin(x: np.ndarray) -> Any:
    """The sine, x in radians."""
    return _sine(x, 0)


def cos(x: np.ndarray) -> Any:
    """The cosine, x in radians."""
    return _sine(x, 1)


@loops.kernel
def _relu_in_place(x, n):
    for i in parallel(n, 1):
        x[i] = max(x[i], 0.0)


_relu = SameBits(_relu_in_place, ("f32*", "i64"))


def relu_function(size: int) -> Callable[..., None] | None:
    """The loop of `relu_in_place`: of threads, a dense array of float32, and its size; None before it is due."""
    if not loops.is_ready():
        return None
    if flags.values["FLAGS_kernel_after_elements"] == 0:
        return _relu_in_place.typed("f32*", "i64")
    return _relu.by_now(size)


def relu_in_place(x: np.ndarray) -> np.ndarray:
    """relu of an array that nobody else has yet, in its own memory; by a loop, once that is worth its making."""
    ordered = x if x.flags.c_contiguous else x.transpose(0, *range(2, x.ndim), 1)
    loop = relu_function(x.size) if x.dtype == np.float32 and ordered.flags.c_contiguous else None
    if loop is not None:
        loop(threads.get_num_threads(), ordered, x.size)
        return x
    begin = time.thread_time()
    np.maximum(ordered, 0, out=ordered)
    _relu.took(begin)
    return x


_prelu_of = {dtype: ElementwiseLoop(["r0 = a0 if a0 > 0.0 else a0 * a1"], [dtype.name]) for dtype in (F32, F64)}


def prelu(x: np.ndarray, slope: np.ndarray) -> Any:
    """x where it is positive, x * slope elsewhere; the slopes broadcast to the shape of x."""
    if (x.dtype not in _prelu_of or slope.dtype is not x.dtype or not (x.flags.aligned and slope.flags.aligned)
            or not x.size or not loops.is_ready() or slope.ndim > x.ndim):
        return NotImplemented
    if any(size not in (1, whole) for size, whole in zip(slope.shape[::-1], x.shape[::-1], strict=False)):
        return NotImplemented
    found = _prelu_of[x.dtype](x, slope)
    return NotImplemented if found is None else found[0]

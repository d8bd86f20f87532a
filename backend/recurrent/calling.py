"""Calls of generated loops with arrays of any strides, which a loop is told as numbers; and memory for what they need.

Memory that the system has just given is slow at first touch. What a call needs only for itself lies in memory that the
thread keeps from call to call.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import loops, threads
from .stack import Line

_TYPES = {np.dtype("float32"): "f32*", np.dtype("int64"): "i64*"}
_MOST_KEPT = 1 << 23  # elements of one array that are kept
_LINE = 16  # elements of one line of the cache


class _Kept(threading.local):
    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}


_kept = _Kept()


def lines(shape: Sequence[int]) -> np.ndarray:
    """An array of float32 to be filled, which begins where a line of the processor's cache does.

    A vector of 64 bytes that lies across two lines is read twice.
    """
    size = math.prod(shape)
    flat = np.empty(size + _LINE, np.float32)
    first = -flat.__array_interface__["data"][0] // flat.itemsize % _LINE
    return flat[first:first + size].reshape(shape)


def scratch(name: str, shape: Sequence[int]) -> np.ndarray:
    """An array of float32 to be filled, which is nobody's any more at this thread's next call with the same name."""
    size = math.prod(shape)
    if size > _MOST_KEPT:
        return np.empty(shape, np.float32)
    flat = _kept.arrays.get(name)
    if flat is None or flat.size < size:
        flat = _kept.arrays[name] = lines([size])
    return flat[:size].reshape(shape)


@functools.lru_cache(64)
def _all_steps(batch: int, steps: int) -> np.ndarray:
    lengths = np.full(batch, steps, np.int64)
    lengths.flags.writeable = False
    return lengths


def lengths_of(line: Line) -> Any:
    """The sequences' lengths as loops take them."""
    return _all_steps(line.plan.batch, line.plan.steps) if line.mask is None else line.mask


_code: dict[loops.Kernel, Callable[..., None]] = {}


def run(kernel: loops.Kernel, *arguments: Any) -> None:
    """Runs the kernel; arrays are of float32 or int64 and aligned, numbers whole. Types are those of its first call."""
    code = _code.get(kernel)
    if code is None:
        types = [_TYPES[a.dtype] if isinstance(a, np.ndarray) else "i64" for a in arguments]
        code = _code[kernel] = kernel.typed(*types)
    code(threads.get_num_threads(), *arguments)

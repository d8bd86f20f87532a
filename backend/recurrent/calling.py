"""Calls of generated loops with arrays of any strides, which a loop is told as numbers; and memory for what they need.

Memory that the system has just given is slow at first touch. What a call needs only for itself lies in memory that the
thread keeps from call to call.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import loops, threads

_TYPES = {np.dtype("float32"): "f32*", np.dtype("int64"): "i64*"}
_MOST_KEPT = 1 << 23  # elements of one array that are kept


class _Kept(threading.local):
    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}


_kept = _Kept()


def scratch(name: str, shape: Sequence[int]) -> np.ndarray:
    """An array of float32 to be filled, which is nobody's any more at this thread's next call with the same name."""
    size = math.prod(shape)
    if size > _MOST_KEPT:
        return np.empty(shape, np.float32)
    flat = _kept.arrays.get(name)
    if flat is None or flat.size < size:
        flat = _kept.arrays[name] = np.empty(size, np.float32)
    return flat[:size].reshape(shape)


def run(kernel: loops.Kernel, *arguments: Any) -> None:
    """Runs the kernel; arrays are of float32 or int64 and aligned, numbers whole."""
    types = [_TYPES[a.dtype] if isinstance(a, np.ndarray) else "i64" for a in arguments]
    kernel.typed(*types)(threads.get_num_threads(), *arguments)

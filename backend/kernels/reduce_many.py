"""Sums over, and factors of, the elements of many arrays at once: what clipping by the norm of all gradients needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import f64, parallel
from ..threads import get_num_threads
from .arrays import F32
from .reduce_functions import squares_around
from .tensors import HEADER, are_plain, data_of, starts_of, table_of, tensor_of

_LEAST = 1 << 10


@loops.kernel
def _squares(table, starts, sums, count, total, parts, header):
    for p in parallel(parts, 4096):
        position = p * 16384
        end = min(total, position + 16384)
        t = tensor_of(starts, count, position)
        whole = f64(0.0)
        while position < end:
            stop = min(end, starts[t + 1])
            x = data_of(table, t, header) + (position - starts[t])
            whole += squares_around(x, 0.0, stop - position)
            position = stop
            t += 1
        sums[p] = whole


@loops.kernel
def _scaled(table, starts, count, total, parts, header, factor):
    for p in parallel(parts, 8192):
        position = p * 16384
        end = min(total, position + 16384)
        t = tensor_of(starts, count, position)
        while position < end:
            stop = min(end, starts[t + 1])
            x = data_of(table, t, header) + (position - starts[t])
            out = data_of(table, count + t, header) + (position - starts[t])
            for i in range(stop - position):
                out[i] = x[i] * factor
            position = stop
            t += 1


def _takes(arrays: list[np.ndarray], kernel: loops.Kernel) -> bool:
    if not loops.is_ready() or not are_plain(arrays):
        return False
    total = sum(a.size for a in arrays)
    return total >= _LEAST and kernel.is_due(total)


def total_square(arrays: list[np.ndarray]) -> Any:
    """The sum of the squares of all elements, 0-d."""
    if not _takes(arrays, _squares):
        return NotImplemented
    starts, total, parts = starts_of(arrays)
    sums = np.empty(parts, "float32")
    _squares.typed("i64*", "i64*", "f32*", "i64", "i64", "i64", "i64")(
        get_num_threads(), table_of(arrays), starts, sums, len(arrays), total, parts, HEADER)
    return np.asarray(sums.sum(dtype="float64"), "float32")


def scale_all(arrays: list[np.ndarray], scale: np.ndarray) -> Any:
    """Each array times a 0-d one."""
    if not _takes(arrays, _scaled) or scale.dtype is not F32 or scale.size != 1:
        return NotImplemented
    if scale.item() == 1.0:
        return [a.view() for a in arrays]
    out = [np.empty(a.shape, F32) for a in arrays]
    starts, total, parts = starts_of(arrays)
    _scaled.typed("i64*", "i64*", "i64", "i64", "i64", "i64", "real")(
        get_num_threads(), table_of(arrays, out), starts, len(arrays), total, parts, HEADER, scale.item())
    return out

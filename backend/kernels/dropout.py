"""dropout of given noise: the mask and the scaled elements in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel
from .arrays import F32, bound, flat, takes_floats

_LEAST = 1 << 6


@loops.kernel
def _drop(x, noise, out, mask, n, probability, divisor):
    for i in parallel(n, 1):
        keep = noise[i] >= probability
        mask[i] = keep
        out[i] = x[i] / divisor if keep else 0.0


_call = bound(_drop, "T* f32* T* u8* i64 real real")


def takes(x: np.ndarray) -> bool:
    """Whether `drop` is for this array."""
    return takes_floats(x, _LEAST, _drop)


def drop(x: np.ndarray, noise: np.ndarray, probability: float, divisor: float) -> tuple[Any, Any]:
    """x over `divisor` where the noise (float32, of x's shape) is at least `probability` and 0 elsewhere; and where."""
    assert noise.dtype is F32 and noise.shape == x.shape
    out, mask = np.empty(x.shape, x.dtype), np.empty(x.shape, "uint8")
    _call(x.dtype, flat(x), noise, out, mask, x.size, probability, divisor)
    return out, mask

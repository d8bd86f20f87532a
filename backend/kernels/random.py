"""Random values on NumPy arrays: normal ones from evenly spread noise, and the dropout that noise decides.

Two normal values come from two even ones (Box and Muller, A Note on the Generation of Random Normal Deviates, 1958).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import log, parallel, sin_cos_of_turns, sqrt
from .arrays import F32, bound, bound_plain, flat, takes_floats


@loops.kernel
def _normals(first, second, n, mean, deviation):
    for i in parallel(n, 6):
        radius = sqrt(max(log(1.0 - first[i]) * -2.0, 0.0)) * deviation
        sine, cosine = sin_cos_of_turns(second[i])
        first[i] = mean + radius * cosine
        second[i] = mean + radius * sine


_run = bound_plain(_normals, "f32* f32* i64 real real")


def normals(uniform: np.ndarray, mean: float, deviation: float) -> np.ndarray:
    """Makes an even number of values between 0 and 1, without 1, normally distributed, in place."""
    first, second = uniform.reshape(2, -1)
    if loops.is_ready() and _normals.is_due(uniform.size):
        _run(first, second, first.size, mean, deviation)
        return uniform
    radius = np.sqrt(np.log(1 - first) * np.float32(-2)) * np.float32(deviation)
    angle = second * np.float32(2 * np.pi)
    np.multiply(radius, np.cos(angle), out=first)
    np.multiply(radius, np.sin(angle), out=second)
    uniform += np.float32(mean)
    return uniform


_LEAST = 1 << 9


@loops.kernel
def _drop(x, noise, out, mask, n, probability, weight):
    for i in parallel(n, 1):
        keep = noise[i] >= probability
        mask[i] = keep
        out[i] = x[i] * (weight if keep else 0.0)


_call = bound(_drop, "T* f32* T* u8* i64 real real")


def takes(x: np.ndarray) -> bool:
    """Whether `drop` is for this array."""
    return takes_floats(x, _LEAST, _drop)


def drop(x: np.ndarray, noise: np.ndarray, probability: float, weight: float) -> tuple[Any, Any]:
    """x times `weight` where the noise (float32, of x's shape) is at least `probability` and 0 elsewhere; and where."""
    assert noise.dtype is F32 and noise.shape == x.shape
    out, mask = np.empty(x.shape, x.dtype), np.empty(x.shape, "uint8")
    _call(x.dtype, flat(x), noise, out, mask, x.size, probability, weight)
    return out, mask

"""Normally distributed values from evenly spread ones: two from two (Box and Muller, A Note on the Generation of Random
Normal Deviates, 1958), on NumPy arrays of float32.
"""

from __future__ import annotations

import numpy as np

from .. import loops
from ..loops.names import log, parallel, sin_cos_of_turns, sqrt
from .arrays import bound_plain


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

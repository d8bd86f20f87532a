"""Exponentially distributed floats, and Gumbel's: logarithms of evenly spread ones."""

from __future__ import annotations

import numpy as np

from ...core.mersenne_twister import Engine
from ..loops.names import library_log, parallel
from .logarithm import LOGARITHMS, log_of
from .logarithm import log as log_of_array
from .same import same
from .uniform import F32, uniform


@same("f32* i64 f64* real")
def _floats(out, n, table, scale):
    for i in parallel(n, 8):
        out[i] = log_of(1.0 - out[i], table) * scale


@same("f64* i64 f64* real")
def _doubles(out, n, table, scale):
    for i in parallel(n, 16):
        out[i] = library_log(1.0 - out[i]) * scale


def exponential(engine: Engine, shape: tuple[int, ...], dtype: np.dtype, rate: float = 1.0) -> np.ndarray:
    """Floats, float32 or float64, whose mean is 1 / rate: -1 / rate · log(1 - u)."""
    kind = dtype.type
    out = uniform(engine, shape, dtype)
    count, scale = out.size, float(kind(-1) / kind(rate))
    run = (_floats if dtype == F32 else _doubles).due(count)
    if run is not None:
        run(out, count, LOGARITHMS, scale)
    else:
        out = log_of_array(kind(1) - out)
        out *= kind(scale)
    return out


def gumbel(engine: Engine, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Floats of Gumbel's distribution: -log(-log(u)), u from 0.00001 up to 1."""
    return -log_of_array(-log_of_array(uniform(engine, shape, dtype, 1e-5)))

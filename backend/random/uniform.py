"""Evenly spread floats: `std::uniform_real_distribution` over `std::generate_canonical`, a word each."""

from __future__ import annotations

import numpy as np

from ...core.mersenne_twister import Engine
from ..loops.names import f32_of_unsigned, f64_of_unsigned
from .same import same

F32, F64 = np.dtype("float32"), np.dtype("float64")


@same("i64* f32* i64 real real")
def _floats(words, out, n, low, width):
    for i in range(n):
        share = f32_of_unsigned(words[i]) * 5.421010862427522e-20
        out[i] = (share if share < 1.0 else 0.99999994039535522) * width + low


@same("i64* f64* i64 real real")
def _doubles(words, out, n, low, width):
    for i in range(n):
        share = f64_of_unsigned(words[i]) * 5.421010862427522e-20
        out[i] = (share if share < 1.0 else 0.99999999999999989) * width + low


def spread(words: np.ndarray, out: np.ndarray, low: float, width: float) -> None:
    """Fills `out`, float32 or float64, with low + width · u, u from 0 up to 1, without it, made of one word each."""
    kind, loop = (np.float32, _floats) if out.dtype == F32 else (np.float64, _doubles)
    run = loop.due(out.size)
    if run is not None:
        run(words, out, out.size, low, width)
        return
    out[...] = words.reshape(out.shape)
    out *= kind(2.0**-64)
    np.minimum(out, _BELOW_ONE[kind], out=out)
    if low != 0 or width != 1:
        out *= kind(width)
        out += kind(low)


_BELOW_ONE: dict[type, np.floating] = {kind: np.nextafter(kind(1), kind(0)) for kind in (np.float32, np.float64)}


def uniform(engine: Engine, shape: tuple[int, ...], dtype: np.dtype, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Floats from `low` up to `high`, without it; all is computed in the dtype."""
    out = np.empty(shape, dtype)
    width = 1.0 if low == 0.0 and high == 1.0 else float(dtype.type(high) - dtype.type(low))
    count = out.size
    with engine.lock:
        if count <= engine.PART:
            spread(engine.words(count), out, low, width)
            return out
        flat, place = out.reshape(-1), 0
        for part in engine.in_parts(count):
            spread(engine.words(part), flat[place:place + part], low, width)
            place += part
    return out

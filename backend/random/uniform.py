"""Evenly spread floats: `std::uniform_real_distribution` over `std::generate_canonical`, a word each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.mersenne_twister import Engine
from ..loops.names import f32_of_unsigned, f64_of_unsigned
from .same import Same, same

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


_LOOPS: dict[np.dtype, Same] = {F32: _floats, F64: _doubles}
_SHARE = {kind: kind.type(2.0**-64) for kind in _LOOPS}
_BELOW_ONE = {kind: np.nextafter(kind.type(1), kind.type(0)) for kind in _LOOPS}


def spread(words: np.ndarray, out: np.ndarray, low: Any, width: Any) -> None:
    """Fills `out`, float32 or float64, with low + width · u, u from 0 up to 1, without it, made of one word each."""
    kind = out.dtype
    loop = _LOOPS[kind]
    if loop.is_due(out.size):
        loop(words, out, out.size, low, width)
        return
    out[...] = words
    out *= _SHARE[kind]
    np.minimum(out, _BELOW_ONE[kind], out=out)
    if low != 0 or width != 1:
        out *= width
        out += low


def uniform(engine: Engine, count: int, dtype: np.dtype, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """`count` floats from `low` up to `high`, without it; all is computed in the dtype."""
    out = np.empty(count, dtype)
    begin, end = dtype.type(low), dtype.type(high)
    width = end - begin
    with engine.lock:
        if count <= engine.PART:
            spread(engine.words(count), out, begin, width)
        else:
            place = 0
            for part in engine.in_parts(count):
                spread(engine.words(part), out[place:place + part], begin, width)
                place += part
    return out

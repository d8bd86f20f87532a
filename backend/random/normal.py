"""Normally distributed floats: `std::normal_distribution` (Marsaglia's polar method; libstdc++).

A pair of words is a point of a square. Where it lies in the unit circle it makes two numbers, the one of its second
coordinate first; otherwise it is passed over.
"""

from __future__ import annotations

import math

import numpy as np

from ...core.mersenne_twister import Engine
from ..loops.names import f32_of_unsigned, f64_of_unsigned, i64, library_log, parallel, sqrt
from .logarithm import LOGARITHMS, log_of
from .logarithm import log as log_of_array
from .same import same
from .uniform import F32, spread


@same("i64* f32* f32* i64* i64 i64 i64")
def _floats_in_circle(words, square, out, reached, pairs, begin, wanted):
    for i in range(2 * pairs):
        u = f32_of_unsigned(words[i]) * 5.421010862427522e-20
        square[i] = (u if u < 1.0 else 0.99999994039535522) * 2.0 - 1.0
    place = begin
    i = 0
    while i < pairs and place < wanted:
        x = square[2 * i]
        y = square[2 * i + 1]
        out[2 * place] = y
        out[2 * place + 1] = x
        radius = x * x + y * y
        place = place + i64(radius <= 1.0 and radius != 0.0)
        i = i + 1
    reached[0] = place
    reached[1] = i


@same("i64* f64* f64* i64* i64 i64 i64")
def _doubles_in_circle(words, square, out, reached, pairs, begin, wanted):
    for i in range(2 * pairs):
        u = f64_of_unsigned(words[i]) * 5.421010862427522e-20
        square[i] = (u if u < 1.0 else 0.99999999999999989) * 2.0 - 1.0
    place = begin
    i = 0
    while i < pairs and place < wanted:
        x = square[2 * i]
        y = square[2 * i + 1]
        out[2 * place] = y
        out[2 * place + 1] = x
        radius = x * x + y * y
        place = place + i64(radius <= 1.0 and radius != 0.0)
        i = i + 1
    reached[0] = place
    reached[1] = i


@same("f32* i64 f64* real real")
def _floats_of_points(out, pairs, table, mean, deviation):
    for i in parallel(pairs, 12):
        y = out[2 * i]
        x = out[2 * i + 1]
        square = x * x + y * y
        factor = sqrt(log_of(square, table) * -2.0 / square)
        out[2 * i] = y * factor * deviation + mean
        out[2 * i + 1] = x * factor * deviation + mean


@same("f64* i64 f64* real real")
def _doubles_of_points(out, pairs, table, mean, deviation):
    for i in parallel(pairs, 24):
        y = out[2 * i]
        x = out[2 * i + 1]
        square = x * x + y * y
        factor = sqrt(library_log(square) * -2.0 / square)
        out[2 * i] = y * factor * deviation + mean
        out[2 * i + 1] = x * factor * deviation + mean


def _points(words: np.ndarray, out: np.ndarray, begin: int, wanted: int) -> tuple[int, int]:
    """Writes points that lie in the circle into `out`, from its point `begin` up to `wanted`, as far as the words do.

    Gives the place behind the last, and how many pairs of words were looked at.
    """
    run = (_floats_in_circle if out.dtype == F32 else _doubles_in_circle).due(words.size)
    if run is not None:
        reached = np.empty(2, "int64")
        run(words, np.empty(words.size, out.dtype), out, reached, words.size // 2, begin, wanted)
        end, seen = reached.tolist()
        return end, seen
    points = np.empty(words.size // 2 * 2, out.dtype)
    spread(words[:points.size], points, 0, 1)
    points *= 2
    points -= 1
    points = points.reshape(-1, 2)[:, ::-1]  # the second coordinate first
    squares = np.square(points)
    square = squares[:, 1] + squares[:, 0]
    places = np.flatnonzero((square <= 1) & (square != 0))[:wanted - begin]
    end = begin + places.size
    out[2 * begin:2 * end] = points[places].reshape(-1)
    return end, len(points) if end < wanted else int(places[-1]) + 1


def _finish(out: np.ndarray, mean: float, deviation: float) -> None:
    """Makes the numbers of points in the circle, in place."""
    kind = out.dtype
    run = (_floats_of_points if kind == F32 else _doubles_of_points).due(out.size)
    if run is not None:
        run(out, out.size // 2, LOGARITHMS, mean, deviation)
        return
    points = out.reshape(-1, 2)
    squares = np.square(points)
    square = squares[:, 1] + squares[:, 0]
    factor = log_of_array(square) * kind.type(-2)
    factor /= square
    points *= np.sqrt(factor)[:, None]
    if deviation != 1 or mean != 0:
        out *= kind.type(deviation)
        out += kind.type(mean)


def normal(engine: Engine, shape: tuple[int, ...], dtype: np.dtype, mean: float = 0.0,
           deviation: float = 1.0) -> np.ndarray:
    """Floats of this mean and deviation, float32 or float64; all is computed in the dtype."""
    count = math.prod(shape)
    wanted = (count + 1) // 2
    out = np.empty(2 * wanted, dtype)
    found = 0
    with engine.lock:
        while found < wanted:
            likely = (wanted - found) * 82 // 32 + 16  # two words for each of which pi / 4 are taken
            found, seen = _points(engine.ahead(min(likely, engine.PART)), out, found, wanted)
            engine.skip(2 * seen)
    _finish(out, mean, deviation)
    return out[:count].reshape(shape)

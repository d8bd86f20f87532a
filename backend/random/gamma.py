"""Numbers of the gamma distribution (Marsaglia and Tsang, A Simple Method for Generating Gamma Variables, 2000).

A number is a cube v that is proposed and refused, times two factors: of its shape, which is 1 at least, and, for a
smaller shape, a power. Of a pair of words that gives two normally distributed numbers one is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...core.mersenne_twister import Engine
from ..loops import function
from ..loops.names import f64, library_log, sqrt
from .same import same
from .stream import Stream, stream
from .uniform import F32, F64, spread

_THIRD, _SQUEEZE = float(np.float32(1 / 3)), float(np.float32(0.0331))


@function
def taken(floats, reached, available):
    """The next float, and a step behind the last of them where there is none."""
    place = reached[1]
    reached[1] = place + 1
    return floats[place if place < available else available - 1]


def _cubes(floats, shapes, first, out, reached, rounded, count, available, third, squeeze):
    """As many cubes as the floats do: `reached` says how many, and of how many floats.

    `first` takes the float that a small shape begins with; `rounded` is for a number on its way to the shapes' dtype.
    """
    i = 0
    begin = 0
    reached[1] = 0
    while i < count and reached[1] < available:
        begin = reached[1]
        shape = shapes[i]
        if shape < 1.0:
            first[i] = taken(floats, reached, available)
            shape = shape + 1.0
        d = shape - third
        c = 1.0 / sqrt(9.0 * d)
        more = 1
        while more != 0 and reached[1] <= available:
            x = 2.0 * taken(floats, reached, available) - 1.0
            y = 2.0 * taken(floats, reached, available) - 1.0
            radius = x * x + y * y
            if radius > 0.0 and radius <= 1.0:
                rounded[0] = library_log(f64(radius))
                n = y * sqrt(rounded[0] * -2.0 / radius)
                side = 1.0 + c * n
                if side > 0.0:
                    v = side * side * side
                    u = 1.0 - taken(floats, reached, available)
                    square = n * n
                    out[i] = v
                    if u < 1.0 - squeeze * square * square:
                        more = 0
                    else:
                        rounded[0] = library_log(f64(u))
                        rounded[1] = library_log(f64(v))
                        if rounded[0] < 0.5 * square + d * (1.0 - v + rounded[1]):
                            more = 0
        if reached[1] <= available:
            i = i + 1
    reached[0] = i
    reached[1] = begin if reached[1] > available else reached[1]


_LOOPS = {dtype: same(f"{kind}* {kind}* {kind}* {kind}* i64* {kind}* i64 i64 real real")(_cubes)
          for dtype, kind in ((F32, "f32"), (F64, "f64"))}


def gamma(engine: Engine, shapes: np.ndarray) -> np.ndarray:
    """A number of scale 1 for each of the shapes, an array of float32 or float64, in its dtype; NaN for none."""
    flat = np.ascontiguousarray(shapes).reshape(-1)
    found = np.full(flat.shape, np.nan, flat.dtype)
    found[flat == 0] = 0
    some = flat > 0
    found[some] = _positive(engine, flat[some])
    return found.reshape(shapes.shape)


def _positive(engine: Engine, shapes: np.ndarray) -> np.ndarray:
    first, cubes = np.zeros_like(shapes), np.empty_like(shapes)
    run = _LOOPS[shapes.dtype].due(shapes.size)
    with np.errstate(all="ignore"):
        if run is None:
            with stream(engine, shapes.dtype) as draw:
                for n, shape in enumerate(shapes):
                    first[n], cubes[n] = _one(draw, shape, shapes.dtype.type)
        else:
            _looped(engine, run, shapes, first, cubes)
        small = shapes < 1
        factor = shapes + small - shapes.dtype.type(_THIRD)
        pairs = zip((1 - first[small]).tolist(), (1 / shapes[small]).tolist(), strict=True)
        powers = [math.pow(u, power) for u, power in pairs]
        factor[small] *= np.asarray(powers, shapes.dtype)
        return factor * cubes


def _looped(engine: Engine, run: Callable[..., None], shapes: np.ndarray, first: np.ndarray, cubes: np.ndarray) -> None:
    done, wanted = 0, 0
    with engine.lock:
        reached, rounded = np.empty(2, "int64"), np.empty(2, shapes.dtype)
        while done < shapes.size:
            wanted = min(max(5 * (shapes.size - done) + 64, 2 * wanted), engine.PART)
            words = engine.ahead(wanted)
            floats = np.empty(words.size, shapes.dtype)
            spread(words, floats, 0, 1)
            run(floats, shapes[done:], first[done:], cubes[done:], reached, rounded, shapes.size - done, words.size,
                _THIRD, _SQUEEZE)
            engine.skip(int(reached[1]))
            done += int(reached[0])


def _one(draw: Stream, shape: np.floating, kind: type[np.floating]) -> tuple[float, np.floating]:
    """What a small shape begins with, and the cube."""
    one, first = kind(1), 0.0
    if shape < 1:
        first = draw()
        shape = shape + one
    d = shape - kind(_THIRD)
    c = one / np.sqrt(kind(9) * d)
    while True:
        x = _normal(draw, kind)
        y = one + c * x
        if y <= 0:
            continue
        v, u, square = y * y * y, one - kind(draw()), x * x
        if u < one - kind(_SQUEEZE) * square * square or _log(u) < kind(0.5) * square + d * (one - v + _log(v)):
            return first, v


def _log(x: np.floating) -> np.floating:
    return type(x)(math.log(x))


def _normal(draw: Stream, kind: type[np.floating]) -> np.floating:
    one, two = kind(1), kind(2)
    while True:
        x, y = two * kind(draw()) - one, two * kind(draw()) - one
        square = x * x + y * y
        if 0 < square <= 1:
            return y * np.sqrt(_log(square) * -two / square)

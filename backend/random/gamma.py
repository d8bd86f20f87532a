"""Numbers of the gamma distribution (Marsaglia and Tsang, A Simple Method for Generating Gamma Variables, 2000)."""

from __future__ import annotations

import math

import numpy as np

from ...core.mersenne_twister import Engine
from .stream import Stream, stream

_THIRD, _SQUEEZE = float(np.float32(1 / 3)), float(np.float32(0.0331))


def gamma(engine: Engine, shapes: np.ndarray) -> np.ndarray:
    """A number of scale 1 for each of the shapes, an array of float32 or float64, in its dtype.

    Of a pair of words that gives two normally distributed numbers one is used.
    """
    kind = shapes.dtype.type
    with stream(engine, shapes.dtype) as draw, np.errstate(all="ignore"):
        drawn = [_one(draw, kind(shape), kind) for shape in shapes.reshape(-1)]
    return np.array(drawn, shapes.dtype).reshape(shapes.shape)


def _one(draw: Stream, shape: np.floating, kind: type[np.floating]) -> np.floating:
    one, scale = kind(1), kind(1)
    if shape < 1:
        if shape == 0:
            return kind(0)
        scale = kind(math.pow(one - kind(draw()), one / shape))
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
            return scale * d * v


def _log(x: np.floating) -> np.floating:
    return type(x)(math.log(x))


def _normal(draw: Stream, kind: type[np.floating]) -> np.floating:
    one, two = kind(1), kind(2)
    while True:
        x, y = two * kind(draw()) - one, two * kind(draw()) - one
        square = x * x + y * y
        if 0 < square <= 1:
            return y * np.sqrt(_log(square) * -two / square)

"""Numbers of the Poisson distribution: `std::poisson_distribution` (libstdc++).

For means below 12 factors are multiplied until they are small enough; for others numbers are proposed and refused
(Devroye, Non-Uniform Random Variate Generation, 1986, pages 506 to 511, with its errata).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...core.mersenne_twister import Engine
from ..loops import function
from ..loops.names import f64_of_unsigned, floor, i64, library_exp, library_log, log_gamma, sqrt
from .same import same
from .stream import Stream, stream
from .uniform import F64

_SMALL = 12.0
_QUARTER_PI, _ROOT_OF_HALF_PI = 0.7853981633974483, 1.2533141373155003
_LAST, _ITS_SHARE = 0.01282051282051282, 1.0129030479320018  # 1 / 78, and e to that power
_TOO_MUCH = 2147483647.5  # for an int of C


@function
def evenly(word):
    """A float64 from 0 up to 1, without it, of a word."""
    share = f64_of_unsigned(word) * 5.421010862427522e-20
    return share if share < 1.0 else 0.99999999999999989


@function
def drawn(words, reached, available):
    """The next word's, and a step behind the last of them where there is none."""
    place = reached[1]
    reached[1] = place + 1
    return evenly(words[place if place < available else available - 1])


@function
def by_a_product(words, reached, available, mean):
    """A number of a small mean."""
    least = library_exp(0.0 - mean)
    product = 1.0
    value = -1.0
    more = 1
    while more != 0 and reached[1] <= available:
        product = product * drawn(words, reached, available)
        value = value + 1.0
        more = i64(product > least)
    return value


@function
def normal_of_point(words, reached, available, state):
    """A normally distributed number, of a point in the unit circle; its other one is kept in `state`."""
    n = state[0]
    if state[1] != 0.0:
        state[1] = 0.0
    else:
        p = 0.0
        q = 0.0
        square = 2.0
        while (square > 1.0 or square == 0.0) and reached[1] <= available:
            p = 2.0 * drawn(words, reached, available) - 1.0
            q = 2.0 * drawn(words, reached, available) - 1.0
            square = p * p + q * q
        factor = sqrt(-2.0 * library_log(square) / square)
        state[0] = p * factor
        state[1] = 1.0
        n = q * factor
    return n


@function
def proposed_around(n, is_below, state, m, d, wide):
    """Proposes, into `state`, how far a number is from m and a logarithm that weighs it; whether it is too far."""
    size = n if n > 0.0 else 0.0 - n
    refused = 0
    if is_below:
        state[2] = floor((0.0 - size) * sqrt(m) - 1.0)
        state[3] = (0.0 - n) * n / 2.0
        refused = i64(state[2] < 0.0 - m)
    else:
        y = 1.0 + size * sqrt(wide / 2.0)
        state[2] = 0.0 - floor(0.0 - y)
        state[3] = y * (2.0 - y) * (1.0 / wide)
        refused = i64(state[2] > d)
    return refused


@function
def proposed_in_tail(e, state, m, d, wide):
    """The same for one that is further away than d."""
    y = d + e * (2.0 * (2.0 * m + d)) / d
    state[2] = 0.0 - floor(0.0 - y)
    state[3] = (0.0 - d) * (1.0 / wide) * (1.0 + y / 2.0)
    return 0


@function
def by_refusal(words, reached, available, state, mean):
    """A number of a mean that is not small."""
    m = floor(mean)
    log_mean = library_log(mean)
    spread = sqrt(2.0 * m * library_log(32.0 * m / 0.7853981633974483))
    d = m if m < spread else spread
    d = floor((d if d > 6.0 else 6.0) + 0.5)
    wide = 2.0 * m + d
    share = 1.0 / wide
    first = sqrt(m) * 1.2533141373155003
    second = first + sqrt(0.7853981633974483 * wide) * library_exp(share)
    fifth = second + 2.0 + 1.0129030479320018
    tail = 2.0 * wide * library_exp((0.0 - d) * share * (1.0 + d / 2.0)) / d
    of_m = log_gamma(m + 1.0)
    state[1] = 0.0
    value = 0.0
    more = 1
    while more != 0 and reached[1] <= available:
        u = (tail + fifth) * drawn(words, reached, available)
        e = 0.0 - library_log(1.0 - drawn(words, reached, available))
        refused = 0
        state[2] = -1.0 if u <= second + 1.0 else 0.0 if u <= second + 2.0 else 1.0
        state[3] = 0.01282051282051282 if u > second + 2.0 else 0.0
        if u <= second:
            refused = proposed_around(normal_of_point(words, reached, available, state), u <= first, state, m, d, wide)
        if u > fifth:
            refused = proposed_in_tail(0.0 - library_log(1.0 - drawn(words, reached, available)), state, m, d, wide)
        if refused == 0:
            value = state[2] + m
            too_low = state[3] - e - state[2] * log_mean > of_m - log_gamma(value + 1.0)
            more = i64(too_low or value >= 2147483647.5)
    return value


@same("i64* f64* f64* i64* f64* i64 i64")
def _poisson(words, means, out, reached, state, count, available):
    """As many as the words do: `reached` says how many numbers, and of how many words. `state` is for four numbers."""
    i = 0
    begin = 0
    reached[1] = 0
    while i < count and reached[1] < available:
        begin = reached[1]
        value = 0.0
        if means[i] < 12.0:
            value = by_a_product(words, reached, available, means[i])
        else:
            value = by_refusal(words, reached, available, state, means[i])
        if reached[1] <= available:
            out[i] = value
            i = i + 1
    reached[0] = i
    reached[1] = begin if reached[1] > available else reached[1]


def _one(draw: Stream, mean: float) -> float:
    """The same for one mean."""
    if math.isnan(mean):
        return mean
    if mean >= _SMALL:
        return _large(draw, mean)
    least, product, value = math.exp(-mean), 1.0, -1
    while True:
        product *= draw()
        value += 1
        if not product > least:
            return value


def _large(draw: Stream, mean: float) -> float:
    m, log_mean, normal = math.floor(mean), math.log(mean), _normals(draw)
    d = math.floor(max(6.0, min(m, math.sqrt(2.0 * m * math.log(32.0 * m / _QUARTER_PI)))) + 0.5)
    wide = 2.0 * m + d
    share = 1.0 / wide
    first = math.sqrt(m) * _ROOT_OF_HALF_PI
    second = first + math.sqrt(_QUARTER_PI * wide) * math.exp(share)
    fifth = second + 2.0 + _ITS_SHARE
    tail = 2.0 * wide * math.exp(-d * share * (1.0 + d / 2.0)) / d
    while True:
        u, e, w = (tail + fifth) * draw(), -math.log(1.0 - draw()), 0.0
        if u <= first:
            n = next(normal)
            x, w = math.floor(-abs(n) * math.sqrt(m) - 1.0), -n * n / 2.0
            if x < -m:
                continue
        elif u <= second:
            y = 1.0 + abs(next(normal)) * math.sqrt(wide / 2.0)
            x, w = math.ceil(y), y * (2.0 - y) * share
            if x > d:
                continue
        elif u <= second + 2.0:
            x = -1 if u <= second + 1.0 else 0
        elif u <= fifth:
            x, w = 1, _LAST
        else:
            y = d - math.log(1.0 - draw()) * (2.0 * wide) / d
            x, w = math.ceil(y), -d * share * (1.0 + y / 2.0)
        if not w - e - x * log_mean > math.lgamma(m + 1.0) - math.lgamma(x + m + 1.0) and x + m < _TOO_MUCH:
            return x + m


def _normals(draw: Stream) -> Iterator[float]:
    """Normally distributed numbers, two of a point in the unit circle."""
    while True:
        x, y = 2.0 * draw() - 1.0, 2.0 * draw() - 1.0
        square = x * x + y * y
        if 0.0 < square <= 1.0:
            factor = math.sqrt(-2.0 * math.log(square) / square)
            yield y * factor
            yield x * factor


def poisson(engine: Engine, means: np.ndarray) -> np.ndarray:
    """A number, float64, for each of the means, an array of float64."""
    flat = np.ascontiguousarray(means).reshape(-1)
    out = np.empty(flat.size)
    run = _poisson.due(flat.size)
    if run is None:
        with stream(engine, F64) as draw:
            out[:] = [_one(draw, mean) for mean in flat.tolist()]
        return out.reshape(means.shape)
    done, wanted = 0, 0
    with engine.lock:
        reached, state = np.empty(2, "int64"), np.empty(4)
        while done < flat.size:
            wanted = min(max(4 * (flat.size - done) + 64, 2 * wanted), engine.PART)
            words = engine.ahead(wanted)
            run(words, flat[done:], out[done:], reached, state, flat.size - done, words.size)
            engine.skip(int(reached[1]))
            wanted = wanted if reached[0] else 4 * words.size
            done += int(reached[0])
    return out.reshape(means.shape)

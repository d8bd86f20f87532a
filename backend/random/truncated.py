"""Normally distributed floats between two bounds: the inverse of the distribution's function, of evenly spread ones.

The inverse is Wichura's (Algorithm AS 241: The percentage points of the normal distribution, 1988, PPND16).
"""

from __future__ import annotations

import math

import numpy as np

from ...core.mersenne_twister import Engine
from .logarithm import log
from .uniform import uniform

_CENTRE = (
    (8.8709406962545514830200e2, 1.1819493347062294404278e4, 2.3782041382114385731252e4, 1.6235862515167575384252e4,
     4.8548868893843886794648e3, 6.9706266534389598238465e2, 4.7072688112383978012285e1, 1.1975323115670912564578e0),
    (5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
     5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0))
_MIDDLE = (
    (7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e0,
     3.64784832476320460504e0, 5.76949722146069140550e0, 4.63033784615654529590e0, 1.42343711074968357734e0),
    (1.4859850019840355905497876e-9, 7.7441459065157709165577218e-4, 2.1494160384252876777097297e-2,
     2.0945065210512749128288442e-1, 9.7547832001787427186894837e-1, 2.3707661626024532365971225e0,
     2.9036514445419946173133295e0, 1.4142135623730950488016887e0))
_TAIL = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
     2.96560571828504891230e-1, 1.78482653991729133580e0, 5.46378491116411436990e0, 6.65790464350110377720e0),
    (2.891024605872965461538222e-15, 2.010321207683943062279931e-7, 2.611088405080593625138020e-5,
     1.112800997078859844711555e-3, 2.103693768272068968719679e-2, 1.936480946950659106176712e-1,
     8.482908416595164588112026e-1, 1.414213562373095048801689e0))


def _polynomial(coefficients: tuple[float, ...], r: np.ndarray) -> np.ndarray:
    kind = r.dtype.type
    result = r * kind(coefficients[0]) + kind(coefficients[1])
    for number in coefficients[2:]:
        result = result * r + kind(number)
    return result


def _quotient(polynomials: tuple[tuple[float, ...], ...], r: np.ndarray, factor: np.ndarray) -> np.ndarray:
    above, below = polynomials
    return factor * _polynomial(above, r) / _polynomial(below, r)


def erfinv(x: np.ndarray) -> np.ndarray:
    """The number whose error function is x, between -1 and 1; the polynomials are computed in x's dtype."""
    wide = x.astype("float64", copy=False)
    size = np.abs(x)
    result = _quotient(_CENTRE, (0.180625 - 0.25 * wide * wide).astype(x.dtype), x)
    far = np.flatnonzero(size > 0.85)
    ln2 = float(x.dtype.type(0.693147180559945309417232121458))
    inside = np.minimum(size[far], np.nextafter(x.dtype.type(1), x.dtype.type(0))).astype("float64")
    root = np.sqrt(ln2 - log(1.0 - inside)).astype(x.dtype)
    sign = np.copysign(x.dtype.type(1), x[far])
    near = root <= 5
    shift = np.where(near, 1.6, 5.0)
    r = (root.astype("float64") - shift).astype(x.dtype)
    result[far] = np.where(near, _quotient(_MIDDLE, r, sign), _quotient(_TAIL, r, sign))
    return result


def truncated_normal(engine: Engine, shape: tuple[int, ...], dtype: np.dtype, mean: float, deviation: float,
                     low: float = -2.0, high: float = 2.0) -> np.ndarray:
    """Floats of a normal distribution, between `low` and `high` deviations from its mean."""
    kind = dtype.type
    begin, end = (kind((1.0 + math.erf(bound / math.sqrt(2.0))) / 2.0) for bound in (low, high))
    share = uniform(engine, shape, dtype, float(np.finfo("float32").tiny))
    place = begin + (end - begin) * share
    found = math.sqrt(2.0) * erfinv((kind(2) * place - kind(1)).reshape(-1)).reshape(shape).astype("float64")
    return (found * kind(deviation) + kind(mean)).astype(dtype)

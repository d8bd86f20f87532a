"""Prints the polynomials of `backend/loops/math.py`: least maximum relative error by Remez-like reweighting.

    python tests/backend/loops/fit_polynomials.py
"""

import math

import numpy as np


def fit(function, low, high, degree, weight, points=4000, rounds=60):
    """Coefficients, highest power first, of the polynomial whose weighted error is smallest at its worst (Lawson)."""
    nodes = 0.5 * (low + high) + 0.5 * (high - low) * np.cos(np.pi * (np.arange(points) + 0.5) / points)
    values = np.array([function(t) for t in nodes])
    scale = np.array([weight(t) for t in nodes])
    matrix = np.vander(nodes, degree + 1) * scale[:, None]
    importance = np.ones(points)
    for _ in range(rounds):
        root = np.sqrt(importance)
        found, *_ = np.linalg.lstsq(matrix * root[:, None], values * scale * root, rcond=None)
        error = np.abs(matrix @ found - values * scale)
        importance *= error + error.max() * 1e-3
        importance /= importance.max()
    return found, error.max()


def show(name, found, dtype=np.float32, digits=10):
    coefficients, error = found
    print(f"{name}: worst error {error:.2e}")
    for c in coefficients:
        print(f"    {float(dtype(c)):.{digits}g}")


half_log2 = math.log(2) / 2 * 1.01


def exp_rest(r):
    return sum(r ** (k - 2) / math.factorial(k) for k in range(2, 20))


def log_rest(m):
    if abs(m) < 1e-2:
        return sum((-1) ** (k + 1) * m ** (k - 3) / k for k in range(3, 14))
    return (math.log1p(m) - m + m * m / 2) / m**3


def tanh_rest(s):
    x = math.sqrt(s)
    if x < 0.05:
        return -1 / 3 + s * (2 / 15) - s * s * (17 / 315) + s**3 * (62 / 2835) - s**4 * 1382 / 155925
    return (math.tanh(x) / x - 1) / s


def atan_rest(s):
    t = math.sqrt(s)
    if t < 0.05:
        return sum((-1) ** k * s ** (k - 1) / (2 * k + 1) for k in range(1, 12))
    return (math.atan(t) / t - 1) / s


def erf_near(s):
    x = math.sqrt(s)
    series = sum((-1) ** k * x ** (2 * k) / (math.factorial(k) * (2 * k + 1)) for k in range(40))
    return series * 2 / math.sqrt(math.pi) - 1


show("exp: (e^r - 1 - r) / r^2 on |r| <= log(2)/2", fit(exp_rest, -half_log2, half_log2, 5, lambda r: r * r))
show("log: (log(1+m) - m + m^2/2) / m^3", fit(log_rest, 2**-0.5 - 1, 2**0.5 - 1, 8, lambda m: m * m))
show("tanh: (tanh(x)/x - 1) / x^2, by x^2", fit(tanh_rest, 1e-9, 0.65**2, 4, lambda s: s))
show("atan: (atan(t)/t - 1) / t^2, by t^2, t <= 1", fit(atan_rest, 1e-9, 1.0, 8, lambda s: s))
show("expm1: as exp, |r| <= 0.5", fit(exp_rest, -0.5, 0.5, 6, lambda r: r))
show("erf: erf(x)/x - 1, by x^2, |x| <= 1", fit(erf_near, 0.0, 1.0, 6, lambda s: 1.0))
show("erf: log(erfc(t)) on 0.9 <= t <= 4", fit(lambda t: math.log(math.erfc(t)), 0.9, 4.0, 8,
                                                lambda t: math.erfc(t) / math.erf(t)))
show("pow: log2(m) / s, by s^2, s = (m - 1) / (m + 1), m within a factor of sqrt(2) of 1",
     fit(lambda s: 2 / math.log(2) * sum(s**k / (2 * k + 1) for k in range(20)), 0.0, 0.1716**2, 5, lambda s: 1.0),
     np.float64, 17)
show("pow: (2^f - 1) / f on |f| <= 0.5",
     fit(lambda f: math.expm1(f * math.log(2)) / f, -0.5, 0.5, 6, lambda f: f), np.float64, 17)
show("sin: (sin(r)/r - 1) / r^2, by r^2, |r| <= pi/4",
     fit(lambda s: sum((-1) ** k * s ** (k - 1) / math.factorial(2 * k + 1) for k in range(1, 12)),
         1e-9, (math.pi / 4) ** 2, 3, lambda s: s))
show("cos: (cos(r) - 1 + r^2/2) / r^4, by r^2, |r| <= pi/4",
     fit(lambda s: sum((-1) ** k * s ** (k - 2) / math.factorial(2 * k) for k in range(2, 12)),
         1e-9, (math.pi / 4) ** 2, 3, lambda s: s * s))

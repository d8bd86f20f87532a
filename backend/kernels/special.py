"""The gamma function's logarithm and that one's slope, and the inverse of the error function, computed in float64.

As the kernels on NumPy arrays (`ops/math/`) compute them, but for the step upwards, which is a product of ten factors,
or one quotient, in place of ten logarithms or quotients.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import bits64, copysign, erf, exp, f64, floor, fma, log, parallel, sin_cos_of_quarters_f64, sqrt
from .arrays import F32, F64, bound, flat

LEAST = _LEAST = 1 << 5


@loops.function
def sin_cos_of_half_turns(t):
    """The sine and the cosine of pi * t, 0 <= t <= 1."""
    shifted = fma(t, 2.0, 6755399441055744.0)
    rest = (t - (shifted - 6755399441055744.0) * 0.5) * 3.141592653589793
    return sin_cos_of_quarters_f64(rest, bits64(shifted) - 4843621399236968448)


@loops.kernel
def _log_gammas(x, out, n):
    for i in parallel(n, 64):
        wide = f64(x[i])
        is_infinite = abs(wide) - abs(wide) != 0.0 and wide == wide
        finite = 1.0 if is_infinite else wide
        mirrored = finite < 0.5
        p = 1.0 - finite if mirrored else finite
        small = p < 10.0
        u = p * (p + 9.0)
        steps = u * (u + 8.0) * (u + 14.0) * (u + 18.0) * (u + 20.0) if small else 1.0
        p = p + 10.0 if small else p
        q = 1.0 / (p * p)
        series = fma(q, -0.029550653594771242, 0.00641025641025641)
        series = fma(series, q, -0.0019175269175269176)
        series = fma(series, q, 0.0008417508417508417)
        series = fma(series, q, -0.0005952380952380953)
        series = fma(series, q, 0.0007936507936507937)
        series = fma(series, q, -0.002777777777777778)
        series = fma(series, q, 0.08333333333333333)
        found = (p - 0.5) * log(p) - p + 0.91893853320467274 + series / p - log(steps)
        part = abs(finite - floor(finite + 0.5))
        sine, _ = sin_cos_of_half_turns(part if mirrored and part > 0.0 else 0.5)
        found = 1.1447298858494002 - log(abs(sine)) - found if mirrored else found
        found = 1e300 * 1e300 if is_infinite or (wide <= 0.0 and part == 0.0) else found
        out[i] = found


@loops.kernel
def _digammas(x, out, n):
    for i in parallel(n, 64):
        wide = f64(x[i])
        mirrored = wide < 0.5
        p = 1.0 - wide if mirrored else wide
        small = p < 10.0
        u = p * (p + 9.0)
        inverses = 1.0 / u + 1.0 / (u + 8.0) + 1.0 / (u + 14.0) + 1.0 / (u + 18.0) + 1.0 / (u + 20.0)
        inverses = inverses * (p + p + 9.0) if small else 0.0
        p = p + 10.0 if small else p
        q = 1.0 / (p * p)
        series = fma(q, -0.4432598039215686, 0.08333333333333333)
        series = fma(series, q, -0.021092796092796094)
        series = fma(series, q, 0.007575757575757576)
        series = fma(series, q, -0.004166666666666667)
        series = fma(series, q, 0.003968253968253968)
        series = fma(series, q, -0.008333333333333333)
        series = fma(series, q, 0.08333333333333333)
        found = log(p) - 0.5 / p - series * q - inverses
        part = wide - floor(wide + 0.5)
        sine, cosine = sin_cos_of_half_turns(abs(part) if mirrored and part != 0.0 else 0.5)
        turned = 3.141592653589793 * cosine / sine
        found = found - (turned if part > 0.0 else -turned) if mirrored else found
        out[i] = (wide - wide) / (wide - wide) if wide <= 0.0 and part == 0.0 else found


@loops.function
def nearly_inverse_error(y):
    """Winitzki's approximation of the inverse error function."""
    far = log((1.0 - y) * (1.0 + y))
    half = 4.330746750799873 + far * 0.5
    return copysign(sqrt(sqrt(half * half - far * 6.802721088435374) - half), y)


@loops.function
def nearer_inverse_error(found, y):
    """A step of Halley's method, which triples the digits."""
    miss = (erf(found) - y) * 0.886226925452758 * exp(found * found)
    return found - miss / (1.0 + found * miss)


@loops.function
def end_of_inverse_errors(y):
    """What is infinite at the ends, and no number outside."""
    return copysign(1e300 * 1e300, y) if abs(y) == 1.0 else (y - y) / (y - y)


@loops.kernel
def _inverse_errors(x, out, n):
    for i in parallel(n, 64):
        wide = f64(x[i])
        y = wide if abs(wide) < 1.0 else 0.0
        found = nearer_inverse_error(nearly_inverse_error(y), y)
        out[i] = found if abs(wide) < 1.0 else end_of_inverse_errors(wide)


@loops.kernel
def _inverse_errors_f64(x, out, n):
    for i in parallel(n, 128):
        y = x[i] if abs(x[i]) < 1.0 else 0.0
        found = nearer_inverse_error(nearer_inverse_error(nearly_inverse_error(y), y), y)
        out[i] = found if abs(x[i]) < 1.0 else end_of_inverse_errors(x[i])


_run_log_gammas, _run_digammas, _run_inverse_errors, _run_inverse_errors_f64 = (
    bound(kernel, "T* T* i64") for kernel in (_log_gammas, _digammas, _inverse_errors, _inverse_errors_f64))
_WEIGHT = 16  # of an element, in NumPy


def _each(kernel: loops.Kernel, run: Any, x: np.ndarray) -> Any:
    if x.size < _LEAST or x.dtype not in (F32, F64) or not loops.is_ready() or not kernel.is_due(x.size * _WEIGHT):
        return NotImplemented
    out = np.empty(x.shape, x.dtype)
    run(x.dtype, flat(x), out, x.size)
    return out


def lgamma(x: np.ndarray) -> Any:
    """log |gamma(x)|."""
    return _each(_log_gammas, _run_log_gammas, x)


def digamma(x: np.ndarray) -> Any:
    """The slope of log |gamma(x)|."""
    return _each(_digammas, _run_digammas, x)


def erfinv(x: np.ndarray) -> Any:
    """The y whose erf(y) is x."""
    if x.dtype is F64:
        return _each(_inverse_errors_f64, _run_inverse_errors_f64, x)
    return _each(_inverse_errors, _run_inverse_errors, x)

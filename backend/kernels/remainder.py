"""Remainders and whole quotients of floats, element by element, with the sign that Python's `%` and `//` have.

The remainder is exact: of a quotient below 2**53, cut to a whole number, a fused product and difference leaves what no
rounding touches, and a quotient that was rounded up to a whole number is one too large. Larger quotients, and
infinite divisors, are left to NumPy, whose bits these are otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import copysign, f64, floor, fma, parallel, truncate
from .arrays import bound, flat, takes_floats

LEAST = _LEAST = 1 << 9


@loops.function
def truncated_remainder(a, b):
    """The remainder of float64 numbers that has the sign of a."""
    rest = fma(0.0 - truncate(a / b), b, a)
    return rest + (copysign(abs(b), a) if rest * copysign(1.0, a) < 0.0 else 0.0)


@loops.kernel
def _divided(x, y, out, wrong, n, wants_quotient):
    for block in parallel((n + 1023) // 1024, 1024 * 8):
        start = block * 1024
        size = min(1024, n - start)
        beyond = 0
        for i in range(start, start + size):
            a = x[i]
            b = y[i]
            beyond = beyond | (1 if abs(f64(a) / f64(b)) >= 9007199254740992.0 or b - b != 0.0 else 0)
            rest = a
            rest = truncated_remainder(f64(a), f64(b))
            turned = rest * copysign(1.0, b) < 0.0
            if wants_quotient == 0:
                rest = rest + (b if turned else 0.0)
                out[i] = copysign(abs(rest), b)
            else:
                quotient = (a - rest) / b - (1.0 if turned else 0.0)
                whole = floor(quotient)
                whole = whole + (1.0 if quotient - whole > 0.5 else 0.0)
                out[i] = whole if quotient != 0.0 else copysign(0.0, a / b)
        if beyond > 0:
            wrong[0] = 1


_run = bound(_divided, "T* T* T* u8* i64 i64")


def _both(x: np.ndarray, y: np.ndarray, wants_quotient: int) -> Any:
    larger = x if x.size >= y.size else y
    if x.dtype is not y.dtype or not takes_floats(larger, _LEAST, _divided):
        return NotImplemented
    shape = x.shape if x.shape == y.shape else np.broadcast_shapes(x.shape, y.shape)
    x, y = (flat(z if z.shape == shape else np.broadcast_to(z, shape)) for z in (x, y))
    out, wrong = np.empty(shape, x.dtype), np.zeros(1, "uint8")
    _run(x.dtype, x, y, out, wrong, x.size, wants_quotient)
    return NotImplemented if wrong[0] else out


def remainder(x: np.ndarray, y: np.ndarray, *, axis: int = -1) -> Any:
    """x % y, with the sign of y."""
    return _both(x, y, 0) if axis == -1 else NotImplemented


def floor_divide(x: np.ndarray, y: np.ndarray, *, axis: int = -1) -> Any:
    """x // y: the largest whole number that is not above the quotient."""
    return _both(x, y, 1) if axis == -1 else NotImplemented

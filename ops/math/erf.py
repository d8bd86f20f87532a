"""The error function and its complement on the host, for NumPy arrays of any shape, without SciPy.

It works through blocks that stay in the cache. float64: the Taylor series below 1, and above it the Chebyshev series
of exp(x*x) * erfc(x). float32 and shorter: one polynomial in x*x, evaluated in float64, which rounds correctly.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_BLOCK = 16384
_LAST32 = 3.93  # erf(x) rounds to 1 in float32 from here on
_LAST64 = 6.0  # the same in float64


def _horner(coefficients: Sequence[float], x: np.ndarray) -> np.ndarray:
    """The polynomial with these coefficients, the lowest first."""
    result = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        result *= x
        result += coefficient
    return result


@functools.cache
def _taylor() -> list[float]:
    """The coefficients of erf(x) / x in x*x."""
    scale = 2 / math.sqrt(math.pi)
    return [scale * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in range(20)]


@functools.cache
def _short() -> list[float]:
    """The coefficients of erf(x) / x in u, where x*x = (u + 1) / 2 * 3.93 * 3.93."""
    def function(u: np.ndarray) -> Any:
        x = np.sqrt((u + 1) / 2) * _LAST32
        return np.array([math.erf(v) / v for v in x])

    return np.polynomial.chebyshev.cheb2poly(np.polynomial.chebyshev.chebinterpolate(function, 22)).tolist()


def _tail_variable(x: np.ndarray) -> np.ndarray:
    """Maps 1 … 6 to -1 … 1 so that exp(x*x) * erfc(x) is smooth in it."""
    low, high = (1 - 3.75) / (1 + 3.75), (6 - 3.75) / (6 + 3.75)
    t = (x - 3.75) / (x + 3.75)
    return (2 * t - (low + high)) / (high - low)


@functools.cache
def _tail() -> list[float]:
    """The Chebyshev coefficients of exp(x*x) * erfc(x) in the tail's variable."""
    low, high = (1 - 3.75) / (1 + 3.75), (6 - 3.75) / (6 + 3.75)

    def function(u: np.ndarray) -> Any:
        t = (u * (high - low) + low + high) / 2
        x = 3.75 * (1 + t) / (1 - t)
        return np.array([math.exp(v * v) * math.erfc(v) for v in x])

    return np.polynomial.chebyshev.chebinterpolate(function, 20).tolist()


def _chebyshev(coefficients: Sequence[float], u: np.ndarray) -> np.ndarray:
    """The Chebyshev series by Clenshaw's recurrence."""
    twice = 2 * u
    last, result = np.zeros_like(u), np.full_like(u, coefficients[-1])
    for coefficient in coefficients[-2:0:-1]:
        last, result = result, twice * result - last + coefficient
    return u * result - last + coefficients[0]


def _erf32(x: np.ndarray) -> np.ndarray:
    x = np.clip(x.astype(np.float64), -_LAST32, _LAST32)
    u = x * x
    u *= 2 / (_LAST32 * _LAST32)
    u -= 1
    return _horner(_short(), u) * x


def _erf64(x: np.ndarray) -> np.ndarray:
    size = np.abs(x)
    result = _horner(_taylor(), np.minimum(x * x, 1.0)) * x
    large = size >= 1
    if large.any():
        far = np.minimum(size[large], _LAST64)
        complement = np.exp(-far * far) * _chebyshev(_tail(), _tail_variable(far))
        result[large] = np.copysign(1 - complement, x[large])
    return result


def wide(x: Any, what: str) -> Any:
    """An array of real numbers in float64; TypeError for complex ones, whose imaginary part would be lost.

    >>> import numpy as np
    >>> from proa.ops.math.erf import wide
    >>> wide(np.array([1], "float32"), "erf(x)").dtype.name
    'float64'
    """
    _check_real(x, what)
    return x.astype("float64")


def _check_real(x: Any, what: str) -> None:
    if x.dtype.kind == "c":
        raise TypeError(f"{what}: is computed of real numbers alone. Received x of dtype {x.dtype.name}. "
                        "paddle.real(x) and paddle.imag(x) are its parts.")


def _blockwise(function: Callable[[np.ndarray], Any], x: np.ndarray) -> np.ndarray:
    _check_real(x, "erf(x)")
    flat = np.ascontiguousarray(x).reshape(-1)
    result = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        result[start:start + _BLOCK] = function(flat[start:start + _BLOCK])
    return result.reshape(x.shape)


def erf(x: np.ndarray) -> np.ndarray:
    """The error function 2/sqrt(pi) * integral of exp(-t*t) from 0 to x; shape and (floating) dtype are x's.

    >>> import numpy as np
    >>> from proa.ops.math.erf import erf
    >>> erf(np.array([0.0, 1.0, -np.inf])).round(6).tolist()
    [0.0, 0.842701, -1.0]
    """
    return _blockwise(_erf64 if x.dtype == np.float64 else _erf32, x)


def _erfc64(x: np.ndarray) -> np.ndarray:
    """1 - erf(x) below 1; above, what keeps its digits: the tail's series, and beyond 6 the one in 1 / (2 x x)."""
    result = 1 - _erf64(np.minimum(x, 1.0))
    middle, far = (x > 1) & (x <= _LAST64), x > _LAST64
    if middle.any():
        at = x[middle]
        result[middle] = np.exp(-at * at) * _chebyshev(_tail(), _tail_variable(at))
    if far.any():
        at = np.minimum(x[far], 40.0)  # it is 0 long before
        step = -0.5 / (at * at)
        term, total = np.ones_like(at), np.ones_like(at)
        for n in range(1, 24):
            term = term * step * (2 * n - 1)
            total = total + term
        result[far] = np.exp(-at * at) / (at * math.sqrt(math.pi)) * total
    return result


def _erfc32(x: np.ndarray) -> np.ndarray:
    return _erfc64(x.astype(np.float64))


def erfc(x: np.ndarray) -> np.ndarray:
    """1 - erf(x), precise also where it is small; shape and (floating) dtype are x's.

    >>> import numpy as np
    >>> from proa.ops.math.erf import erfc
    >>> erfc(np.array([0.0, 5.0])).round(16).tolist()
    [1.0, 1.5375e-12]
    """
    return _blockwise(_erfc64 if x.dtype == np.float64 else _erfc32, x)

"""Modified Bessel functions of the first kind, of order 0 and 1: i0, i1, and i0e, i1e, which are e^-|x| times those.

Chebyshev series up to 8, and beyond it of √x times the function in 1/x; the series are made, once, from the integral
Iₙ(x)·e^-x = 1/π ∫ e^(x(cos t - 1)) cos nt dt from 0 to π.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.infer import same
from ..core.operator import operator
from ..core.trace import apply
from .casting import as_floating, cast, dtype_of
from .erf import wide
from .unary import sign

_BORDER = 8.0
_DEGREE = 32
_BLOCK = 1 << 13


def _integral(x: Any, shape: Callable[[Any], Any]) -> Any:
    """1/π ∫ e^(x(cos t - 1)) shape(t) dt; the trapezoid rule, which is exact to rounding for a periodic function."""
    t = (np.arange(4096) + 0.5) * (np.pi / 4096)
    return (np.exp(np.outer(x, np.cos(t) - 1)) * shape(t)).mean(1)


@functools.cache
def _near(order: int) -> list[float]:
    """Of Iₙ(x)·e^-x / xⁿ, which for order 1 is the integral with sin² t."""
    return np.polynomial.chebyshev.chebinterpolate(
        lambda u: _integral((u + 1) * (_BORDER / 2), lambda t: np.sin(t) ** (2 * order)), _DEGREE).tolist()


@functools.cache
def _far(order: int) -> list[float]:
    def function(u: Any) -> Any:
        x = 2 * _BORDER / (u + 1)
        return _integral(x, lambda t: np.cos(order * t)) * np.sqrt(x)

    return np.polynomial.chebyshev.chebinterpolate(function, _DEGREE).tolist()


@functools.cache
def _enough(coefficients: Callable[[int], list[float]], order: int, itemsize: int) -> list[float]:
    """The coefficients that count in numbers of so many bytes: what is left out is less than a hundredth of a digit."""
    every, least = coefficients(order), 1e-18 if itemsize > 4 else 1e-10
    return every[:max(n + 1 for n, each in enumerate(every) if abs(each) > least)]


def _series(xp: Any, coefficients: list[float], u: Any) -> Any:
    """The Chebyshev series at u (Clenshaw)."""
    twice, later, last, spare = 2 * u, xp.zeros_like(u), xp.zeros_like(u), xp.empty_like(u)
    for coefficient in coefficients[:0:-1]:
        xp.multiply(twice, later, out=spare)
        spare -= last
        spare += coefficient
        later, last, spare = spare, later, last
    return coefficients[0] + u * later - last


def _computed(xp: Any, x: Any, order: int, grows: bool) -> Any:
    """Iₙ(x)·e^-|x|, and times e^|x| where it grows; computed in float64."""
    size = xp.abs(wide(x, f"i{order}(x)"))
    near = _series(xp, _enough(_near, order, x.itemsize), xp.minimum(size, _BORDER) * (2 / _BORDER) - 1)
    near = near * size if order else near
    if xp is np and size.max(initial=0.0) <= _BORDER:  # most often
        found = near
    else:
        large = xp.maximum(size, _BORDER)
        far = _series(xp, _enough(_far, order, x.itemsize), 2 * _BORDER / large - 1) / xp.sqrt(large)
        found = xp.where(size <= _BORDER, near, far)
    if grows:
        found *= xp.exp(size)
    return (xp.copysign(found, x) if order else found).astype(x.dtype)


def _kernel(order: int, grows: bool) -> Callable[..., Any]:
    def kernel(xp: Any, x: Any) -> Any:
        if xp is not np or x.size <= _BLOCK:
            return _computed(xp, x, order, grows)
        flat, result = x.reshape(-1), np.empty(x.size, x.dtype)
        for begin in range(0, x.size, _BLOCK):  # which stays in the caches through all terms
            result[begin:begin + _BLOCK] = _computed(np, flat[begin:begin + _BLOCK], order, grows)
        return result.reshape(x.shape)

    return kernel


def _over(value: Any, x: Any, square: float) -> Any:
    """value / x, which near 0 is 1/2 + square · x²; its slopes at 0 are those of that."""
    at_zero = cast(x == 0.0, dtype_of(x))
    return value * (1.0 - at_zero) / (x + at_zero) + at_zero * (0.5 + square * x * x)


i0_op = operator("i0", "x -> out", kernel=_kernel(0, True), infer=same,
                 grad={"x": lambda g, x: g * apply(i1_op, x)})
i1_op = operator("i1", "x -> out", kernel=_kernel(1, True), infer=same,
                 grad={"x": lambda g, x: g * (apply(i0_op, x) - _over(apply(i1_op, x), x, 1 / 16))})
i0e_op = operator("i0e", "x -> out", kernel=_kernel(0, False), infer=same,
                  grad={"x": lambda g, x: g * (apply(i1e_op, x) - sign(x) * apply(i0e_op, x))})
i1e_op = operator("i1e", "x -> out", kernel=_kernel(1, False), infer=same,
                  grad={"x": lambda g, x: g * (
                      apply(i0e_op, x) - sign(x) * apply(i1e_op, x) - _over(apply(i1e_op, x), x, 5 / 16))})


def i0(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function of order 0.

    >>> import proa as paddle
    >>> [round(value, 4) for value in paddle.i0(paddle.to_tensor([0.0, 1.0])).tolist()]
    [1.0, 1.2661]
    """
    return apply(i0_op, as_floating(x))


def i0e(x: Any, name: str | None = None) -> Any:
    """e^-|x| · i0(x).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([0.0, 0.5], "float64")
    >>> paddle.i0e(x).numpy().round(3).tolist()
    [1.0, 0.645]
    """
    return apply(i0e_op, as_floating(x))


def i1(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function of order 1.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([0.0, 0.5], "float64")
    >>> paddle.i1(x).numpy().round(3).tolist()
    [0.0, 0.258]
    """
    return apply(i1_op, as_floating(x))


def i1e(x: Any, name: str | None = None) -> Any:
    """e^-|x| · i1(x).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([0.0, 0.5], "float64")
    >>> paddle.i1e(x).numpy().round(3).tolist()
    [0.0, 0.156]
    """
    return apply(i1e_op, as_floating(x))

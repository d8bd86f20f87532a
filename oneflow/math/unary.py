"""`flow.math` of one operand: abs, exp, sin, round, gelu, erfc and the like, element by element."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...nn.functional import activation
from ...ops.array.creation import ones_like, zeros_like
from ...ops.array.where import where
from ...ops.math import comparison, elementwise, gamma
from ...ops.math import unary as base
from ..charge import their_face
from ..values import number_like


def _function(function: Callable[..., Any], name: str, doc: str) -> Callable[..., Any]:
    def of_one(x: Any, name: str | None = None) -> Any:
        return function(x)

    of_one.__name__ = of_one.__qualname__ = name
    of_one.__doc__ = doc
    return their_face(of_one)


abs = _function(base.abs, "abs", "x without its sign.")
acos = _function(base.acos, "acos", "The arc cosine.")
acosh = _function(base.acosh, "acosh", "The inverse of cosh.")
asin = _function(base.asin, "asin", "The arc sine.")
asinh = _function(base.asinh, "asinh", "The inverse of sinh.")
atan = _function(base.atan, "atan", "The arc tangent.")
atanh = _function(base.atanh, "atanh", "The inverse of tanh.")
ceil = _function(base.ceil, "ceil", "The smallest whole number that is not less.")
cos = _function(base.cos, "cos", "The cosine.")
cosh = _function(base.cosh, "cosh", "The hyperbolic cosine.")
erf = _function(base.erf, "erf", "The error function, 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x.")
erfc = _function(base.erfc, "erfc", "1 - erf(x), precise also where it is small.")
exp = _function(base.exp, "exp", "e to the power of x.")
expm1 = _function(base.expm1, "expm1", "exp(x) - 1, precise for small x.")
floor = _function(base.floor, "floor", "The largest whole number that is not greater.")
lgamma = _function(gamma.lgamma, "lgamma", "The logarithm of the gamma function's size.")
log = _function(base.log, "log", "The natural logarithm.")
log1p = _function(base.log1p, "log1p", "log(1 + x), precise for small x.")
log_sigmoid = _function(activation.log_sigmoid, "log_sigmoid", "log(1 / (1 + exp(-x))).")
negative = _function(elementwise.neg, "negative", "-x.")
reciprocal = _function(base.reciprocal, "reciprocal", "1 / x.")
relu = _function(activation.relu, "relu", "x, and 0 where it is negative.")
rsqrt = _function(base.rsqrt, "rsqrt", "1 / sqrt(x).")
sigmoid = _function(activation.sigmoid, "sigmoid", "1 / (1 + exp(-x)).")
sigmoid_v2 = _function(activation.sigmoid, "sigmoid_v2", "1 / (1 + exp(-x)).")
sign = _function(base.sign, "sign", "1, 0 or -1: the sign of x.")
sin = _function(base.sin, "sin", "The sine.")
sinh = _function(base.sinh, "sinh", "The hyperbolic sine.")
softplus = _function(activation.softplus, "softplus", "log(1 + exp(x)).")
sqrt = _function(base.sqrt, "sqrt", "The square root.")
square = _function(base.square, "square", "x * x.")
tan = _function(base.tan, "tan", "The tangent.")
tanh = _function(base.tanh, "tanh", "The hyperbolic tangent.")
tanh_v2 = _function(base.tanh, "tanh_v2", "The hyperbolic tangent.")
gelu = _function(activation.gelu, "gelu", "x times the probability that a standard normal value is below it.")


@their_face
def reciprocal_no_nan(x: Any, name: str | None = None) -> Any:
    """1 / x, and 0 where x is 0."""
    is_zero = comparison.equal(x, number_like(x, 0))
    return where(is_zero, zeros_like(x), base.reciprocal(where(is_zero, ones_like(x), x)))


@their_face
def round(x: Any, name: str | None = None) -> Any:
    """The nearest whole number; of two that are as near the even one."""
    below = base.floor(x)
    over = elementwise.subtract(x, below)
    odd = comparison.not_equal(elementwise.mod(below, number_like(x, 2)), number_like(x, 0))
    half = number_like(x, 0.5)
    up = comparison.logical_or(comparison.greater_than(over, half),
                               comparison.logical_and(comparison.equal(over, half), odd))
    return where(up, elementwise.scale(below, 1.0, bias=1.0), below)


rint = _function(round, "rint", "The nearest whole number; of two that are as near the even one.")


@their_face
def sigmoid_grad(y: Any, dy: Any, name: str | None = None) -> Any:
    """The gradient of x, where y = sigmoid(x) and dy is the gradient of y."""
    return elementwise.multiply(dy, elementwise.multiply(y, elementwise.scale(y, -1.0, bias=1.0)))


@their_face
def gelu_grad(x: Any, dy: Any, name: str | None = None) -> Any:
    """The gradient of x, where dy is that of gelu(x)."""
    below = elementwise.scale(base.erf(elementwise.scale(x, math.sqrt(0.5))), 0.5, bias=0.5)
    density = elementwise.scale(base.exp(elementwise.scale(base.square(x), -0.5)), 1 / math.sqrt(2 * math.pi))
    return elementwise.multiply(dy, elementwise.add(below, elementwise.multiply(x, density)))

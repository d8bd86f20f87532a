"""Functions of single elements: `flow.exp`, `flow.clamp`, `flow.round`, …"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.dtype import DType
from ...nn import functional as F
from ...ops.array import rearrange
from ...ops.array.where import where as choose
from ...ops.core.operator import find
from ...ops.math import casting, comparison, elementwise, gamma, inverse_functions, numbers, unary
from ...ops.math import clip as clipping
from ..charge import flowing
from ..charge import unary as of_one
from .arithmetic import pair


def _of_floats(name: str) -> Callable[[Any], Any]:
    return of_one(getattr(unary, f"{name}_op"), getattr(unary, name))


def _of_any(name: str) -> Callable[[Any], Any]:
    return of_one(getattr(unary, f"{name}_op"), getattr(unary, name), floats=False)


abs, sign, square, floor, ceil, trunc = map(_of_any, ("abs", "sign", "square", "floor", "ceil", "trunc"))
isnan, isinf, isfinite = map(_of_any, ("isnan", "isinf", "isfinite"))
exp, expm1, log, log2, log10, log1p = map(_of_floats, ("exp", "expm1", "log", "log2", "log10", "log1p"))
sqrt, rsqrt, reciprocal, erf, erfc = map(_of_floats, ("sqrt", "rsqrt", "reciprocal", "erf", "erfc"))
sin, cos, tan, sinh, cosh, tanh = map(_of_floats, ("sin", "cos", "tan", "sinh", "cosh", "tanh"))
asin, acos, atan, asinh, acosh, atanh = map(_of_floats, ("asin", "acos", "atan", "asinh", "acosh", "atanh"))
arcsin, arccos, arctan, arcsinh, arccosh, arctanh = asin, acos, atan, asinh, acosh, atanh
neg = negative = flowing(elementwise.neg)
lgamma, digamma, erfinv = flowing(gamma.lgamma), flowing(gamma.digamma), flowing(inverse_functions.erfinv)
logical_not, frac = flowing(unary.logical_not), flowing(unary.frac)
real, imag, conj = flowing(rearrange.real), flowing(rearrange.imag), flowing(numbers.conj)


@flowing
def exp2(input: Any) -> Any:
    """2 to the power of input; of integers as floats.

    >>> import proa.oneflow as flow
    >>> flow.exp2(flow.tensor([3.0, -1.0])).tolist()
    [8.0, 0.5]
    """
    return elementwise.SYNTAX["__rpow__"](input if input.dtype.is_differentiable else casting.cast(input, "float32"),
                                          2.0)


@flowing
def polygamma(n: int, input: Any) -> Any:
    """The n-th derivative of `digamma`."""
    return gamma.polygamma(input, n)


@flowing
def round(input: Any) -> Any:
    """The nearest whole number, halves to the even one.

    >>> import proa.oneflow as flow
    >>> flow.round(flow.tensor([0.5, 1.5, 2.5])).tolist()
    [0.0, 2.0, 2.0]
    """
    if not input.dtype.is_differentiable:
        return casting.cast(input, input.dtype)
    fraction = unary.abs(elementwise.subtract(input, unary.trunc(input)))
    even = elementwise.multiply(unary.round(elementwise.multiply(input, 0.5)), 2.0)
    return choose(comparison.equal(fraction, 0.5), even, unary.round(input))


@flowing
def pow(input: Any, exponent: Any) -> Any:
    """input to the power of exponent; either may be a number."""
    if not getattr(input, "_is_proa_value", False):
        return elementwise.SYNTAX["__rpow__"](exponent, input)
    return elementwise.SYNTAX["__pow__"](input, exponent)


@flowing
def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """input with what is below `min` and above `max` brought to these.

    >>> import proa.oneflow as flow
    >>> flow.clamp(flow.tensor([-2.0, 0.5, 2.0]), -1, 1).tolist()
    [-1.0, 0.5, 1.0]
    """
    if min is None and max is None:
        raise ValueError("clamp(min, max): at least one of both must be given.")
    return clipping.clip(input, min, max)


clip = clamp


def clamp_min(input: Any, min: Any) -> Any:
    """input with what is below `min` brought to it."""
    return clamp(input, min=min)


def clamp_max(input: Any, max: Any) -> Any:
    """input with what is above `max` brought to it."""
    return clamp(input, max=max)


@flowing
def cast(input: Any, dtype: Any) -> Any:
    """input with elements of another type."""
    from ..dtypes import to_dtype

    wanted: DType = to_dtype("cast(dtype)", dtype)
    return casting.cast(input, wanted)


def _logical(function: Callable[[Any, Any], Any], name: str, doc: str) -> Callable[[Any, Any], Any]:
    def of_two(input: Any, other: Any) -> Any:
        return function(*pair(input, other))

    of_two.__name__ = of_two.__qualname__ = name
    of_two.__doc__ = doc
    return flowing(of_two)


logical_and = _logical(comparison.logical_and, "logical_and", "True where both are true, or not 0.")
logical_or = _logical(comparison.logical_or, "logical_or", "True where either is true, or not 0.")
logical_xor = _logical(comparison.logical_xor, "logical_xor", "True where exactly one of both is true, or not 0.")


@flowing
def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """input + value * tensor1 * tensor2."""
    return elementwise.add(input, elementwise.multiply(elementwise.multiply(tensor1, tensor2), value))


@flowing
def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """input + value * tensor1 / tensor2."""
    return elementwise.add(input, elementwise.multiply(elementwise.divide(tensor1, tensor2), value))


_sigmoid = of_one(find("sigmoid"), lambda x: F.sigmoid(casting.as_floating(x)))


def sigmoid(input: Any) -> Any:
    """1 / (1 + exp(-input))."""
    return _sigmoid(input)

"""`flow.math` of two operands: add, subtract, multiply, divide, mod, pow, maximum, xlogy, polyval, add_n.

A number beside a blob is taken in the blob's dtype, so that whole numbers stay whole; blobs broadcast.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ...ops.array.creation import zeros_like
from ...ops.array.where import where
from ...ops.math import binary, elementwise, unary
from ...ops.math.add_n import add_n as summed
from ...ops.math.comparison import equal
from ..charge import their_face
from ..values import is_number, number_like, operands
from .unary import reciprocal_no_nan


@their_face
def add(x: Any, y: Any, name: str | None = None) -> Any:
    """x + y.

    >>> import numpy as np
    >>> import proa.oneflow as flow
    >>> @flow.global_function()
    ... def job(x: flow.typing.Numpy.Placeholder((2,))) -> flow.typing.Numpy:
    ...     return flow.math.add(x, 1)
    >>> job(np.array([1, 2], "float32")).tolist()
    [2.0, 3.0]
    """
    x, y = operands("add(x, y)", x, y)
    if is_number(x):
        return elementwise.scale(y, 1, bias=x)
    return elementwise.scale(x, 1, bias=y) if is_number(y) else elementwise.add(x, y)


@their_face
def add_n(inputs: Sequence[Any], name: str | None = None) -> Any:
    """The sum of several blobs of one shape."""
    inputs = list(inputs)
    return inputs[0] if len(inputs) == 1 else summed(inputs)


@their_face
def subtract(x: Any, y: Any, name: str | None = None) -> Any:
    """x - y."""
    x, y = operands("subtract(x, y)", x, y)
    if is_number(x):
        return elementwise.scale(y, -1, bias=x)
    return elementwise.scale(x, 1, bias=-y) if is_number(y) else elementwise.subtract(x, y)


@their_face
def multiply(x: Any, y: Any, name: str | None = None) -> Any:
    """x * y."""
    x, y = operands("multiply(x, y)", x, y)
    if is_number(x):
        return elementwise.scale(y, x)
    return elementwise.scale(x, y) if is_number(y) else elementwise.multiply(x, y)


@their_face
def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y; of whole numbers the quotient towards zero.

    A number divided by a blob is 0 where the blob is 0, and so is a blob divided by the number 0, as in OneFlow.
    """
    x, y = operands("divide(x, y)", x, y)
    if is_number(x):
        return multiply(reciprocal_no_nan(y), x) if y.dtype.is_differentiable else _quotient(number_like(y, x), y)
    if not x.dtype.is_differentiable:
        return multiply(x, 0) if is_number(y) and y == 0 else _quotient(x, number_like(x, y))
    if is_number(y):
        return elementwise.scale(x, 1.0 / float(y) if y else 0.0)
    return elementwise.divide(x, y)


def _quotient(x: Any, y: Any) -> Any:
    """The quotient of whole numbers, cut towards zero."""
    sizes = elementwise.floor_divide(unary.abs(x), unary.abs(y))
    return elementwise.multiply(elementwise.multiply(unary.sign(x), unary.sign(y)), sizes)


@their_face
def mod(x: Any, y: Any, name: str | None = None) -> Any:
    """The remainder of x / y, with the sign of y."""
    x, y = _both("mod(x, y)", x, y)
    return elementwise.mod(x, y)


@their_face
def floordiv(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, rounded down."""
    x, y = _both("floordiv(x, y)", x, y)
    return elementwise.floor_divide(x, y)


@their_face
def pow(x: Any, y: Any, name: str | None = None) -> Any:
    """x to the power of y, a number or a blob."""
    x, y = operands("pow(x, y)", x, y)
    return elementwise.pow(x, y)


@their_face
def maximum(x: Any, y: Any, name: str | None = None) -> Any:
    """The larger of x and y."""
    x, y = _both("maximum(x, y)", x, y)
    return elementwise.maximum(x, y)


@their_face
def minimum(x: Any, y: Any, name: str | None = None) -> Any:
    """The smaller of x and y."""
    x, y = _both("minimum(x, y)", x, y)
    return elementwise.minimum(x, y)


@their_face
def atan2(x: Any, y: Any, name: str | None = None) -> Any:
    """The angle of the point (y, x), from -pi to pi: the arc tangent of x / y."""
    return binary.atan2(x, y)


@their_face
def xdivy(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, and 0 where x is 0."""
    return _zero_where_zero(x, elementwise.divide(x, _one_where_zero(x, y)))


@their_face
def xlogy(x: Any, y: Any, name: str | None = None) -> Any:
    """x * log(y), and 0 where x is 0."""
    return _zero_where_zero(x, elementwise.multiply(x, unary.log(_one_where_zero(x, y))))


@their_face
def squared_difference(x: Any, y: Any, name: str | None = None) -> Any:
    """(x - y) * (x - y)."""
    return unary.square(subtract(x, y))


@their_face
def polyval(coeffs: Sequence[Any], x: Any, name: str | None = None) -> Any:
    """The polynomial of x with these coefficients, numbers or blobs, the highest first."""
    if not isinstance(coeffs, (list, tuple)):
        raise ValueError(f"polyval(coeffs, x): coeffs must be a list of numbers or blobs. Received {coeffs!r}.")
    return functools.reduce(lambda value, c: add(multiply(value, x), c), coeffs, zeros_like(x))


def _both(what: str, x: Any, y: Any) -> tuple[Any, Any]:
    """Two operands as values; a number beside a value in its dtype."""
    x, y = operands(what, x, y)
    return (number_like(y, x), y) if is_number(x) else (x, number_like(x, y))


def _zero_where_zero(x: Any, value: Any) -> Any:
    return where(equal(x, number_like(x, 0)), zeros_like(value), value)


def _one_where_zero(x: Any, y: Any) -> Any:
    """y, and 1 where x is 0: what y gives there is not asked for, nor its slope."""
    return where(equal(x, number_like(x, 0)), number_like(y, 1), y)

"""Arithmetic and comparison, element by element: `flow.add`, `flow.mul`, `flow.eq`, …, and Python's operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.array.full import constant, is_value
from ...ops.core.operator import find
from ...ops.math import binary as of_two
from ...ops.math import casting, comparison, elementwise, operands, unary
from ..charge import apply_op, binary, flowing

_PLAIN = (int, float)
_OPERANDS = (int, float, complex, np.ndarray, np.generic)


def as_value(x: Any) -> Any:
    """A value as it is, and of a number or an array the value that holds it."""
    return x if is_value(x) else constant(np.asarray(x))


def _function(op: str, name: str, doc: str, general: Callable[[Any, Any], Any],
              reverse: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """`reverse(y, x)` does it where the first operand alone is no value."""
    def of_others(x: Any, y: Any) -> Any:
        if is_value(x):
            return general(x, y)
        return reverse(y, x) if is_value(y) else general(as_value(x), y)

    return binary(find(op), of_others, name, doc)


_SYNTAX = elementwise.SYNTAX
_add = _function("elementwise_add", "add", "input + other.", elementwise.add, _SYNTAX["__radd__"])
_sub = _function("elementwise_sub", "sub", "input - other.", elementwise.subtract, _SYNTAX["__rsub__"])
mul = _function("elementwise_mul", "mul", "input * other, element by element, broadcasting.",
                elementwise.multiply, _SYNTAX["__rmul__"])
maximum = _function("elementwise_max", "maximum", "The larger of two, element by element.",
                    elementwise.maximum, elementwise.maximum)
minimum = _function("elementwise_min", "minimum", "The smaller of two, element by element.",
                    elementwise.minimum, elementwise.minimum)
eq = _function("equal", "eq", "input == other, element by element.", comparison.equal, comparison.equal)
ne = _function("not_equal", "ne", "input != other, element by element.", comparison.not_equal, comparison.not_equal)
lt = _function("less_than", "lt", "input < other, element by element.",
               comparison.less_than, comparison.greater_than)
le = _function("less_equal", "le", "input <= other, element by element.",
               comparison.less_equal, comparison.greater_equal)
gt = _function("greater_than", "gt", "input > other, element by element.",
               comparison.greater_than, comparison.less_than)
ge = _function("greater_equal", "ge", "input >= other, element by element.",
               comparison.greater_equal, comparison.less_equal)
multiply, not_equal, less, less_equal, greater, greater_equal = mul, ne, lt, le, gt, ge
atan2, logaddexp = flowing(of_two.atan2), flowing(of_two.logaddexp)


def add(input: Any, other: Any, *, alpha: Any = 1, out: Any = None) -> Any:
    """input + alpha * other, element by element, broadcasting.

    >>> import proa.oneflow as flow
    >>> flow.add(flow.tensor([1.0, 2.0]), 1).tolist()
    [2.0, 3.0]
    """
    return _add(input, other if alpha == 1 else mul(other, alpha))


def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input - alpha * other, element by element, broadcasting."""
    return _sub(input, other if alpha == 1 else mul(other, alpha))


subtract = sub


@flowing
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """input / other; of integers as floats. `rounding_mode`: "trunc" rounds towards zero, "floor" down."""
    x = as_value(input)
    if rounding_mode is None:
        return elementwise.divide(x, other)
    if rounding_mode == "floor":
        return elementwise.floor_divide(x, other)
    if rounding_mode != "trunc":
        raise ValueError(f"div(rounding_mode): must be None, 'trunc' or 'floor'. Received {rounding_mode!r}.")
    x, y = pair(x, other)
    fractions = x.dtype.is_differentiable or y.dtype.is_differentiable
    return unary.trunc(elementwise.divide(x, y)) if fractions else _whole_quotient(x, y)


divide = true_divide = div


@flowing
def floor_divide(input: Any, other: Any) -> Any:
    """The quotient: of floats rounded down, of integers cut towards zero."""
    x, y = pair(input, other)
    return _whole_quotient(x, y) if x.dtype.is_integer and y.dtype.is_integer else elementwise.floor_divide(x, y)


@flowing
def fmod(input: Any, other: Any) -> Any:
    """What a quotient that is cut towards zero leaves of input: it has input's sign. `%` gives this too.

    >>> import proa.oneflow as flow
    >>> flow.fmod(flow.tensor([-7.0, 7.0]), 2).tolist()
    [-1.0, 1.0]
    """
    x, y = pair(input, other)
    if x.dtype.is_differentiable or y.dtype.is_differentiable:  # of numbers without signs the remainder is exact
        return elementwise.multiply(elementwise.mod(unary.abs(x), unary.abs(y)), unary.sign(x))
    remainder = elementwise.mod(x, y)
    return elementwise.subtract(remainder, elementwise.multiply(_inexact(x, y, remainder), y))


remainder = fmod


@flowing
def lerp(input: Any, end: Any, weight: Any) -> Any:
    """input + weight * (end - input), element by element; `weight` is a number or a tensor.

    >>> import proa.oneflow as flow
    >>> flow.lerp(flow.tensor([1.0, 2.0]), flow.tensor([3.0, 4.0]), 0.25).tolist()
    [1.5, 2.5]
    """
    return of_two.lerp(input, end, weight)


def _of_bits(name: str, doc: str) -> Callable[[Any, Any], Any]:
    combined, other_way = comparison.SYNTAX[f"__{name}__"], comparison.SYNTAX[f"__r{name}__"]

    def function(input: Any, other: Any) -> Any:
        return combined(input, other) if is_value(input) else other_way(other, input)

    function.__name__ = function.__qualname__ = f"bitwise_{name}"
    function.__doc__ = doc
    return flowing(function)


bitwise_and = _of_bits("and", "The bits that both have, of integers or bools; either may be a number.")
bitwise_or = _of_bits("or", "The bits that one of both has, of integers or bools; either may be a number.")
bitwise_xor = _of_bits("xor", "The bits that just one of both has, of integers or bools; either may be a number.")
bitwise_not = flowing(unary.bitwise_not)


def pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Both as values: a number in the dtype that it takes beside the other."""
    if is_value(x):
        return operands.operand(x, y)
    y, x = operands.operand(y, x) if is_value(y) else (as_value(y), as_value(x))
    return x, y


def _inexact(x: Any, y: Any, remainder: Any) -> Any:
    """1 where a quotient that is rounded down lies below the one that is cut towards zero, else 0."""
    negative = comparison.not_equal(comparison.less_than(x, 0), comparison.less_than(y, 0))
    return casting.cast(comparison.logical_and(negative, comparison.not_equal(remainder, 0)), remainder.dtype)


def _whole_quotient(x: Any, y: Any) -> Any:
    return elementwise.add(elementwise.floor_divide(x, y), _inexact(x, y, elementwise.mod(x, y)))


# Python's operators: as fast as those of the other face

def _method(op: str, other_way: Callable[[Any, Any], Any],
            scaled: Callable[[Any], dict[str, Any]] | None = None, swap: bool = False) -> Callable[[Any, Any], Any]:
    """`scaled`: factor and summand that a number stands for, where the value holds floats."""
    operator, scale, flowed = find(op), elementwise.scale_op, flowing(other_way)

    def method(self: Any, other: Any) -> Any:
        if getattr(other, "_is_proa_value", False):
            return apply_op(operator, (other, self) if swap else (self, other))
        if scaled is not None and type(other) in _PLAIN and self.dtype.is_differentiable:
            return apply_op(scale, (self, None), scaled(other))
        return flowed(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    return method


def _quotient(self: Any, other: Any) -> Any:
    if getattr(other, "_is_proa_value", False):
        return apply_op(elementwise.divide_op, (_floating(self), _floating(other)))
    if type(other) in _PLAIN and other != 0:
        return apply_op(elementwise.scale_op, (_floating(self), None), {"scale": 1.0 / other})
    return _divide(self, other) if isinstance(other, _OPERANDS) else NotImplemented


_divide = flowing(elementwise.divide)
_cast = flowing(casting.as_floating)


def _floating(x: Any) -> Any:
    return x if x.dtype.is_differentiable else _cast(x)


def _checked(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The function as a method of Python's syntax, which leaves to the other operand what it does not know."""
    def method(self: Any, other: Any) -> Any:
        if getattr(other, "_is_proa_value", False) or isinstance(other, _OPERANDS):
            return function(self, other)
        return NotImplemented

    return method


def _power(self: Any, other: Any) -> Any:
    if type(other) in _PLAIN and self.dtype.is_differentiable:
        return apply_op(elementwise.power_op, (self, None), {"factor": other})
    return _general_power(self, other)


_general_power = _checked(flowing(_SYNTAX["__pow__"]))

SYNTAX: dict[str, Any] = {
    "__add__": _method("elementwise_add", elementwise.add, lambda n: {"bias": n}),
    "__radd__": _method("elementwise_add", elementwise.add, lambda n: {"bias": n}),
    "__sub__": _method("elementwise_sub", elementwise.subtract, lambda n: {"bias": -n}),
    "__rsub__": _method("elementwise_sub", _SYNTAX["__rsub__"], lambda n: {"scale": -1.0, "bias": n}, swap=True),
    "__mul__": _method("elementwise_mul", elementwise.multiply, lambda n: {"scale": n}),
    "__rmul__": _method("elementwise_mul", elementwise.multiply, lambda n: {"scale": n}),
    "__truediv__": _quotient,
    "__pow__": _power,
    "__eq__": _method("equal", comparison.SYNTAX["__eq__"]),
    "__ne__": _method("not_equal", comparison.SYNTAX["__ne__"]),
    "__lt__": _method("less_than", comparison.SYNTAX["__lt__"]),
    "__le__": _method("less_equal", comparison.SYNTAX["__le__"]),
    "__gt__": _method("greater_than", comparison.SYNTAX["__gt__"]),
    "__ge__": _method("greater_equal", comparison.SYNTAX["__ge__"]),
    "__neg__": flowing(elementwise.neg),
    "__invert__": flowing(unary.bitwise_not),
    "__abs__": flowing(unary.abs),
    "__floordiv__": _checked(floor_divide),
    "__rfloordiv__": _checked(lambda x, y: floor_divide(y, x)),
    "__mod__": _checked(fmod),
    "__rmod__": _checked(lambda x, y: fmod(y, x)),
    **{name: _checked(flowing({**elementwise.SYNTAX, **comparison.SYNTAX}[name])) for name in (
        "__rtruediv__", "__rpow__", "__and__", "__rand__", "__or__", "__ror__", "__xor__", "__rxor__")},
}
"""The operators of Python's syntax as methods."""

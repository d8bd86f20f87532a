"""Two operands compared, or combined as truth values or bits: equal, less_than, logical_and, bitwise_or and their kin.

A number that the other operand's integers cannot hold is still compared by its value, and its lowest bits are combined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...core import dtype as dt
from ..array.full import value_of
from ..core.operator import Operator
from ..core.trace import apply, state
from .casting import cast
from .elementwise import (
    NUMBERS,
    bitwise_and_op,
    bitwise_or_op,
    bitwise_xor_op,
    equal_op,
    greater_equal_op,
    greater_than_op,
    into,
    less_equal_op,
    less_than_op,
    logical_and_op,
    logical_or_op,
    logical_xor_op,
    not_equal_op,
    operand,
)

_PLAIN = (int, float)
_COMPARED = (*NUMBERS, complex, np.ndarray, list, tuple)


def _comparable(x: Any, value: Any) -> tuple[Any, Any]:
    """x and the second operand as values; x in a wider dtype where its own cannot hold an integer."""
    if isinstance(value, (int, np.integer)) and x.dtype.is_integer:
        number = int(value)
        if x.dtype.wrapped(number) != number:
            x = cast(x, dt.int64 if dt.int64.wrapped(number) == number else dt.float64)
    return operand(x, value)


def _compare(op: Operator, x: Any, y: Any) -> Any:
    if getattr(y, "_is_proa_value", False):
        return apply(op, x, y)
    if type(y) in _PLAIN and x.dtype.is_floating:  # what nearly every comparison with a number is
        return apply(op, x, state.trace.number(y, x.dtype))
    return apply(op, *_comparable(x, y))


def _bits(op: Operator, x: Any, y: Any) -> Any:
    x = value_of(x)
    if isinstance(y, (int, np.integer)) and x.dtype.is_integer:
        y = x.dtype.wrapped(int(y))
    x, y = operand(x, y)
    for value in (x, y):
        if getattr(value.dtype, "is_differentiable", False):
            raise TypeError(f"{op.type}(x, y): must be whole numbers or bools. Received {value.dtype.name}. Convert it "
                            "with astype.")
    return apply(op, x, y)


def _method(op: Operator) -> Callable:
    """A comparison as a method of Python's syntax: what is no number and no array is left to the other operand."""
    def method(x: Any, y: Any) -> Any:
        if type(y) in _PLAIN or getattr(y, "_is_proa_value", False) or isinstance(y, _COMPARED):
            return _compare(op, x, y)
        return NotImplemented

    method.__name__ = method.__qualname__ = op.type
    return method



def equal(x: Any, y: Any, name: str | None = None) -> Any:
    """x == y, element by element.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.equal(x, y).tolist()
    [False, False]
    """
    return _compare(equal_op, x, y)


def not_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """x != y, element by element.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.not_equal(x, y).tolist()
    [True, True]
    """
    return _compare(not_equal_op, x, y)


def less_than(x: Any, y: Any, name: str | None = None) -> Any:
    """x < y, element by element.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.less_than(x, y).tolist()
    [False, True]
    """
    return _compare(less_than_op, x, y)


def less_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """x <= y, element by element.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.less_equal(x, y).tolist()
    [False, True]
    """
    return _compare(less_equal_op, x, y)


def greater_than(x: Any, y: Any, name: str | None = None) -> Any:
    """x > y, element by element.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.greater_than(x, y).tolist()
    [True, False]
    """
    return _compare(greater_than_op, x, y)


def greater_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """x >= y, element by element.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.greater_equal(x, y).tolist()
    [True, False]
    """
    return _compare(greater_equal_op, x, y)


def logical_and(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """x and y, element by element; a number counts as true unless it is 0.

    In a Program `out` gets the result, where it is given; eagerly it has no meaning, as in Paddle.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([True, True]), paddle.to_tensor([True, False])
    >>> paddle.logical_and(x, y).tolist()
    [True, False]
    """
    return into(out, apply(logical_and_op, *operand(x, y)))


def logical_or(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """x or y, element by element; a number counts as true unless it is 0.

    In a Program `out` gets the result, where it is given; eagerly it has no meaning, as in Paddle.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([True, True]), paddle.to_tensor([True, False])
    >>> paddle.logical_or(x, y).tolist()
    [True, True]
    """
    return into(out, apply(logical_or_op, *operand(x, y)))


def logical_xor(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """Exactly one of x and y, element by element; a number counts as true unless it is 0.

    In a Program `out` gets the result, where it is given; eagerly it has no meaning, as in Paddle.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([True, True]), paddle.to_tensor([True, False])
    >>> paddle.logical_xor(x, y).tolist()
    [False, True]
    """
    return into(out, apply(logical_xor_op, *operand(x, y)))


def bitwise_and(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """x & y on integers or bools.

    In a Program `out` gets the result, where it is given; eagerly it has no meaning, as in Paddle.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6, 3]), paddle.to_tensor([3, 5])
    >>> paddle.bitwise_and(x, y).tolist()
    [2, 1]
    """
    return into(out, _bits(bitwise_and_op, x, y))


def bitwise_or(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """x | y on integers or bools.

    In a Program `out` gets the result, where it is given; eagerly it has no meaning, as in Paddle.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6, 3]), paddle.to_tensor([3, 5])
    >>> paddle.bitwise_or(x, y).tolist()
    [7, 7]
    """
    return into(out, _bits(bitwise_or_op, x, y))


def bitwise_xor(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """x ^ y on integers or bools.

    In a Program `out` gets the result, where it is given; eagerly it has no meaning, as in Paddle.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6, 3]), paddle.to_tensor([3, 5])
    >>> paddle.bitwise_xor(x, y).tolist()
    [5, 6]
    """
    return into(out, _bits(bitwise_xor_op, x, y))


#: The comparisons and the bits of Python's syntax, as methods of Tensor and Variable.
SYNTAX: Mapping[str, Callable] = {
    "__eq__": _method(equal_op), "__ne__": _method(not_equal_op),
    "__lt__": _method(less_than_op), "__le__": _method(less_equal_op),
    "__gt__": _method(greater_than_op), "__ge__": _method(greater_equal_op),
    "__and__": bitwise_and, "__rand__": bitwise_and, "__or__": bitwise_or, "__ror__": bitwise_or,
    "__xor__": bitwise_xor, "__rxor__": bitwise_xor,
}

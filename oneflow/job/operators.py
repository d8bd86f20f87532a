"""Python's operators between blobs, numbers and arrays: OneFlow's functions of two operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.array.full import is_value
from ...ops.core.trace import current_trace, using
from ...static.ir.variable import Variable
from .. import math
from ..values import is_number

_Function = Callable[[Any, Any], Any]


def _operator(function: _Function, turned: bool = False) -> _Function:
    def method(self: Any, other: Any) -> Any:
        if not (is_value(other) or is_number(other) or isinstance(other, np.ndarray)):
            return NotImplemented
        operands = (other, self) if turned else (self, other)
        if not current_trace().computes:
            return function(*operands)
        with using(self.own_trace()):
            return function(*operands)

    method.__name__ = method.__qualname__ = function.__name__
    return method


class Operators:
    """A whole number beside 0.5 stays whole, whole numbers are divided towards zero, comparisons give int8."""

    __hash__ = Variable.__hash__
    __add__, __radd__ = _operator(math.add), _operator(math.add, turned=True)
    __sub__, __rsub__ = _operator(math.subtract), _operator(math.subtract, turned=True)
    __mul__, __rmul__ = _operator(math.multiply), _operator(math.multiply, turned=True)
    __truediv__, __rtruediv__ = _operator(math.divide), _operator(math.divide, turned=True)
    __floordiv__, __rfloordiv__ = _operator(math.floordiv), _operator(math.floordiv, turned=True)
    __mod__, __rmod__ = _operator(math.mod), _operator(math.mod, turned=True)
    __pow__ = _operator(math.pow)
    __lt__, __le__ = _operator(math.less), _operator(math.less_equal)
    __gt__, __ge__ = _operator(math.greater), _operator(math.greater_equal)
    __eq__ = _operator(math.equal)
    __ne__ = _operator(math.not_equal)

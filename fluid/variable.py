"""`Variable` and `Parameter` as 1.x's code asks for them: of a Program, or of dynamic mode."""

from __future__ import annotations

from typing import Any

from ..core.lazy import listed
from ..dygraph.parameter import EagerParameter
from ..dygraph.value import EagerValue
from ..static.ir import program as ir


class _OfBothModes(type):
    """The class of a class of Program's variables that values of dynamic mode count as instances of."""

    _kinds: tuple[type, ...] = ()

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls._kinds)


class Variable(ir.Variable, metaclass=_OfBothModes):
    """A value of a Program, or of dynamic mode: what `isinstance(x, fluid.Variable)` asks for.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     isinstance(fluid.dygraph.to_variable(np.ones(1)), fluid.Variable)
    True
    """

    _kinds = (ir.Variable, EagerValue)


class Parameter(ir.ParameterVariable, metaclass=_OfBothModes):
    """A parameter of a Program, or of dynamic mode."""

    _kinds = (ir.ParameterVariable, EagerParameter)


__all__ = ["Parameter", "Variable"]
__dir__ = listed(__name__)

"""Which face's values are computed: flow's functions put their own eager trace in charge for as long as they run.

So one process has Tensors of Paddle's face and of this one, and no switch. What is in charge already, such as a Program
that is being written, or what casts around the eager trace, stays in charge.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..dygraph.eager import EAGER, EagerTrace
from ..dygraph.parameter import EagerParameter
from ..dygraph.value import EagerValue
from ..ops.core.operator import Operator
from ..ops.core.trace import Trace, state

FLOW = EagerTrace(EagerValue, EagerParameter)
"""The eager trace of this face. `tensors.py` says what its values are."""

_F = TypeVar("_F", bound=Callable[..., Any])
_NONE: dict[str, Any] = {}


def flowing(function: _F) -> _F:
    """The function with this face's eager trace in charge: what it computes are values of this face."""
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        trace = state.trace
        if trace is FLOW:
            return function(*args, **kwargs)
        if trace is not EAGER:
            return _elsewhere(trace, function, args, kwargs)
        state.trace = FLOW
        try:
            return function(*args, **kwargs)
        finally:
            state.trace = EAGER

    return called  # type: ignore[return-value]


def _elsewhere(trace: Trace, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """A call while something else than one of the two eager traces is in charge."""
    faced = trace.faced(FLOW)
    if faced is trace:
        return function(*args, **kwargs)
    state.trace = faced
    try:
        return function(*args, **kwargs)
    finally:
        state.trace = trace


def their_face(function: _F) -> _F:
    """The function with the trace in charge that its values' face has: this one's, unless they are of another face."""
    here = flowing(function)

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if state.trace is EAGER and _is_of_another((*args, *kwargs.values())):
            return function(*args, **kwargs)
        return here(*args, **kwargs)

    return called  # type: ignore[return-value]


def _is_of_another(values: Iterable[Any]) -> bool:
    """Whether the first eager value among these, if there is one, is of another face."""
    for value in values:
        if isinstance(value, EagerValue):
            return not getattr(value, "_is_flow", False)
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], EagerValue):
            return not getattr(value[0], "_is_flow", False)
    return False


class flow_in_charge:
    """A context manager: within the block this face's eager trace is in charge, as in `flowing`."""

    __slots__ = ("old",)

    def __enter__(self) -> None:
        self.old = state.trace
        state.trace = self.old.faced(FLOW)

    def __exit__(self, *error: Any) -> None:
        state.trace = self.old


def apply_op(op: Operator, inputs: tuple[Any, ...], attrs: dict[str, Any] = _NONE) -> Any:
    """Applies an operator to values of this face."""
    trace = state.trace
    return (FLOW if trace is EAGER else trace if trace is FLOW else trace.faced(FLOW)).apply(op, inputs, attrs)


def unary(op: Operator, general: Callable[[Any], Any], floats: bool = True) -> Callable[..., Any]:
    """A function of one value: of one that holds floats by the operator at once, of others by what `general` does."""
    other_way = flowing(general)

    @functools.wraps(general)
    def function(input: Any) -> Any:
        if floats and not input.dtype.is_differentiable:
            return other_way(input)
        trace = state.trace
        return (FLOW if trace is EAGER else trace if trace is FLOW else trace.faced(FLOW)).apply(op, (input,), _NONE)

    return function


def binary(op: Operator, general: Callable[[Any, Any], Any], name: str, doc: str) -> Callable[..., Any]:
    """A function of two: of two values by the operator at once, of others by what `general` does."""
    other_way = flowing(general)

    def function(input: Any, other: Any) -> Any:
        if getattr(input, "_is_proa_value", False) and getattr(other, "_is_proa_value", False):
            trace = state.trace
            return (FLOW if trace is EAGER else trace if trace is FLOW else trace.faced(FLOW)).apply(
                op, (input, other), _NONE)
        return other_way(input, other)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function

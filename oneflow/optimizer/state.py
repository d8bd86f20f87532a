"""What rules keep beside a variable, and how they write to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.core.trace import current_trace


def written(variable: Any, function: Callable[..., Any], *inputs: Any) -> Any:
    """A variable of the session, to which the one operator that `function` applies has written: nothing is copied."""
    with current_trace().naming(lambda slot: variable):
        function(*inputs)
    return variable


def done() -> None:
    """Appends nothing: of updates that stand there already."""


def slot(variable: Any, kind: str, fill: float = 0.0, shape: tuple[int, ...] | None = None) -> Any:
    """A variable that a rule keeps beside another one: `NAME-momentum` and the like."""
    sizes = tuple(variable.shape) if shape is None else shape
    return current_trace().persistent(sizes, variable.dtype, fill, f"{variable.name}-{kind}")

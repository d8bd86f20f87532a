"""Traces that look at what operators give, put beneath the one that casts, so that they see what really ran."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..ops.core.operator import Operator
from ..ops.core.trace import Trace, state
from ..ops.core.trace_around import TraceAround

_W = TypeVar("_W", bound="Watching")


class Watching(TraceAround):
    """Does what `inner` does, and tells `seen` of it."""

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Applies the operator and looks at the results."""
        results = self.inner.apply(op, inputs, attrs)
        self.seen(op, results)
        return results

    def seen(self, op: Operator, results: Any) -> None:
        """What an operator gave."""
        raise NotImplementedError


def start_watching(make: Callable[[Trace], Watching]) -> None:
    """Puts a trace around the one that does the work, beneath one that casts."""
    state.trace = state.trace.watched(make)


def stop_watching(kind: type[_W]) -> _W | None:
    """Takes the outermost trace of this kind away and gives it; None where there is none."""
    found = state.trace.find(kind)
    if found is not None:
        state.trace = state.trace.without(found)
    return found

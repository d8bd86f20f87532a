"""Traces that look at what operators give, put beneath the one that casts, so that they see what really ran."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ops.amp.autocast import AutocastTrace
from ..ops.core.operator import Operator
from ..ops.core.trace import Trace, state
from ..ops.core.trace_around import TraceAround


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
    trace = state.trace
    if isinstance(trace, AutocastTrace):
        state.trace = AutocastTrace(make(trace.inner), trace.precision)
    else:
        state.trace = make(trace)


def stop_watching(kind: type) -> Any:
    """Takes the innermost trace of this kind away and gives it; None where there is none."""
    above: list[AutocastTrace | Watching] = []
    trace = state.trace
    while isinstance(trace, (AutocastTrace, Watching)) and not isinstance(trace, kind):
        above.append(trace)
        trace = trace.inner
    if not isinstance(trace, kind):
        return None
    assert isinstance(trace, Watching)
    if above:
        above[-1].inner = trace.inner
    else:
        state.trace = trace.inner
    return trace

"""What may watch a thread at work without costing it anything when nothing does: a profiler, a timer of batches.

An observer is put into `trace.state.observer`. It is asked where a block of work begins (another trace is put in
charge, a compiled Program runs, a batch has been read), never at a single operation: who wants to see these lets
`observed` put a trace of its own around the one in charge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .backward import Walk

if TYPE_CHECKING:
    from .trace import Trace


class Observer:
    """Watches nothing: what each question is answered with as if nobody had asked."""

    def observed(self, trace: Trace) -> Trace:
        """The trace to put in charge in place of `trace`."""
        return trace

    def walk_type(self) -> type[Walk]:
        """What a backward pass walks with."""
        return Walk

    def plan_function(self, plan: Any, on_host: bool, arrays: Sequence[Any]) -> Callable[..., tuple]:
        """The function that runs a compiled Program on these arrays."""
        return plan.function(on_host, arrays)

    def batch_read(self, begin: float, end: float) -> None:
        """A DataLoader's batch was waited for between these readings of `time.perf_counter`."""

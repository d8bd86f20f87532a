"""The trace around the one in charge, which times the operators that it applies, and the walk that times gradients."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..core import nest
from ..core.errors import user_line
from ..ops.core.backward import Node, Output, Walk, edge_node
from ..ops.core.operator import Operator
from ..ops.core.trace import Trace, state
from ..ops.core.trace_around import TraceAround
from . import events
from .events import Span

if TYPE_CHECKING:
    from .recorder import Recorder


class ObservedTrace(TraceAround):
    """Does what `inner` does and tells the recorder. `node`: the node whose gradient rule is running, if any."""

    def __init__(self, inner: Trace, recorder: Recorder, phase: str):
        super().__init__(inner)
        self.recorder, self.phase = recorder, phase
        self.node: Any = None

    def bare(self) -> Trace:
        """The trace inside."""
        return self.inner

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Applies the operator and records it."""
        recorder = self.recorder
        if not recorder.active:  # a block that was entered while it still recorded has put this trace back
            if state.trace is self:
                state.trace = self.inner
            return self.inner.apply(op, inputs, attrs)
        node = self.node
        name = op.type if node is None else backward_name(node, op.type)
        source = user_line() if node is None else recorder.source_of(node)
        span = Span(events.OPERATOR, name, self.phase, source, op.type, inputs, attrs)
        results = recorder.timed(span, self.inner.apply, op, inputs, attrs)
        for result in nest.leaves(results):
            made_by = edge_node(getattr(result, "_edge", None))
            if made_by is not None:
                recorder.remember(made_by, source)
        return results

    @contextlib.contextmanager
    def updating(self) -> Iterator[None]:
        """As the inner trace has it; what is applied meanwhile belongs to the optimization."""
        old, self.phase = self.phase, events.OPTIMIZATION
        try:
            with self.inner.updating():
                yield
        finally:
            self.phase = old


def backward_name(node: Node, type: str) -> str:
    """An operator in another one's gradient rule: 'matmul_v2_grad/transpose2'."""
    return f"{node.type}_grad/{type}"


class ObservedWalk(Walk):
    """A backward pass that records what each node's gradient costs, adding it to what is there included."""

    def __init__(self, recorder: Recorder, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._recorder = recorder

    def _step(self, node: Node, gs: list[Any]) -> None:
        trace, recorder = state.trace.find(ObservedTrace), self._recorder
        if trace is None:
            return super()._step(node, gs)
        trace.phase, trace.node = events.BACKWARD, node
        source = recorder.source_of(node)
        try:
            recorder.timed(Span(events.OPERATOR, f"{node.type}_grad", events.BACKWARD, source, "", gs),
                           self._stepped, node, gs)
        finally:
            trace.node = None

    def _stepped(self, node: Node, gs: list[Any]) -> list[Any]:
        """Takes the step, and gives the gradients where it led."""
        super()._step(node, gs)
        edges = [edge for slot in node.edges for edge in (slot if type(slot) is list else [slot])]
        return [self.pending.get(edge.node if type(edge) is Output else edge) for edge in edges if edge is not None]

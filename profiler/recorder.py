"""The recorder: an observer that times every operator, in eager code, in the backward walk and in compiled Programs.

It reaches them without a check on their paths: by a trace around the one in charge (`observed.py`), by the reader of
what a backward walk's nodes saved, and by kernels bound to a compiled Program's source in timed form.
"""

from __future__ import annotations

import functools
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import backend
from ..backend.comm import exchanges
from ..core.dtype import DType
from ..core.errors import user_line
from ..core.place import Place
from ..ops.core.observer import Observer
from ..ops.core.operator import find
from ..ops.core.trace import Trace, state
from . import events
from .events import Event, ProfilerResult, Span
from .memory import LiveBytes
from .observed import ObservedTrace, ObservedWalk, backward_name
from .timer import StepTimer

_ROLES = {1: events.BACKWARD, 2: events.OPTIMIZATION}  # the attribute op_role of a Program's operations
_now = time.perf_counter_ns


class Options(NamedTuple):
    """What is kept of each application beside its time. `place` is waited for after it, `nvtx` names ranges."""

    shapes: bool = False
    memory: bool = False
    flops: bool = False
    place: Place | None = None
    nvtx: bool = False


def shape_of(value: Any) -> Any:
    """The shape of an array or Tensor as a tuple, a list of them for a list, None for anything else."""
    if isinstance(value, (list, tuple)):
        return [shape_of(item) for item in value]
    shape = getattr(value, "shape", None)
    return tuple(shape) if isinstance(shape, (list, tuple)) else None


def _shape_text(shape: Any) -> str:
    """A shape such as [2,3]; those of a list beside each other."""
    if isinstance(shape, list):
        return " ".join(_shape_text(item) for item in shape if item is not None)
    return str(list(shape)).replace(" ", "")


class Recorder(Observer):
    """Records until `stop`. `timer` hears of batches too."""

    def __init__(self, options: Options, timer: StepTimer):
        self.active = True
        self.events: list[Event] = []
        self.begin = _now()
        self._options, self._timer = options, timer
        self._live = LiveBytes() if options.memory else None
        self._children: list[int] = []  # the time that operators inside each open span took
        self._sources: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()  # of nodes
        self._plans: weakref.WeakKeyDictionary[Any, dict[bool, Callable]] = weakref.WeakKeyDictionary()
        self._thread = threading.get_ident()
        exchanges.watchers.append(self._exchanged)

    def stop(self) -> ProfilerResult:
        """Ends the recording."""
        self.active = False
        exchanges.watchers.remove(self._exchanged)
        live = self._live or LiveBytes()
        return ProfilerResult(self.events, self.begin, _now(), live.history, live.peak)

    # What an observer is asked

    def observed(self, trace: Trace) -> Trace:
        """A trace that times what `trace` does; `trace` itself where nothing is computed."""
        found = trace.find(ObservedTrace)
        if found is not None and found.recorder is self or not trace.computes:
            return trace
        return ObservedTrace(trace, self, _phase())

    def walk_type(self) -> Any:
        """A walk that times each node's gradient."""
        return functools.partial(ObservedWalk, self)

    def plan_function(self, plan: Any, on_host: bool, arrays: Sequence[Any]) -> Callable[..., tuple]:
        """The compiled Program with timed kernels: one an operation, which asks the operation's engines."""
        functions = self._plans.setdefault(plan, {})
        if on_host not in functions:
            functions[on_host] = self._timed_plan(plan, on_host)
        return functions[on_host]

    def batch_read(self, begin: float, end: float) -> None:
        """Adds a wait for a batch."""
        self._timer.batch_read(begin, end)
        self.add_span(events.READER, "DataLoader", int(begin * 1e9), int(end * 1e9))

    # Recording

    def add_span(self, kind: str, name: str, begin: int, end: int | None = None) -> None:
        """Adds a span that is no operator; it ends now unless told otherwise."""
        begin, end = max(begin, self.begin), _now() if end is None else end
        self.events.append(
            Event(kind, name, _phase(), begin, end - begin, end - begin, self._thread, user_line()))

    def _exchanged(self, name: str, begin: int, end: int) -> None:
        """Adds an exchange with other processes, by the thread that has done it."""
        begin = max(begin, self.begin)
        self.events.append(Event(events.EXCHANGE, name, "", begin, end - begin, end - begin, threading.get_ident()))

    def remember(self, node: Any, source: str) -> None:
        """Keeps the user's line that a node of the backward walk belongs to."""
        self._sources[node] = source

    def source_of(self, node: Any) -> str:
        """The user's line that applied a node's operator, or where that is not known, the one that runs now."""
        return self._sources.get(node) or user_line()

    def timed(self, span: Span, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls, records that, and gives what the call returns."""
        options = self._options
        self._children.append(0)
        if options.nvtx:
            backend.push_range(span.name)
        begin = _now()
        results = None
        try:
            results = call(*args, **kwargs)
            if options.place is not None:
                backend.synchronize(options.place)
            return results
        finally:
            duration = _now() - begin
            own = duration - self._children.pop()
            if self._children:
                self._children[-1] += duration
            if options.nvtx:
                backend.pop_range()
            self._add(span, begin, duration, own, results)

    def _add(self, span: Span, begin: int, duration: int, own: int, results: Any) -> None:
        nbytes = self._live.add(results) if self._live is not None and span.kind == events.OPERATOR else 0
        shapes = [shape_of(x) for x in span.inputs] if self._options.shapes or self._options.flops else []
        count = 0
        if self._options.flops and span.type and results is not None:
            outputs = [shape_of(x) for x in (results if isinstance(results, (list, tuple)) else (results,))]
            count = find(span.type).cost(shapes, outputs, span.attrs)
        given = [_shape_text(s) for s in shapes if s is not None] if self._options.shapes else []
        self.events.append(Event(span.kind, span.name, span.phase, begin, duration, own, self._thread, span.source,
                                 " ".join(given), nbytes, count))

    def _timed_plan(self, plan: Any, on_host: bool) -> Callable[..., tuple]:
        namespace = plan.globals(on_host)
        plan_of = weakref.ref(plan)
        for name, value in namespace.items():
            if callable(value) and not isinstance(value, (DType, type)):
                namespace[name] = self._timed_kernel(plan_of, value)
        run = plan.load(namespace)

        def run_program(*args: Any) -> tuple:
            observed = state.trace.find(ObservedTrace)
            node = None if observed is None else observed.node
            name, source = ("run_program", user_line()) if node is None else (
                backward_name(node, "run_program"), self.source_of(node))
            return self.timed(Span(events.PROGRAM, name, _phase(), source), run, *args)

        return run_program

    def _timed_kernel(self, plan_of: Callable[[], Any], kernel: Callable[..., Any]) -> Callable[..., Any]:
        """A kernel of a compiled Program. The operation, and with it the user's line, is that of the calling line."""

        def call(*args: Any, **attrs: Any) -> Any:
            plan = plan_of()
            operation = None if plan is None else plan.operation_at(sys._getframe(1).f_lineno)
            if operation is None:
                return kernel(*args, **attrs)
            inputs = args[1:] if args and isinstance(args[0], types.ModuleType) else args
            phase = _ROLES.get(operation.attrs.get("op_role", 0)) or _phase()
            source = operation.source or user_line()
            group = operation.attrs.get("group")  # the operators that were fused into one loop
            name = operation.type if group is None else f"{operation.type}({group})"
            span = Span(events.OPERATOR, name, phase, source, operation.type, inputs, attrs)
            return self.timed(span, kernel, *args, **attrs)

        return call


def _phase() -> str:
    """What the thread is doing, as the trace in charge knows it."""
    observed = state.trace.find(ObservedTrace)
    return events.FORWARD if observed is None else observed.phase

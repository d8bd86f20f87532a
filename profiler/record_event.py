"""RecordEvent: a range of the user's own on the profile."""

from __future__ import annotations

import contextlib
import enum
import time
from typing import Any

from ..ops.core.trace import state
from .events import RANGE
from .recorder import Recorder


class TracerEventType(enum.Enum):
    """What PaddlePaddle says of a span; `RecordEvent(event_type=…)` takes it.

    >>> import proa as paddle
    >>> paddle.profiler.TracerEventType.Forward.value
    9
    """

    Operator = 0
    Dataloader = 1
    ProfileStep = 2
    CudaRuntime = 3
    Kernel = 4
    Memcpy = 5
    Memset = 6
    UserDefined = 7
    OperatorInner = 8
    Forward = 9
    Backward = 10
    Optimization = 11
    Communication = 12
    PythonOp = 13
    PythonUserDefined = 14


class RecordEvent(contextlib.ContextDecorator):
    """Names a span of time: as `with RecordEvent("load"):`, as a decorator, or with `begin()` and `end()`.

    `event_type` is accepted and says nothing here. Without a running profiler it does nothing.
    `paddle.profiler.RecordEvent`.

    >>> import proa as paddle
    >>> prof = paddle.profiler.Profiler(on_trace_ready=lambda prof: None)
    >>> with prof, paddle.profiler.RecordEvent("work"):
    ...     y = paddle.ones([2]) * 2
    >>> [event.name for event in prof.profiler_result.of_kind("range")]
    ['work']
    """

    def __init__(self, name: str, event_type: Any = None):
        self.name, self.event_type = name, event_type
        self._begun: list[int] = []  # one of each span that is open, since a decorated function may call itself

    def begin(self) -> None:
        """Begins the span."""
        self._begun.append(time.perf_counter_ns())

    def end(self) -> None:
        """Ends the span that was begun last; nothing when none was."""
        if not self._begun:
            return
        begin = self._begun.pop()
        if isinstance(state.observer, Recorder):
            state.observer.add_span(RANGE, self.name, begin)

    def __enter__(self) -> RecordEvent:
        self.begin()
        return self

    def __exit__(self, *_: Any) -> None:
        self.end()

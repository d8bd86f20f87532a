"""What a profiler records: one event a span of time, and the result that holds them. Knows no operator and no table."""

from __future__ import annotations

from typing import Any, NamedTuple

OPERATOR, PROGRAM, RANGE, STEP, READER, EXCHANGE = "operator", "program", "range", "step", "reader", "exchange"
FORWARD, BACKWARD, OPTIMIZATION = "forward", "backward", "optimization"


class Span(NamedTuple):
    """What is about to be timed. `type`: the operator's, empty for what is made of several."""

    kind: str
    name: str
    phase: str
    source: str
    type: str = ""
    inputs: Any = ()
    attrs: Any = None


class Event(NamedTuple):
    """One span. Times are nanoseconds of `time.perf_counter_ns`; `own` leaves out the operators inside.

    `kind`: an operator, a compiled Program, a range of the user's (RecordEvent), a step, a wait for a batch, or an
    exchange with other processes that went on meanwhile. `phase`: forward, backward or optimization. `source`: the
    user's line, 'model.py:12'. `nbytes`: the bytes of the results that are no views. `flops`: floating-point
    operations, where they were asked for.
    """

    kind: str
    name: str
    phase: str
    begin: int
    duration: int
    own: int
    thread: int
    source: str = ""
    shapes: str = ""
    nbytes: int = 0
    flops: int = 0


class ProfilerResult:
    """The events of one recording. `memory`: (time, bytes in use) after each change, where memory was asked for."""

    def __init__(self, events: list[Event], begin: int, end: int, memory: list[tuple[int, int]], peak_bytes: int = 0):
        self.events = events
        self.begin, self.end = begin, end
        self.memory, self.peak_bytes = memory, peak_bytes

    @property
    def duration(self) -> int:
        """The nanoseconds of the recording."""
        return self.end - self.begin

    def of_kind(self, *kinds: str) -> list[Event]:
        """The events of these kinds."""
        return [event for event in self.events if event.kind in kinds]

    def __repr__(self) -> str:
        return f"ProfilerResult({len(self.events)} events in {self.duration / 1e6:.3f} ms)"

"""Events summed up: by operator, by the user's line, by what the step was doing. Knows nothing of how it is shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable

from . import events
from .events import Event, ProfilerResult

COMPUTING = (events.OPERATOR, events.PROGRAM)


@dataclasses.dataclass
class Row:
    """Some events that belong together. Times are nanoseconds; `own` leaves out the operators inside."""

    name: str
    shapes: str = ""
    phase: str = ""
    calls: int = 0
    total: int = 0
    own: int = 0
    max: int = 0
    min: int = 0
    nbytes: int = 0
    flops: int = 0
    inner: dict[str, int] = dataclasses.field(default_factory=dict)  # own time by the events' names

    @property
    def avg(self) -> float:
        """Time a call."""
        return self.total / self.calls if self.calls else 0.0

    def add(self, event: Event) -> None:
        """Counts an event in."""
        self.min = event.duration if not self.calls else min(self.min, event.duration)
        self.max = max(self.max, event.duration)
        self.calls += 1
        self.total += event.duration
        self.own += event.own
        self.nbytes += event.nbytes
        self.flops += event.flops
        self.inner[event.name] = self.inner.get(event.name, 0) + event.own


def grouped(found: Iterable[Event], key: Callable[[Event], Hashable], make: Callable[[Event], Row]) -> list[Row]:
    """A row for each key."""
    rows: dict[Hashable, Row] = {}
    for event in found:
        place = key(event)
        row = rows.get(place)
        if row is None:
            row = rows[place] = make(event)
        row.add(event)
    return list(rows.values())


def by_operator(result: ProfilerResult, shapes: bool) -> list[Row]:
    """A row for each operator of each phase, and with `shapes` for each shape of its inputs."""
    return grouped(result.of_kind(*COMPUTING), lambda e: (e.name, e.phase, e.shapes if shapes else ""),
                   lambda e: Row(e.name, e.shapes if shapes else "", e.phase))


def by_line(result: ProfilerResult) -> list[Row]:
    """A row for each of the user's lines."""
    return grouped(result.of_kind(*COMPUTING), lambda e: e.source, lambda e: Row(e.source))


def by_phase(result: ProfilerResult) -> list[Row]:
    """Rows for the phases: waiting for data, forward, backward, optimization."""
    found = result.of_kind(*COMPUTING, events.READER)
    rows = grouped(found, lambda e: e.name if e.kind == events.READER else e.phase,
                   lambda e: Row(e.name if e.kind == events.READER else e.phase))
    order = ["DataLoader", events.FORWARD, events.BACKWARD, events.OPTIMIZATION]
    return sorted(rows, key=lambda row: order.index(row.name) if row.name in order else len(order))


def by_name(result: ProfilerResult, kind: str) -> list[Row]:
    """A row for each name among the events of a kind."""
    return grouped(result.of_kind(kind), lambda e: e.name, lambda e: Row(e.name))

"""The benchmark timer: what a step costs, how much of it is waiting for data, and samples a second."""

from __future__ import annotations

import time
from typing import Any

from ..ops.core.observer import Observer


class _Costs:
    """Steps since some moment: their time, the part of it spent waiting for batches, and their samples."""

    def __init__(self) -> None:
        self.steps, self.samples, self.seconds, self.waiting = 0, 0, 0.0, 0.0
        self.counted = True  # every step said how many samples it had
        self.read = False

    def add(self, seconds: float, waiting: float, read: bool, samples: int | None) -> None:
        self.steps += 1
        self.seconds += seconds
        self.waiting += waiting
        self.read = self.read or read
        self.counted = self.counted and samples is not None
        self.samples += samples or 0

    def rate(self) -> float:
        """Samples a second, or steps a second where a step did not say how many samples it had."""
        return (self.samples if self.counted else self.steps) / self.seconds if self.seconds else 0.0

    def text(self, unit: str | None) -> str:
        if not self.steps:
            return ""
        what = (unit or "samples") if self.counted else "steps"
        reader = f" reader_cost: {self.waiting / self.steps:.5f} s" if self.read else ""
        return f"{reader} batch_cost: {self.seconds / self.steps:.5f} s ips: {self.rate():.3f} {what}/s"


class StepTimer(Observer):
    """Times steps between `begin` and `step` calls; hears from DataLoaders of this thread how long was waited."""

    def __init__(self) -> None:
        self.total = _Costs()
        self._recent = _Costs()
        self._begun = time.perf_counter()
        self._waiting, self._read = 0.0, False

    def batch_read(self, begin: float, end: float) -> None:
        """Adds to what this step has waited."""
        self._waiting += end - max(begin, self._begun)
        self._read = True

    def step(self, samples: int | None) -> None:
        """Ends a step of so many samples."""
        now = time.perf_counter()
        for costs in (self.total, self._recent):
            costs.add(now - self._begun, self._waiting, self._read, samples)
        self._begun, self._waiting, self._read = now, 0.0, False

    def info(self, unit: Any) -> str:
        """The averages since this was last asked."""
        text = self._recent.text(unit)
        self._recent = _Costs()
        return text

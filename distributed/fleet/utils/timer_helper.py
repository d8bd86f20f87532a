"""Timers by name, which parts of a training share."""

from __future__ import annotations

import time
from collections.abc import Iterable

from ....device import synchronize

__all__ = ["Timers", "get_timers", "is_timer_initialized", "set_timers"]


class _Timer:
    """How long passed between starts and stops, in seconds, once the device has done its work."""

    def __init__(self, name: str):
        self.name = name
        self.reset()

    def reset(self) -> None:
        self.elapsed_, self.started_, self.start_time = 0.0, False, time.time()

    def start(self) -> None:
        if self.started_:
            raise RuntimeError(f"timer {self.name!r}: start() before it was stopped.")
        synchronize()
        self.start_time, self.started_ = time.time(), True

    def stop(self) -> None:
        if not self.started_:
            raise RuntimeError(f"timer {self.name!r}: stop() before it was started.")
        synchronize()
        self.elapsed_, self.started_ = self.elapsed_ + time.time() - self.start_time, False

    def elapsed(self, reset: bool = True) -> float:
        running = self.started_
        if running:
            self.stop()
        passed = self.elapsed_
        if reset:
            self.reset()
        if running:
            self.start()
        return passed


class Timers:
    """Timers by name, made when they are first asked for.

    >>> from proa.distributed.fleet.utils.timer_helper import Timers
    >>> timers = Timers()
    >>> timers("read").start(); timers("read").stop(); timers("read").elapsed() >= 0
    True
    """

    def __init__(self) -> None:
        self.timers: dict[str, _Timer] = {}

    def __call__(self, name: str) -> _Timer:
        """The timer with this name."""
        return self.timers.setdefault(name, _Timer(name))

    def log(self, names: Iterable[str], normalizer: float = 1.0, reset: bool = True) -> None:
        """Prints the times in milliseconds, divided by `normalizer`."""
        if normalizer <= 0:
            raise ValueError(f"Timers.log(normalizer): must be above 0. Received {normalizer}.")
        times = {name: self.timers[name].elapsed(reset) * 1000 / normalizer for name in names}
        print("time (ms)", *(f"{name}: {passed:.2f}" for name, passed in times.items()), sep=" | ", flush=True)


_timers: list[Timers] = []


def is_timer_initialized() -> bool:
    """Whether `set_timers` was called."""
    return bool(_timers)


def get_timers() -> Timers:
    """The timers of this process. Raises AssertionError before `set_timers`, which packages of Paddle's catch."""
    if not _timers:
        raise AssertionError("get_timers(): there are none. Call set_timers() first.")
    return _timers[0]


def set_timers() -> None:
    """Makes the timers of this process. Raises RuntimeError where there are some."""
    if _timers:
        raise RuntimeError("set_timers(): was called before. Use get_timers().")
    _timers.append(Timers())

"""Runs that may take so much: what the lines of a plan call where its Program has limits.

Rounds are counted over all loops of a run. Memory is counted where operators give results: what a run was given and
made, and what still lives of that. An array that would not fit beside it is refused before NumPy allocates it
(`backend/allocation.py`), whatever asks for it: an operator's result of which only a run knows the size, or a value in
between. On a device the results alone are counted.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend.allocation import asking
from ...core.limits import LimitError, Limits, too_large, too_many


class _Run:
    """What one run has taken."""

    def __init__(self, limit: int, arrays: tuple):
        self.limit, self.held, self.rounds = limit, 0, 0
        self._owners: dict[int, Any] = {id(array): None for array in map(_owner, arrays)}

    def allows(self, size: int) -> bool:
        """Whether an array of so many bytes fits beside what is held."""
        return self.held + size <= self.limit

    def take(self, value: Any) -> None:
        """Counts what a result holds, unless it is part of what was counted."""
        if isinstance(value, np.generic):
            return
        if isinstance(value, (tuple, list)):
            for item in value:
                self.take(item)
            return
        if not hasattr(value, "dtype"):  # a list of a Program, whose items were counted
            return
        owner = _owner(value)
        key, size = id(owner), int(owner.nbytes)
        if key in self._owners:
            return

        def gone(_: Any) -> None:
            self.held -= size
            self._owners.pop(key, None)

        self._owners[key] = weakref.ref(owner, gone)
        self.held += size


def _owner(array: Any) -> Any:
    """The array that has the memory of another."""
    base = getattr(array, "base", None)
    while base is not None and hasattr(base, "nbytes") and hasattr(base, "dtype"):
        array, base = base, base.base
    return array


class _Now(threading.local):
    run: _Run | None = None


_now = _Now()


class Limited:
    """The limits of a plan, as its lines call them; without state, so that a plan with it can be kept on disk."""

    def __init__(self, limits: Limits):
        self.limits = limits

    def around(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """The code of a plan as one run, which begins with nothing taken."""
        def limited(xp: Any, *arrays: Any) -> Any:
            before, _now.run = _now.run, _Run(self.limits.memory_mb << 20, arrays)
            try:
                if self.limits.memory_mb == 0 or xp is not np:
                    return run(xp, *arrays)
                with asking(_now.run.allows):
                    return run(xp, *arrays)
            finally:
                _now.run = before

        return limited

    def round(self) -> None:
        """Counts a round of a loop. LimitError where it is one too many."""
        run = _now.run
        assert run is not None
        run.rounds += 1
        if run.rounds > self.limits.loop_rounds > 0:
            raise LimitError(too_many(self.limits.loop_rounds))

    def call(self, kernel: Callable[..., Any], /, *arguments: Any, **attrs: Any) -> Any:
        """Runs a kernel and counts what it gives. LimitError where that is more than there may be."""
        run = _now.run
        assert run is not None
        try:
            results = kernel(*arguments, **attrs)
        except MemoryError as error:
            raise self._too_much(run, str(error) or "the memory of the machine does not suffice") from error
        run.take(results)
        if run.held > run.limit:
            raise self._too_much(run, "the results are larger")
        return results

    def _too_much(self, run: _Run, reason: str) -> LimitError:
        held = f"{reason}, beside {run.held / 2**20:.1f} MB that are taken"
        return LimitError(too_large(held, self.limits.memory_mb))

"""Learning rates in a Program: variables that hold what the host says, `HostValue`."""

from __future__ import annotations

import weakref
from collections.abc import Callable, MutableMapping
from typing import Any


class HostValue:
    """A number of the host that runs are to find in a variable: a learning rate. Copies of the Program share it.

    `source` gives the number. With `scheduled` it is written where it has moved since it was last written to a scope,
    so that what somebody has put there in between, or loaded, stays; but each run where `scheduled()` holds. Without,
    each run asks `source` once, which may count.
    """

    def __init__(self, source: Callable[[], float], scheduled: Callable[[], bool] | None = None):
        self.source, self._scheduled = source, scheduled
        self.first = 0.0 if scheduled is None else source()  # what the startup Program writes
        self._written: MutableMapping[Any, float] = weakref.WeakKeyDictionary()  # by scope

    def due(self, scope: Any, is_there: bool) -> float | None:
        """The number to be written to this scope now, before a run; None where what is there holds."""
        number = self.source()
        if self._scheduled is None:
            return number
        if is_there and not self._scheduled() and number == self._written.get(scope, self.first):
            return None
        self._written[scope] = number
        return number

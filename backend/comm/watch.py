"""A watch over exchanges that are queued on devices: what they use stays in memory, and what never ends is ended.

The host does not wait for a device's exchanges, so somebody else must: one thread of the process looks at those that
are on their way.
"""

from __future__ import annotations

import collections
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

_PAUSE_S = 0.005


class Queued(NamedTuple):
    """An exchange on its way: `is_over()` asks the device, or raises what has gone wrong; `fail(seconds)` ends it.

    `held` are the arrays that the device reads and writes meanwhile.
    """

    is_over: Callable[[], bool]
    fail: Callable[[BaseException | float], None]
    limit: float
    held: tuple[Any, ...]


class Watch:
    """Looks at exchanges in the order in which they were queued, while there are any."""

    def __init__(self) -> None:
        self._queued: collections.deque[tuple[float, Queued]] = collections.deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, exchange: Queued) -> None:
        """Watches one more."""
        with self._lock:
            self._queued.append((time.monotonic() + exchange.limit, exchange))
            if self._thread is None:
                self._thread = threading.Thread(target=self._look, name="proa-device-exchanges", daemon=True)
                self._thread.start()

    def is_idle(self) -> bool:
        """Whether nothing is on its way."""
        with self._lock:
            return not self._queued

    def _look(self) -> None:
        while True:
            with self._lock:
                if not self._queued:
                    self._thread = None
                    return
                until, exchange = self._queued[0]
            try:
                is_over, found = exchange.is_over(), None
            except Exception as error:  # it ends the exchange, and `fail` says so
                is_over, found = False, error
            if is_over:
                with self._lock:
                    self._queued.popleft()
            elif found is not None or time.monotonic() > until:
                with self._lock:
                    self._queued.popleft()
                exchange.fail(exchange.limit if found is None else found)
            else:
                time.sleep(_PAUSE_S)


watch = Watch()

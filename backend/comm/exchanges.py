"""Exchanges that go on while a process computes: one thread does them, in the order in which they were begun.

That order is the same in all processes, because their programs are, so that no two wait for each other. An exchange
that is waited for at once is done by the caller itself, when no other is on its way.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any


class Exchange:
    """One that was begun: `wait()` gives its result, or raises what it raised."""

    def __init__(self, do: Callable[[], Any]):
        self._do, self._done = do, threading.Event()
        self._result: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        """Does it."""
        try:
            self._result = self._do()
        except BaseException as error:  # it is raised where somebody waits
            self._error = error
        finally:
            self._done.set()

    def is_completed(self) -> bool:
        """Whether it is over."""
        return self._done.is_set()

    def wait(self) -> Any:
        """What it gave, once it is over."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._result


class _Line:
    """The exchanges that are on their way, and the thread that does them."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Exchange] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._last: Exchange | None = None

    def begin(self, do: Callable[[], Any]) -> Exchange:
        """Has the thread do it after all that was begun before."""
        exchange = Exchange(do)
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="proa-exchanges", daemon=True)
                self._thread.start()
            self._last = exchange
            self._waiting.put(exchange)
        return exchange

    def do(self, what: Callable[[], Any]) -> Any:
        """Its result, after all that was begun before."""
        last = self._last
        if last is None or last.is_completed() or threading.current_thread() is self._thread:
            return what()
        return self.begin(what).wait()

    def _work(self) -> None:
        while True:
            self._waiting.get().run()


_line = _Line()
begin, do = _line.begin, _line.do

"""Exchanges that go on while a process computes: one thread does them, in the order in which they were begun.

That order is the same in all processes, because their programs are, so that no two wait for each other. An exchange
that is waited for at once is done by the caller itself, when no other is on its way.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

watchers: list[Callable[[str, int, int], Any]] = []
"""Told of each exchange that was begun, by the thread that did it: its name, and from when till when it went on, in
nanoseconds of `time.perf_counter_ns`."""


class Exchange:
    """One that was begun: `wait()` gives its result, or raises what it raised."""

    __slots__ = ("name", "_do", "_is_going_on", "_result", "_error")

    def __init__(self, do: Callable[[], Any], name: str):
        self.name = name
        self._do: Callable[[], Any] | None = do
        self._is_going_on = threading.Lock()
        self._is_going_on.acquire()
        self._result: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        """Does it."""
        assert self._do is not None
        begin = time.perf_counter_ns()
        try:
            self._result = self._do()
        except BaseException as error:  # it is raised where somebody waits
            self._error = error
        finally:
            self._do = None  # and what it holds
            try:
                self._tell(begin, time.perf_counter_ns())
            finally:
                self._is_going_on.release()

    def _tell(self, begin: int, end: int) -> None:
        """Tells those that watch; what one of them raises is raised where somebody waits, too."""
        for watcher in tuple(watchers):
            try:
                watcher(self.name, begin, end)
            except Exception as error:
                self._error = self._error or error

    def is_completed(self) -> bool:
        """Whether it is over."""
        return not self._is_going_on.locked()

    def wait(self) -> Any:
        """What it gave, once it is over."""
        if self._do is not None:
            _line.wait(self._is_going_on)
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
        self._awaited = 0
        self._awaited_since = 0.0

    def begin(self, do: Callable[[], Any], at_once: bool = False, name: str = "exchange") -> Exchange:
        """Has the thread do it after all that was begun before.

        `at_once`: the caller has nothing to compute meanwhile, and does it where nothing is on its way. `name` is for
        who watches.
        """
        exchange = Exchange(do, name)
        if at_once and self._is_free():
            exchange.run()
            return exchange
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="proa-exchanges", daemon=True)
                self._thread.start()
            self._last = exchange
            self._waiting.put(exchange)
        return exchange

    def do(self, what: Callable[[], Any]) -> Any:
        """Its result, after all that was begun before."""
        return what() if self._is_free() else self.begin(what).wait()

    def wait(self, is_going_on: threading.Lock) -> None:
        """Waits for one of them."""
        with self._lock:
            if not self._awaited:
                self._awaited_since = time.monotonic()
            self._awaited += 1
        is_going_on.acquire()
        is_going_on.release()
        with self._lock:
            self._awaited -= 1

    def awaited_since(self, begun: float) -> float | None:
        """See the function of this name."""
        if threading.current_thread() is not self._thread:
            return begun
        return max(begun, self._awaited_since) if self._awaited else None

    def _is_free(self) -> bool:
        return self._last is None or self._last.is_completed() or threading.current_thread() is self._thread

    def _work(self) -> None:
        while True:
            self._waiting.get().run()


_line = _Line()
begin, do = _line.begin, _line.do


def awaited_since(begun: float) -> float | None:
    """Since when somebody waits for the exchange that the caller does and has `begun`, by `time.monotonic`.

    None while this process computes meanwhile: who then looks for what others send takes the processor from it.
    """
    return _line.awaited_since(begun)

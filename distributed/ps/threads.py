"""Threads that carry messages, and do not keep a process that ends: an error of the script, or Ctrl-C, ends it at once.

Those of `concurrent.futures` would wait for a message to a silent server until its deadline.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any, TypeVar

_T = TypeVar("_T")
_R = TypeVar("_R")


class Threads:
    """At most `count` threads."""

    def __init__(self, count: int):
        self._count, self._started = count, 0
        self._lock = threading.Lock()
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[..., Any], tuple] | None] = queue.SimpleQueue()

    def submit(self, do: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Has a thread do something: a future of what it gives or raises."""
        future: Future[Any] = Future()
        with self._lock:
            self._jobs.put((future, do, arguments))
            if self._started < self._count:
                self._started += 1
                threading.Thread(target=self._work, name="proa-ps-client", daemon=True).start()
        return future

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, do, arguments = job
            try:
                future.set_result(do(*arguments))
            except BaseException as error:
                future.set_exception(error)
            del job, future, do, arguments

    def shutdown(self) -> None:
        """Ends the threads, when they have done what they were given."""
        for _ in range(self._started):
            self._jobs.put(None)


def for_all(items: Iterable[_T], do: Callable[[_T], _R], at_once: int = 32) -> list[_R]:
    """What `do` gives for each, in order, by threads; the first error is raised when all are done."""
    listed = list(items)
    if len(listed) < 2:
        return [do(each) for each in listed]
    threads = Threads(min(len(listed), at_once))
    futures = [threads.submit(do, each) for each in listed]
    threads.shutdown()
    errors = [future.exception() for future in futures]
    for error in errors:
        if error is not None:
            raise error
    return [future.result() for future in futures]

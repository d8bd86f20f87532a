"""Work: what the serving thread does, one thing after the other, and the error that ends it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from .errors import RefusedError, UpdateError, WaitedTooLongError


class Work:
    """The things to do of the server at `endpoint`; `changed` is told when one fails."""

    def __init__(self, endpoint: str, changed: threading.Condition):
        self.endpoint = endpoint
        self.failure: BaseException | None = None
        self.is_stopped = False
        self.current: Future[Any] | None = None  # the answer to what the serving thread does now
        self._changed = changed
        self._jobs: queue.Queue[tuple[Callable[[], Any], Future[Any]] | None] = queue.Queue()

    @property
    def has_ended(self) -> bool:
        """Whether nothing is done any more."""
        return self.is_stopped or self.failure is not None

    def do(self, what: Callable[[], Any]) -> Future[Any]:
        """Has the serving thread do something. The server's error where it has ended."""
        if self.has_ended:
            raise self.as_answer()
        answer: Future[Any] = Future()
        self._jobs.put((what, answer))
        return answer

    def wake(self) -> None:
        """Has `next` return."""
        self._jobs.put(None)

    def next(self, timeout: float) -> None:
        """Does the next thing, or waits for one so long. RefusedError is its answer; another error ends the work."""
        try:
            job = self._jobs.get(timeout=timeout)
        except queue.Empty:
            return
        if job is None:
            return
        do, answer = job
        self.current = answer
        try:
            result = do()
        except RefusedError as error:
            answer.set_exception(error)
        except BaseException as error:
            self.fail(error)
            answer.set_exception(self.as_answer())
            if not isinstance(error, Exception):
                raise
        else:
            answer.set_result(result)
        finally:
            self.current = None

    def fail(self, error: BaseException) -> None:
        """Ends the work by an error; the first one counts."""
        with self._changed:
            self.failure = self.failure or error
            self._changed.notify_all()

    def end(self) -> None:
        """Ends the work: what is left to do is answered with the reason."""
        with self._changed:
            self.is_stopped = True
            self._changed.notify_all()
        while not self._jobs.empty():
            job = self._jobs.get()
            if job is not None:
                job[1].set_exception(self.as_answer())

    def as_answer(self) -> Exception:
        """The error that trainers get once the work has ended."""
        error = self.failure
        if error is None:
            return UpdateError(f"The parameter server {self.endpoint} was stopped.")
        if isinstance(error, WaitedTooLongError):
            return error
        return UpdateError(f"The parameter server {self.endpoint} has ended with {type(error).__name__}: {error}")

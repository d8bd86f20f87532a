"""What a server knows of its trainers: which process each is, when it was last heard of, which calls it has made."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from . import messages_pb2 as pb
from .errors import RefusedError
from .values import Parts

_MOST_CALLS = 4096  # of one trainer whose answers are kept
_MOST_FORMER = 256  # processes whose late messages are known


class Trainer:
    """One trainer. A process with another number takes the place of the one before."""

    def __init__(self, number: int):
        self.number = number
        self.process = 0
        self.has_completed = False
        self.answers: dict[int, Future[Any]] = {}
        self.finished = 0
        self.parts: dict[int, Parts] = {}
        self.heard: float | None = None
        self._former: OrderedDict[int, None] = OrderedDict()

    def hear(self, caller: pb.Caller) -> bool:
        """Takes note of a message; whether it is the first one of another process."""
        if caller.process in self._former:
            raise RefusedError(f"Another process has begun as trainer {self.number} since this one did: each needs a "
                               f"number of its own (PADDLE_TRAINER_ID).")
        if not caller.process:
            raise RefusedError("A caller says which process it is.")
        self.heard = time.monotonic()
        is_new = caller.process != self.process
        if is_new:
            self._begin(caller.process)
        self._forget(caller.finished)
        return is_new

    def _begin(self, process: int) -> None:
        if self.process:
            self._former[self.process] = None
            if len(self._former) > _MOST_FORMER:
                self._former.popitem(last=False)
        self.process, self.has_completed, self.finished = process, False, 0
        self.answers.clear()
        self.parts.clear()

    def _forget(self, finished: int) -> None:
        if finished > self.finished:
            self.finished = finished
            for kept in (self.answers, self.parts):
                for sequence in [each for each in kept if each <= finished]:
                    del kept[sequence]

    def answer(self, sequence: int, begin: Callable[[], Future[Any]]) -> Future[Any]:
        """The answer to a call, which is begun where it has not been."""
        if not sequence:
            raise RefusedError("A call that changes something has a number above 0.")
        found = self.known(sequence)
        if found is None:
            if len(self.answers) >= _MOST_CALLS:
                raise RefusedError(f"Trainer {self.number} has {_MOST_CALLS} calls that it has not said are over.")
            found = self.answers[sequence] = begin()
        return found

    def known(self, sequence: int) -> Future[Any] | None:
        """The answer to a call that has come before; None for one that has not."""
        if sequence <= self.finished:
            return done(None)
        return self.answers.get(sequence)

    def silence(self, begun: float) -> float:
        """For how many seconds it has not been heard of; from the server's begin on where it never was."""
        return time.monotonic() - (begun if self.heard is None else self.heard)

    def __str__(self) -> str:
        if self.heard is None:
            return f"trainer {self.number} (never heard of)"
        return f"trainer {self.number} (last heard of {time.monotonic() - self.heard:.0f} s ago)"


def done(result: Any) -> Future[Any]:
    """An answer that is there."""
    future: Future[Any] = Future()
    future.set_result(result)
    return future

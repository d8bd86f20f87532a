"""ServerState: what a server holds, who its trainers are, and how values come in; the requests' handlers share it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, MutableMapping
from concurrent.futures import Future, wait
from typing import Any, NamedTuple

import numpy as np

from . import messages_pb2 as pb
from .errors import RefusedError
from .options import Options
from .rounds import Round
from .sparse_table import SparseTable
from .trainers import Trainer
from .values import Described, Parts, Value, part_of
from .work import Work

SYNC, ASYNC, HALF_ASYNC, GEO = MODES = ("sync", "async", "half_async", "geo")


class Update(NamedTuple):
    """What is done with the gradient of a parameter.

    `run(values)` gets the values by the numbers of the trainers that sent them, in order: those of all in sync mode,
    that of one otherwise. It puts them together as it likes, and changes the variables.
    """

    parameter: str
    run: Callable[[dict[int, Value]], Any]


class ServerState:
    """The state of one server. What handlers change of it they change in its lock, `changed`."""

    def __init__(self, endpoint: str, trainers: int, mode: str, variables: MutableMapping[str, np.ndarray],
                 updates: Mapping[str, Update], tables: Mapping[str, SparseTable],
                 before_updates: Callable[[], Any] | None, options: Options):
        if mode not in MODES:
            raise ValueError(f"Server(mode): one of {', '.join(MODES)}. Received {mode!r}.")
        if trainers < 1:
            raise ValueError(f"Server(trainers): at least one. Received {trainers}.")
        self.endpoint, self.mode, self.options = endpoint, mode, options
        self.variables, self.updates, self.tables = variables, dict(updates), dict(tables)
        self.before_updates = before_updates
        self.process = int.from_bytes(os.urandom(8), "little") | 1
        self.trainers = [Trainer(number) for number in range(trainers)]
        self.changed = threading.Condition()
        self.work = Work(endpoint, self.changed)
        self.round = Round()
        self.rounds_done = 0
        self.begun = time.monotonic()
        self.after_change: Callable[[], Any] = lambda: None  # in the serving thread, when something was updated
        self.began_again: list[Callable[[int], Any]] = [lambda trainer: self.round.forget(trainer)]

    def working(self) -> list[Trainer]:
        """The trainers that have not completed."""
        return [each for each in self.trainers if not each.has_completed]

    def trainer(self, request: pb.Request) -> Trainer:
        """The trainer that asks; in the lock."""
        caller = request.caller
        if caller.trainer >= len(self.trainers):
            raise RefusedError(f"There are {len(self.trainers)} trainers, numbered from 0 on. Received a message of "
                               f"trainer {caller.trainer}.")
        trainer = self.trainers[caller.trainer]
        if trainer.hear(caller):
            for forget in self.began_again:
                forget(trainer.number)
        return trainer

    def reply(self, **fields: Any) -> pb.Reply:
        """A reply."""
        return pb.Reply(process=self.process, round=self.round.number, **fields)

    def answered(self, answer: Future[Any]) -> pb.Reply:
        """The reply to a call that changes something; that it is not done yet, after `options.poll` seconds.

        What the call gives is a Reply's fields, or None.
        """
        if not wait([answer], self.options.poll).done:
            return self.reply(waits=True, text=f"the parameter server {self.endpoint} is at work")
        return self.reply(**(answer.result() or {}))

    def once(self, request: pb.Request, begin: Callable[[Trainer], Future[Any]]) -> pb.Reply:
        """A call that is done once, however often it comes."""
        with self.changed:
            trainer = self.trainer(request)
            answer = trainer.answer(request.caller.sequence, lambda: begin(trainer))
        return self.answered(answer)

    def taken(self, request: pb.Request, check: Callable[[Described], None],
              use: Callable[[Trainer, Value], Future[Any]]) -> pb.Reply:
        """Takes a value, or a part of one; what is whole is used once, in the lock."""
        described = Described.of(request, self.options.value_bytes)
        check(described)
        part, sequence = part_of(request), request.caller.sequence
        with self.changed:
            trainer = self.trainer(request)
            answer = trainer.known(sequence)
            if answer is None:
                value = self._whole(trainer, described, request, part)
                if value is None:
                    return self.reply()
                answer = trainer.answer(sequence, lambda: use(trainer, value))
        return self.answered(answer)

    def _whole(self, trainer: Trainer, described: Described, request: pb.Request, part: bytes) -> Value | None:
        """The value, if this part completes it."""
        if not request.offset and len(part) == described.total:
            return described.value(part)
        sequence = request.caller.sequence
        parts = trainer.parts.get(sequence)
        if parts is None:
            if sum(each.nbytes for each in trainer.parts.values()) + described.total > self.options.value_bytes:
                raise RefusedError(f"Trainer {trainer.number} has begun to send more than {self.options.value_bytes} "
                                   f"bytes (Options.value_bytes) that are not complete.")
            parts = trainer.parts[sequence] = Parts(described)
        if not parts.put(request.offset, part):
            return None
        return trainer.parts.pop(sequence).value()


def some(names: Any) -> str:
    """Some of these names, for an error."""
    listed = list(names)
    shown = ", ".join(listed[:8])
    return (shown or "nothing") if len(listed) <= 8 else f"{shown} and {len(listed) - 8} more"

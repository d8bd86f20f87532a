"""Gathering: what every trainer has, for every trainer: an array of each, of one shape and dtype."""

from __future__ import annotations

import time
from concurrent.futures import Future, wait

import numpy as np

from . import messages_pb2 as pb
from .errors import RefusedError, WaitedTooLongError
from .grpc_service import Handler
from .state import ServerState
from .values import Described, part_of


class Gathering:
    """Values of all trainers, one after the other: the next begins when all have come to this one."""

    def __init__(self, trainers: int):
        self._trainers = trainers
        self._begin()

    def _begin(self) -> None:
        self._values: dict[int, np.ndarray] = {}
        self._all: Future[np.ndarray] = Future()
        self._since = time.monotonic()

    def put(self, trainer: int, value: np.ndarray) -> Future[np.ndarray]:
        """A trainer's value; all of them, [trainers, …], once they are there."""
        if not self._values:
            self._since = time.monotonic()
        self._values[trainer] = value
        answer = self._all
        if len(self._values) == self._trainers:
            values = [self._values[number] for number in range(self._trainers)]
            self._begin()
            kinds = {(value.dtype.name, value.shape) for value in values}
            if len(kinds) == 1:
                answer.set_result(np.stack(values))
            else:
                answer.set_exception(RefusedError("All trainers gather values of one shape and dtype. Received, by "
                                                  "trainer: " + ", ".join(f"{value.dtype.name} {list(value.shape)}"
                                                                          for value in values) + "."))
        return answer

    def forget(self, trainer: int) -> None:
        """Drops a trainer's value: another process begins again in its place."""
        self._values.pop(trainer, None)

    def missing(self) -> list[int]:
        """Which trainers are waited for."""
        return [number for number in range(self._trainers) if number not in self._values]

    def waited(self) -> float:
        """For how many seconds the first that came has been waiting."""
        return time.monotonic() - self._since if self._values else 0.0


class GatherRequests:
    """The handler, on a server's state."""

    def __init__(self, state: ServerState):
        self._state, self._gathering = state, Gathering(len(state.trainers))
        state.began_again.append(self._gathering.forget)

    def handlers(self) -> dict[str, Handler]:
        """By the name of the service's method."""
        return {"Gather": self._gather}

    def _gather(self, request: pb.Request) -> pb.Reply:
        state = self._state
        described = Described.of(request, state.options.message_bytes // len(state.trainers))
        part = part_of(request)
        if request.has_rows or len(part) != described.total:
            raise RefusedError("A value that trainers gather is an array, in one message.")
        with state.changed:
            trainer = state.trainer(request)
            value = np.asarray(described.value(part))
            answer = trainer.answer(request.caller.sequence, lambda: self._gathering.put(trainer.number, value))
        if not wait([answer], state.options.poll).done:
            return state.reply(waits=True, text=self._waits_for(trainer.number))
        reply, found = state.reply(), answer.result()
        reply.value.dtype, reply.value.data = found.dtype.name, found.tobytes()
        reply.value.shape.extend(found.shape)
        return reply

    def _waits_for(self, trainer: int) -> str:
        """Whose values are waited for; WaitedTooLongError where they do not come, and this trainer's counts no more."""
        state = self._state
        with state.changed:
            waited, missing = self._gathering.waited(), [state.trainers[n] for n in self._gathering.missing()]
        names = ", ".join(map(str, missing))
        if any(each.has_completed for each in missing) or waited > state.options.deadline:
            with state.changed:
                self._gathering.forget(trainer)
        if any(each.has_completed for each in missing):
            raise WaitedTooLongError(f"Trainers gather values, and some have completed without theirs: {names}.")
        if waited > state.options.deadline:
            raise WaitedTooLongError(f"The values of {names} have been waited for, for {waited:.0f} s, longer than "
                                     f"{state.options.deadline:g} s (FLAGS_communication_timeout).")
        return f"the parameter server {state.endpoint} waits for the values of {names}"

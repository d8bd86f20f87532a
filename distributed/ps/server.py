"""Server: a process that holds variables and tables, takes what trainers send and updates them.

The thread that calls `serve` does all updates of variables, one after the other, so that an update may be a Program run
by that thread's Executor. gRPC's threads check what comes, keep it, and wait for what they have to answer.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Mapping, MutableMapping
from concurrent.futures import Future, wait
from typing import Any, NamedTuple

import numpy as np

from ...core.selected_rows import SelectedRows
from . import grpc_service
from . import messages_pb2 as pb
from .errors import RefusedError, UpdateError, WaitedTooLongError
from .options import Options
from .rounds import Round
from .trainers import Trainer, done
from .values import Described, Parts, Spec, Value, check_rows, part_of

SYNC, ASYNC, HALF_ASYNC, GEO = MODES = ("sync", "async", "half_async", "geo")
_LOOKS_S = 0.5  # how often the server looks whether somebody has been waited for too long
_GRACE_S = 5.0  # how long answers may take to leave when the server ends


class Update(NamedTuple):
    """What is done with the gradient of a parameter.

    `run(values)` gets the values by the numbers of the trainers that sent them, in order: those of all in sync mode,
    that of one otherwise. It puts them together as it likes, and changes the variables.
    """

    parameter: str
    run: Callable[[dict[int, Value]], Any]


class Server:
    """A parameter server at `endpoint` (`HOST:PORT`; port 0 takes a free one, see `port`) for so many trainers.

    mode: "sync": a round ends when every trainer has sent its gradients and `send_barrier`; then `before_updates` and
        all updates run, and the parameters can be read. "async": each gradient is used as it comes. "half_async": the
        same, and `send_barrier` waits for all trainers. "geo": what trainers send has the name of a variable and is
        added to it.
    variables: arrays by name; what trainers may read.
    updates: by the name of the gradient that trainers send.
    tables: `SparseTable`s by name.
    before_updates: called once a round; where there are no rounds, before the first of `updates`, for each trainer's
        step.
    """

    def __init__(self, endpoint: str, trainers: int, mode: str, variables: MutableMapping[str, np.ndarray],
                 updates: Mapping[str, Update] | None = None, tables: Mapping[str, Any] | None = None,
                 before_updates: Callable[[], Any] | None = None, options: Options | None = None):
        if mode not in MODES:
            raise ValueError(f"Server(mode): one of {', '.join(MODES)}. Received {mode!r}.")
        if trainers < 1:
            raise ValueError(f"Server(trainers): at least one. Received {trainers}.")
        self.endpoint, self.mode, self.options = endpoint, mode, options or Options()
        self.variables, self.updates, self.tables = variables, dict(updates or {}), dict(tables or {})
        self.process = int.from_bytes(os.urandom(8), "little") | 1
        self._before_updates = before_updates
        self._trainers = [Trainer(number) for number in range(trainers)]
        self._changed = threading.Condition()
        self._round = Round()
        self._jobs: queue.Queue[tuple[Callable[[], Any], Future[Any]] | None] = queue.Queue()
        self._failure: Exception | None = None
        self._is_stopped = False
        self._read: dict[tuple[int, str], np.ndarray] = {}
        self._begun = time.monotonic()
        self._grpc: Any = None
        self.port = 0

    # Its life

    def start(self) -> int:
        """Begins to listen; gives the port. `serve` does it where nobody has."""
        if self._grpc is None:
            handlers = {"Join": self._join, "Send": self._send, "SendBarrier": self._send_barrier,
                        "Receive": self._receive, "FetchBarrier": self._join, "LookUp": self._look_up,
                        "PushRows": self._push_rows, "Complete": self._complete}
            self._begun = time.monotonic()
            self._grpc, self.port = grpc_service.start(
                self.endpoint, handlers, 2 * len(self._trainers) + 6, self.options)
        return self.port

    def serve(self) -> None:
        """Works until every trainer has said that it has completed, or `stop` was called.

        Raises WaitedTooLongError where trainers are silent for `options.deadline` seconds, and what an update raised.
        """
        self.start()
        try:
            while not self._is_over():
                self._work()
        finally:
            with self._changed:
                self._is_stopped = True
                self._changed.notify_all()
            self._drop_jobs()
            self._grpc.stop(_GRACE_S).wait()
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """Has `serve` return; from another thread, or a signal's handler."""
        self._is_stopped = True
        self._jobs.put(None)

    def _is_over(self) -> bool:
        return self._is_stopped or self._failure is not None or all(each.has_completed for each in self._trainers)

    def _work(self) -> None:
        try:
            job = self._jobs.get(timeout=_LOOKS_S)
        except queue.Empty:
            self._look_for_silence()
            return
        if job is not None:
            do, answer = job
            try:
                answer.set_result(do())
            except RefusedError as error:
                answer.set_exception(error)
            except Exception as error:
                self._fail(error)
                answer.set_exception(self._as_answer())

    def _drop_jobs(self) -> None:
        while not self._jobs.empty():
            job = self._jobs.get()
            if job is not None:
                job[1].set_exception(self._as_answer())

    def _fail(self, error: Exception) -> None:
        with self._changed:
            self._failure = self._failure or error
            self._changed.notify_all()

    def _as_answer(self) -> Exception:
        """The error that trainers get once this server has failed."""
        error = self._failure
        if error is None:
            return UpdateError(f"The parameter server {self.endpoint} was stopped.")
        if isinstance(error, WaitedTooLongError):
            return error
        return UpdateError(f"The parameter server {self.endpoint} has ended with {type(error).__name__}: {error}")

    def _look_for_silence(self) -> None:
        limit = self.options.deadline
        with self._changed:
            expected = [each for each in self._trainers if not each.has_completed]
            if self._round.waited() > limit and not self._round.is_closing:
                self._fail(WaitedTooLongError(f"{self._waits_for()}. The limit is {limit:g} s "
                                              f"(FLAGS_communication_timeout)."))
            elif all(each.silence(self._begun) > limit for each in expected):
                self._fail(WaitedTooLongError(
                    f"The parameter server {self.endpoint} has not heard of {', '.join(map(str, expected))} for "
                    f"{limit:g} s (FLAGS_communication_timeout)."))

    def _waits_for(self) -> str:
        missing = self._round.missing(each.number for each in self._trainers if not each.has_completed)
        return (f"Round {self._round.number} of the parameter server {self.endpoint} has been waiting for "
                f"{self._round.waited():.0f} s for {', '.join(str(self._trainers[number]) for number in missing)}")

    # Who asks

    def _trainer(self, request: pb.Request) -> Trainer:
        """The trainer that asks; in the lock."""
        caller = request.caller
        if caller.trainer >= len(self._trainers):
            raise RefusedError(f"There are {len(self._trainers)} trainers, numbered from 0 on. Received a message of "
                               f"trainer {caller.trainer}.")
        trainer = self._trainers[caller.trainer]
        if trainer.hear(caller):
            self._round.forget(trainer.number)
            for key in [key for key in self._read if key[0] == trainer.number]:
                del self._read[key]
        return trainer

    def _reply(self, **fields: Any) -> pb.Reply:
        return pb.Reply(process=self.process, round=self._round.number, **fields)

    def _answered(self, answer: Future[Any]) -> pb.Reply:
        """The reply to a call that changes something; that it is not done yet after `options.poll` seconds."""
        if not wait([answer], self.options.poll).done:
            return self._reply(waits=True, text=f"The parameter server {self.endpoint} is at work on it")
        answer.result()
        return self._reply()

    def _do(self, what: Callable[[], Any]) -> Future[Any]:
        """Has the serving thread do something."""
        if self._is_over():
            raise self._as_answer()
        answer: Future[Any] = Future()
        self._jobs.put((what, answer))
        return answer

    # What trainers send

    def _join(self, request: pb.Request) -> pb.Reply:
        with self._changed:
            self._trainer(request)
        return self._reply(text=self.mode)

    def _send(self, request: pb.Request) -> pb.Reply:
        return self._taken(request, self._spec_of(request.name), self._use)

    def _spec_of(self, name: str) -> Spec:
        if self.mode == GEO and name in self.variables:
            return Spec.of(self.variables[name])
        if name not in self.updates:
            raise RefusedError(f"The parameter server {self.endpoint} takes nothing named {name!r}. It takes "
                               f"{_some(self.variables if self.mode == GEO else self.updates)}.")
        return Spec.of(self.variables[self.updates[name].parameter])

    def _use(self, trainer: Trainer, name: str, value: Value) -> Future[Any]:
        """What is done with a whole value; in the lock."""
        if self.mode == SYNC:
            self._round.put(name, trainer.number, value)
            return done(None)
        if self.mode == GEO:
            return self._do(lambda: self._add(name, value))
        return self._do(lambda: self._update_alone(trainer.number, name, value))

    def _taken(self, request: pb.Request, spec: Spec, use: Callable[[Trainer, str, Value], Future[Any]]) -> pb.Reply:
        """Takes a value, or a part of one; what is whole is used once."""
        described = Described.of(request, self.options.value_bytes)
        described.check(request.name, spec)
        part, sequence = part_of(request), request.caller.sequence
        with self._changed:
            trainer = self._trainer(request)
            answer = trainer.known(sequence)
            if answer is None:
                value = self._whole(trainer, sequence, described, request, part)
                if value is None:
                    return self._reply()
                check_rows(request.name, value)
                answer = trainer.answer(sequence, lambda: use(trainer, request.name, value))
        return self._answered(answer)

    def _whole(self, trainer: Trainer, sequence: int, described: Described, request: pb.Request,
               part: bytes) -> Value | None:
        """The value, if this part completes it."""
        if not request.offset and len(part) == described.total:
            return described.value(part)
        parts = trainer.parts.get(sequence)
        if parts is None:
            if sum(each.nbytes for each in trainer.parts.values()) + described.total > self.options.value_bytes:
                raise RefusedError(f"Trainer {trainer.number} has begun to send more than {self.options.value_bytes} "
                                   f"bytes (Options.value_bytes) that are not complete.")
            parts = trainer.parts[sequence] = Parts(described)
        if not parts.put(request.offset, part):
            return None
        return trainer.parts.pop(sequence).value()

    def _update_alone(self, trainer: int, name: str, value: Value) -> None:
        if self._before_updates is not None and name == next(iter(self.updates)):
            self._before_updates()
        self.updates[name].run({trainer: value})

    def _add(self, name: str, change: Value) -> None:
        new = np.array(self.variables[name])
        if isinstance(change, SelectedRows):
            merged = change.merge()
            new[merged.rows] += merged.values
        else:
            new += change
        self.variables[name] = new

    # Rounds

    def _send_barrier(self, request: pb.Request) -> pb.Reply:
        with self._changed:
            trainer = self._trainer(request)
            if self.mode not in (SYNC, HALF_ASYNC):
                return self._reply()
            number = request.round
            if number > self._round.number or request.server not in (0, self.process) and number == self._round.number:
                return self._reply(is_another=True)
            if number == self._round.number and not self._round.is_closing:
                self._round.arrive(trainer.number)
                self._close_if_complete()
            self._changed.wait_for(lambda: self._round.number > number or self._is_over(), self.options.poll)
            if self._round.number > number:
                return self._reply()
            if self._is_over():
                raise self._as_answer()
            return self._reply(waits=True, text=self._waits_for())

    def _close_if_complete(self) -> None:
        expected = [each.number for each in self._trainers if not each.has_completed]
        if self._round.is_complete(expected) and not self._round.is_closing:
            self._round.is_closing = True
            self._do(self._close_round)

    def _close_round(self) -> None:
        closing = self._round
        if self.mode == SYNC:
            if self._before_updates is not None:
                self._before_updates()
            for name, update in self.updates.items():
                values = closing.values_of(name)
                if values:
                    update.run(values)
        with self._changed:
            self._round = Round(closing.number + 1)
            self._changed.notify_all()

    def _complete(self, request: pb.Request) -> pb.Reply:
        with self._changed:
            trainer = self._trainer(request)
            if not trainer.has_completed:
                trainer.has_completed = True
                self._round.forget(trainer.number)
                if not self._is_over():
                    self._close_if_complete()
        self._jobs.put(None)
        return self._reply()

    # What trainers read

    def _receive(self, request: pb.Request) -> pb.Reply:
        with self._changed:
            trainer = self._trainer(request)
            key = trainer.number, request.name
            array = self._read.get(key) if request.offset else None
            if array is None:
                array = self._variable(request.name)
            data = array.reshape(-1).view(np.uint8)
            end = request.offset + self.options.message_bytes
            if end < data.size:
                self._read[key] = array  # so that the parts are of one value
            else:
                self._read.pop(key, None)
        reply = self._reply(total=data.size)
        reply.value.dtype = array.dtype.name
        reply.value.shape.extend(array.shape)
        reply.value.data = data[request.offset:end].tobytes()
        return reply

    def _variable(self, name: str) -> np.ndarray:
        found = self.variables[name] if name in self.variables else None
        if found is None:
            raise RefusedError(f"The parameter server {self.endpoint} has no variable {name!r}. It has "
                               f"{_some(self.variables)}.")
        return np.ascontiguousarray(found).view()

    def _look_up(self, request: pb.Request) -> pb.Reply:
        raise RefusedError("There are no tables.")

    def _push_rows(self, request: pb.Request) -> pb.Reply:
        raise RefusedError("There are no tables.")


def _some(names: Any) -> str:
    listed = list(names)
    shown = ", ".join(listed[:8])
    return (shown or "nothing") if len(listed) <= 8 else f"{shown} and {len(listed) - 8} more"

"""What trainers ask of dense variables: to use a gradient, to add to a variable, to set one, to read one."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import numpy as np

from ...backend.selected_rows import SelectedRows
from . import messages_pb2 as pb
from .errors import RefusedError
from .grpc_service import Handler
from .state import GEO, SYNC, ServerState, some
from .trainers import Trainer, done
from .values import Spec, Value, check_rows


class DenseRequests:
    """The handlers, on a server's state."""

    def __init__(self, state: ServerState):
        self._state = state
        self._read: dict[tuple[int, str], np.ndarray] = {}  # what a trainer has read a part of
        state.began_again.append(self._forget)

    def handlers(self) -> dict[str, Handler]:
        """By the names of the service's methods."""
        return {"Send": self._send, "Assign": self._assign, "Receive": self._receive}

    def _forget(self, trainer: int) -> None:
        for key in [key for key in self._read if key[0] == trainer]:
            del self._read[key]

    # What comes

    def _send(self, request: pb.Request) -> pb.Reply:
        name, spec = request.name, self._spec_of(request.name)
        return self._state.taken(request, lambda described: described.check(name, spec),
                                 lambda trainer, value: self._use(trainer, name, value))

    def _spec_of(self, name: str) -> Spec:
        state = self._state
        if state.mode == GEO and name in state.variables:
            return Spec.of(state.variables[name])
        if name not in state.updates:
            raise RefusedError(f"The parameter server {state.endpoint} takes nothing named {name!r}. It takes "
                               f"{some(state.variables if state.mode == GEO else state.updates)}.")
        return Spec.of(state.variables[state.updates[name].parameter])

    def _use(self, trainer: Trainer, name: str, value: Value) -> Future[Any]:
        check_rows(name, value)
        state = self._state
        if state.mode == SYNC:
            state.round.put(name, trainer.number, value)
            return done(None)
        if state.mode == GEO and name in state.variables:
            return state.work.do(lambda: self._add(name, value))
        return state.work.do(lambda: self._update(trainer.number, name, value))

    def _update(self, trainer: int, name: str, value: Value) -> None:
        state = self._state
        if state.before_updates is not None and name == next(iter(state.updates)):
            state.before_updates()
        state.updates[name].run({trainer: value})
        state.after_change()

    def _add(self, name: str, change: Value) -> None:
        variables = self._state.variables
        new = np.array(variables[name])
        if isinstance(change, SelectedRows):
            merged = change.merge()
            new[merged.rows] += merged.values
        else:
            new += change
        variables[name] = new
        self._state.after_change()

    def _assign(self, request: pb.Request) -> pb.Reply:
        name, spec = request.name, Spec.of(self._variable(request.name))

        def use(trainer: Trainer, value: Value) -> Future[Any]:
            check_rows(name, value)
            return self._state.work.do(lambda: self._set(name, value))

        return self._state.taken(request, lambda described: described.check(name, spec), use)

    def _set(self, name: str, value: Value) -> None:
        if isinstance(value, SelectedRows):
            new = np.array(self._state.variables[name])
            new[value.rows] = value.values
        else:
            new = np.array(value).reshape(np.shape(self._state.variables[name]))
        self._state.variables[name] = new

    # What goes

    def _receive(self, request: pb.Request) -> pb.Reply:
        state = self._state
        with state.changed:
            trainer = state.trainer(request)
            state.changed.wait_for(lambda: not state.round.is_closing or state.work.has_ended, state.options.poll)
            if state.round.is_closing:
                return state.reply(waits=True, text=f"the parameter server {state.endpoint} is at work on a round")
            key = trainer.number, request.name
            array = self._read.get(key) if request.offset else None
            if array is None:
                array = self._variable(request.name)
            data = array.reshape(-1).view(np.uint8)
            end = request.offset + state.options.message_bytes
            if end < data.size:
                self._read[key] = array  # so that the parts are of one value
            else:
                self._read.pop(key, None)
        reply = state.reply(total=data.size)
        reply.value.dtype = array.dtype.name
        reply.value.shape.extend(array.shape)
        reply.value.data = data[request.offset:end].tobytes()
        return reply

    def _variable(self, name: str) -> np.ndarray:
        state = self._state
        found = state.variables[name] if name in state.variables else None
        if found is None:
            raise RefusedError(f"The parameter server {state.endpoint} has no variable {name!r}. It has "
                               f"{some(state.variables)}.")
        return np.asarray(found, order="C").view()  # which adds no dimension

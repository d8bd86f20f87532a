"""Server: a process that holds variables and tables, takes what trainers send and updates them.

The thread that calls `serve` does all updates, one after the other, so that an update may be a Program run by that
thread's Executor. gRPC's threads check what comes, keep it, look rows up, and wait for what they have to answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

import numpy as np

from . import grpc_service
from .checkpoint import Checkpoints
from .checkpoint_requests import CheckpointRequests
from .dense_requests import DenseRequests
from .gathering import GatherRequests
from .options import Options
from .round_requests import RoundRequests
from .sparse_table import SparseTable
from .state import ServerState, Update
from .table_requests import TableRequests

_LOOKS_S = 0.5  # how often the server looks whether somebody has been waited for too long
_GRACE_S = 5.0  # how long answers may take to leave when the server ends


class Server:
    """A parameter server at `endpoint` (`HOST:PORT`; port 0 takes a free one, see `start`) for so many trainers.

    mode: "sync": a round ends when every trainer has sent its gradients and `send_barrier`; then `before_updates` and
        all updates run, and the parameters can be read. "async": each gradient is used as it comes. "half_async": the
        same, and `send_barrier` waits for all trainers. "geo": what trainers send has the name of a variable or table
        and is added to it.
    variables: arrays by name; what trainers may read and set.
    updates: by the name of the gradient that trainers send.
    tables: `SparseTable`s by name.
    before_updates: called once a round; where there are no rounds, whenever a trainer sends the first of `updates`,
        which it does once a step.
    checkpoints: where the state is saved, and when.
    """

    def __init__(self, endpoint: str, trainers: int, mode: str, variables: MutableMapping[str, np.ndarray],
                 updates: Mapping[str, Update] | None = None, tables: Mapping[str, SparseTable] | None = None,
                 before_updates: Callable[[], Any] | None = None, options: Options | None = None,
                 checkpoints: Checkpoints | None = None):
        self._state = ServerState(endpoint, trainers, mode, variables, updates or {}, tables or {}, before_updates,
                                  options or Options())
        tables_asked = TableRequests(self._state)
        self._rounds = RoundRequests(self._state, tables_asked)
        self._handlers = {**DenseRequests(self._state).handlers(), **tables_asked.handlers(), **self._rounds.handlers(),
                          **GatherRequests(self._state).handlers(),
                          **CheckpointRequests(self._state, checkpoints).handlers()}
        self._checkpoints = checkpoints
        if checkpoints is not None:
            self._state.after_change = lambda: checkpoints.after_change(self._state)
        self._grpc: Any = None
        self._port = 0

    def start(self) -> int:
        """Begins to listen; gives the port. `serve` does it where nobody has."""
        if self._grpc is None:
            self._state.begun = time.monotonic()
            self._grpc, self._port = grpc_service.start(
                self._state.endpoint, self._handlers, 2 * len(self._state.trainers) + 6, self._state.options)
            self._state.endpoint = self._state.work.endpoint = grpc_service.with_port(self._state.endpoint, self._port)
        return self._port

    def restore(self, number: int | None = None, alone: bool = False) -> int | None:
        """Goes on from a checkpoint, before `start`; its number, None where there is none. See `Checkpoints.restore`.

        alone: the job goes on, and only this server was started again.
        """
        if self._checkpoints is None:
            raise RuntimeError("Server.restore(): this server has no checkpoints; give it some, Server(checkpoints).")
        if self._grpc is not None:
            raise RuntimeError("Server.restore(): this server has begun to listen; restore it before.")
        return self._checkpoints.restore(self._state, number, alone)

    def serve(self) -> None:
        """Works until every trainer has said that it has completed, or `stop` was called.

        Raises WaitedTooLongError where trainers are silent for `options.deadline` seconds, and what an update raised.
        """
        self.start()
        work, looked = self._state.work, time.monotonic()
        try:
            while not work.has_ended and self._state.working():
                work.next(_LOOKS_S)
                if time.monotonic() - looked > _LOOKS_S:
                    self._rounds.look_for_silence()
                    looked = time.monotonic()
        finally:
            work.end()
            self._grpc.stop(_GRACE_S).wait()
        if work.failure is not None:
            raise work.failure

    def stop(self) -> None:
        """Has `serve` return; from another thread, or a signal's handler."""
        self._state.work.is_stopped = True
        self._state.work.wake()

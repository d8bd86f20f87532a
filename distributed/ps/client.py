"""Client: what a trainer asks of parameter servers.

A message that gets no answer is sent again until `Options.deadline`; each has a number, so that a server does it once.
What was sent in a round of synchronous training is kept until the round is over: a server that was started again since
gets it again.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, wait
from typing import Any

import numpy as np

from ...backend.selected_rows import SelectedRows
from . import messages_pb2 as pb
from .calls import Connection
from .grpc_service import logger
from .options import Options
from .threads import Threads, for_all
from .values import Value, dtype_of, requests_of

_PUSH = "PushRows"


def _all(futures: list[Future[Any]]) -> None:
    for future in futures:
        future.result()


class _Server:
    """What a client knows of one server."""

    def __init__(self, endpoint: str, options: Options):
        self.connection = Connection(endpoint, options)
        self.mode: str | None = None
        self.round = 0
        self.sent: dict[tuple[str, str], list[pb.Request]] = {}
        self.under_way: list[Future[Any]] = []
        self.tables: dict[str, tuple[int, np.dtype]] = {}
        self.joining = threading.Lock()


class Client:
    """The trainer of this number, and its connections to the servers it names.

    >>> import numpy as np
    >>> from proa.distributed.ps import Client  # doctest: +SKIP
    >>> client = Client(0)  # doctest: +SKIP
    >>> client.send("127.0.0.1:6174", "w@GRAD", np.ones([2], "float32")).result()  # doctest: +SKIP
    >>> client.send_barrier(["127.0.0.1:6174"])  # doctest: +SKIP
    >>> client.receive("127.0.0.1:6174", "w")  # doctest: +SKIP
    """

    def __init__(self, trainer: int, options: Options | None = None):
        self.trainer, self.options = trainer, options or Options()
        self._process = int.from_bytes(os.urandom(8), "little") | 1
        self._servers: dict[str, _Server] = {}
        self._lock = threading.Lock()
        self._sequence = 0
        self._open: set[int] = set()
        self._threads = Threads(self.options.threads)

    def _server(self, endpoint: str) -> _Server:
        with self._lock:
            server = self._servers.get(endpoint)
            if server is None:
                server = self._servers[endpoint] = _Server(endpoint, self.options)
        with server.joining:
            if server.mode is None:
                reply = self._read(server, "Join", pb.Request())
                server.round, server.mode = reply.round, reply.text
        return server

    # Messages

    def _read(self, server: _Server, method: str, request: pb.Request) -> pb.Reply:
        """A call that may be repeated."""
        self._sign(request, 0)
        return server.connection.call(method, request)

    def _sign(self, request: pb.Request, sequence: int) -> None:
        caller = request.caller
        caller.trainer, caller.process, caller.sequence = self.trainer, self._process, sequence
        with self._lock:
            caller.finished = min(self._open, default=self._sequence + 1) - 1

    def _number(self) -> int:
        with self._lock:
            self._sequence += 1
            self._open.add(self._sequence)
            return self._sequence

    def _change(self, server: _Server, method: str, requests: Iterable[pb.Request], sequence: int) -> pb.Reply:
        """A call that is done once, however often its messages arrive."""
        reply = pb.Reply()
        try:
            for request in requests:
                self._sign(request, sequence)
                reply = server.connection.call(method, request)
        finally:
            with self._lock:
                self._open.discard(sequence)
        return reply

    # Dense values

    def send(self, endpoint: str, name: str, value: Value) -> Future[Any]:
        """Sends a gradient (in geo mode, what is added to a variable): an array, or SelectedRows.

        It is copied at once. What goes wrong is raised by the future and by the next `send_barrier`.
        """
        return self._begin(endpoint, "Send", name, value)

    def _begin(self, endpoint: str, method: str, name: str, value: Value) -> Future[Any]:
        server = self._server(endpoint)
        requests = list(requests_of(name, value, self.options.message_bytes))
        sequence = self._number()
        if server.mode == "sync":
            server.sent[method, name] = requests

        future = self._threads.submit(self._change, server, method, requests, sequence)
        server.under_way = [each for each in server.under_way if not each.done() or each.exception() is not None]
        server.under_way.append(future)
        return future

    def assign(self, endpoint: str, name: str, value: Value) -> None:
        """Gives a variable another value, or some of its rows."""
        server = self._server(endpoint)
        self._change(server, "Assign", requests_of(name, value, self.options.message_bytes), self._number())

    def receive(self, endpoint: str, name: str) -> np.ndarray:
        """The value of a variable."""
        server = self._server(endpoint)
        reply = self._read(server, "Receive", pb.Request(name=name))
        shape, dtype = tuple(reply.value.shape), dtype_of(reply.value.dtype)
        if len(reply.value.data) == reply.total:
            data = bytearray(reply.value.data)
        else:
            data = bytearray(reply.total)
            got = len(reply.value.data)
            data[:got] = reply.value.data
            while got < reply.total:
                part = self._read(server, "Receive", pb.Request(name=name, offset=got)).value.data
                data[got:got + len(part)] = part
                got += len(part)
        return np.frombuffer(data, dtype).reshape(shape)

    # Rows of tables, of which server i of n has those whose number leaves i when it is divided by n

    def look_up(self, endpoints: Sequence[str], table: str, ids: np.ndarray) -> np.ndarray:
        """The rows with these numbers, [*ids' shape, width]; each is asked for once."""
        ids = np.ascontiguousarray(ids, "int64")
        different, where = np.unique(ids.reshape(-1), return_inverse=True)
        parts = self._divided(endpoints, different)
        found = for_all(range(len(endpoints)),
                           lambda index: self._rows_of(endpoints[index], table, different[parts[index]]))
        rows = np.empty((different.size, *found[0].shape[1:]), found[0].dtype)
        for part, values in zip(parts, found, strict=True):
            rows[part] = values
        return rows.take(where.reshape(-1), 0).reshape(*ids.shape, rows.shape[1])

    @staticmethod
    def _divided(endpoints: Sequence[str], ids: np.ndarray) -> list[Any]:
        """Which of the row numbers each server has."""
        count = len(endpoints)
        if count == 1:
            return [slice(None)]
        owner = ids % count
        return [np.flatnonzero(owner == index) for index in range(count)]

    def _rows_of(self, endpoint: str, table: str, ids: np.ndarray) -> np.ndarray:
        server = self._server(endpoint)
        form = server.tables.get(table)
        if form is None:
            value = self._read(server, "LookUp", pb.Request(name=table)).value
            form = server.tables[table] = value.shape[1], dtype_of(value.dtype)
        width, dtype = form
        each = min(max(self.options.message_bytes // (width * dtype.itemsize), 1), self.options.message_bytes // 8)
        rows = np.empty((ids.size, width), dtype)
        for begin in range(0, ids.size, each):
            request = pb.Request(name=table)
            request.ids.data = ids[begin:begin + each].tobytes()
            value = self._read(server, "LookUp", request).value
            rows[begin:begin + each] = np.frombuffer(value.data, dtype).reshape(tuple(value.shape))
        return rows

    def push_rows(self, endpoints: Sequence[str], table: str, ids: np.ndarray, values: np.ndarray) -> Future[Any]:
        """Sends gradients of rows (in geo mode, what is added to them), to be called once a round.

        Those of one row are added up here. Each server gets a message, be it of no rows.
        """
        rows = SelectedRows(np.ascontiguousarray(ids, "int64").reshape(-1), values.reshape(-1, values.shape[-1]),
                            0).merge()
        for endpoint in endpoints:
            if (_PUSH, table) in self._server(endpoint).sent:
                raise RuntimeError(f"push_rows({table!r}): its rows were sent in this round before; they go together.")
        futures = [self._begin(endpoint, _PUSH, table, SelectedRows(rows.rows[part], rows.values[part], 0))
                   for endpoint, part in zip(endpoints, self._divided(endpoints, rows.rows), strict=True)]
        return futures[0] if len(futures) == 1 else self._threads.submit(_all, futures)

    def changed_rows(self, endpoints: Sequence[str], table: str) -> np.ndarray:
        """The numbers of the rows that other trainers have changed since this one last asked, in geo mode."""
        def ask(endpoint: str) -> np.ndarray:
            server, found, left = self._server(endpoint), [], 1
            while left:
                reply = self._change(server, "ChangedRows", [pb.Request(name=table)], self._number())
                found.append(np.frombuffer(reply.value.data, "int64"))
                left = reply.total
            return np.concatenate(found)

        return np.sort(np.concatenate(for_all(endpoints, ask)))

    def shrink(self, endpoints: Iterable[str], rests: int = 0) -> int:
        """Has rows removed that no update has changed since more than so many calls of this; how many they were."""
        if rests < 0:
            raise ValueError(f"Client.shrink(rests): 0 or more. Received {rests}.")
        return sum(for_all(endpoints, lambda endpoint: self._change(
            self._server(endpoint), "Shrink", [pb.Request(total=rests)], self._number()).total))

    # Rounds

    def send_barrier(self, endpoints: Iterable[str]) -> None:
        """Says that this trainer has sent all of a round, and waits until these servers have made their updates."""
        for_all(endpoints, self._finish_round)

    def _finish_round(self, endpoint: str) -> None:
        server = self._server(endpoint)
        under_way, server.under_way = server.under_way, []
        wait(under_way)
        for future in under_way:
            future.result()
        while True:
            reply = self._read(server, "SendBarrier", pb.Request(round=server.round, total=len(server.sent)))
            if not reply.lacks:
                break
            self._send_again(server, reply)
        server.round = reply.round
        server.sent.clear()

    def _send_again(self, server: _Server, reply: pb.Reply) -> None:
        logger.warning("The parameter server %s was started again. It is in round %d, this trainer in round %d; what "
                       "was sent in this round is sent again.", server.connection.endpoint, reply.round, server.round)
        server.round = reply.round
        for (method, _), requests in list(server.sent.items()):
            self._change(server, method, requests, self._number())

    def fetch_barrier(self, endpoints: Iterable[str]) -> None:
        """Says that this trainer has read what it needs. It waits for nobody: the next round waits for all."""
        for_all(endpoints, lambda endpoint: self._read(self._server(endpoint), "FetchBarrier", pb.Request()))

    # Checkpoints

    def save(self, endpoints: Iterable[str], folder: str = "", number: int | None = None) -> int:
        """Has all these servers save their state under one number, which it gives: the round's, or the time's.

        folder: inside the servers' own folder of checkpoints (`Checkpoints`), or that one.
        """
        chosen = time.time_ns() // 1000 if number is None else number

        def save(endpoint: str) -> int:
            server = self._server(endpoint)
            own = 0 if number is None and server.mode == "sync" else chosen  # 0: that of the round
            return self._change(server, "Save", [pb.Request(name=folder, total=own)], self._number()).total

        return max(for_all(endpoints, save))

    # Among trainers

    def gather(self, endpoint: str, value: np.ndarray) -> np.ndarray:
        """The values of all trainers, [trainers, …], by their numbers: each gives one of the same shape and dtype."""
        server = self._server(endpoint)
        requests = list(requests_of("", np.asarray(value), self.options.message_bytes))
        if len(requests) > 1:
            raise ValueError(f"Client.gather(value): at most {self.options.message_bytes} bytes among all trainers "
                             f"(Options.message_bytes). Received {value.nbytes}.")
        reply = self._change(server, "Gather", requests, self._number())
        return np.frombuffer(reply.value.data, dtype_of(reply.value.dtype)).reshape(tuple(reply.value.shape))

    # The end

    def complete(self, endpoints: Iterable[str]) -> None:
        """Says that this trainer is done: a server ends when all have said it. One that is gone already is done too."""
        def end(endpoint: str) -> None:
            server = self._server(endpoint)
            wait(server.under_way)
            self._sign(request := pb.Request(), 0)
            server.connection.call("Complete", request, may_be_gone=True)

        for_all(endpoints, end)

    def close(self) -> None:
        """Closes the connections."""
        self._threads.shutdown()
        for server in self._servers.values():
            server.connection.close()
        self._servers.clear()

"""What trainers ask of sparse tables: rows, updates of rows, and which rows others have changed."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import numpy as np

from ...backend.selected_rows import SelectedRows
from . import messages_pb2 as pb
from .errors import RefusedError
from .grpc_service import Handler
from .rounds import Round
from .sparse_table import SparseTable
from .state import GEO, SYNC, ServerState, some
from .trainers import Trainer, done
from .values import INT64, Described, Value


class TableRequests:
    """The handlers, on a server's state."""

    def __init__(self, state: ServerState):
        self._state = state
        self._changed: dict[tuple[int, str], list[np.ndarray]] = {}  # row numbers that a trainer has not asked for yet

    def handlers(self) -> dict[str, Handler]:
        """By the names of the service's methods."""
        return {"LookUp": self._look_up, "PushRows": self._push_rows, "ChangedRows": self._changed_rows,
                "Shrink": self._shrink}

    def _table(self, name: str) -> SparseTable:
        found = self._state.tables.get(name)
        if found is None:
            raise RefusedError(f"The parameter server {self._state.endpoint} has no table {name!r}. It has "
                               f"{some(self._state.tables)}.")
        return found

    def _look_up(self, request: pb.Request) -> pb.Reply:
        state, table = self._state, self._table(request.name)
        with state.changed:
            state.trainer(request)
        if len(request.ids.data) % INT64.itemsize:
            raise RefusedError(f"{request.name!r}: row numbers are int64. Received {len(request.ids.data)} bytes.")
        ids = np.frombuffer(request.ids.data, INT64)
        if ids.size * table.width * table.dtype.itemsize > state.options.message_bytes:
            raise RefusedError(f"{request.name!r}: {ids.size} rows of {table.width} {table.dtype.name} are more than a "
                               f"message of {state.options.message_bytes} bytes holds (Options.message_bytes).")
        table.check(request.name, ids)
        rows = table.look_up(ids)
        reply = state.reply()
        reply.value.dtype = rows.dtype.name
        reply.value.shape.extend(rows.shape)
        reply.value.data = rows.tobytes()
        return reply

    def _push_rows(self, request: pb.Request) -> pb.Reply:
        name, table = request.name, self._table(request.name)
        if not isinstance(table, SparseTable):
            raise RefusedError(f"{name!r} is a variable whose rows can be looked up; its gradient has a name of its "
                               f"own, and is sent by that.")

        def check(described: Described) -> None:
            if described.rows is None or (described.dtype, described.shape[1:]) != (table.dtype, (table.width,)):
                raise RefusedError(f"{name!r} takes rows of {table.width} {table.dtype.name}. Received "
                                   f"{described.dtype.name} {list(described.shape)}.")

        return self._state.taken(request, check, lambda trainer, value: self._use(trainer, name, table, value))

    def _use(self, trainer: Trainer, name: str, table: SparseTable, value: Value) -> Future[Any]:
        assert isinstance(value, SelectedRows)
        table.check(name, value.rows)
        state = self._state
        if state.mode == SYNC:
            state.round.put(_key(name), trainer.number, value)
            return done(None)
        if state.mode == GEO:
            self._note(name, trainer.number, value.rows)
        change = table.add if state.mode == GEO else table.push

        def do() -> None:
            change(value.rows, value.values)
            state.after_change()

        return state.work.do(do)

    def close(self, closing: Round) -> None:
        """The updates at the end of a round. A mean is over all trainers, also those that are done, as of dense values:
        a Program's servers divide the sum by their number.
        """
        count = len(self._state.trainers)
        for name, table in self._state.tables.items():
            if not isinstance(table, SparseTable):
                continue
            values = [value for value in closing.values_of(_key(name)).values() if isinstance(value, SelectedRows)]
            if values:
                gradients = np.concatenate([value.values for value in values])
                if table.average and count > 1:
                    gradients *= gradients.dtype.type(1 / count)
                table.push(np.concatenate([value.rows for value in values]), gradients)

    def _shrink(self, request: pb.Request) -> pb.Reply:
        """Rows that rest are removed from all tables."""
        def do() -> dict[str, int]:
            return {"total": sum(table.shrink(request.total) for table in self._state.tables.values()
                                 if isinstance(table, SparseTable))}

        return self._state.once(request, lambda trainer: self._state.work.do(do))

    # What others have changed

    def _note(self, name: str, by: int, ids: np.ndarray) -> None:
        for trainer in self._state.working():
            if trainer.number != by and ids.size:
                noted = self._changed.setdefault((trainer.number, name), [])
                noted.append(ids)
                if len(noted) > 64:  # so that a trainer that never asks costs what the table costs at most
                    noted[:] = [np.unique(np.concatenate(noted))]

    def _changed_rows(self, request: pb.Request) -> pb.Reply:
        self._table(request.name)

        def begin(trainer: Trainer) -> Future[Any]:
            noted = self._changed.pop((trainer.number, request.name), [])
            ids = np.unique(np.concatenate(noted)) if noted else np.empty(0, INT64)
            most = self._state.options.message_bytes // INT64.itemsize
            if ids.size > most:
                self._changed[trainer.number, request.name] = [ids[most:]]
            array = pb.Array(dtype=INT64.name, shape=[min(ids.size, most)], data=ids[:most].tobytes())
            return done({"value": array, "total": max(ids.size - most, 0)})

        return self._state.once(request, begin)


def _key(name: str) -> str:
    return f"rows of {name}"

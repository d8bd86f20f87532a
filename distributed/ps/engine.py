"""What connects Programs with parameter servers: the operators of `ops/parameter_server/` over Client and Server.

Connecting adds the engine "parameter_server", whose kernels exchange values; `serve` runs the Program of a server. Both
know names and arrays: how a Program is divided says `fluid/transpiler/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np

from ...backend import engines
from ...backend.selected_rows import SelectedRows
from ...ops.core.kernels import register_kernel
from ...ops.core.operator import find
from ...ops.parameter_server import rpc
from ...static.ir.operation import Operation
from ...static.run.executor import Executor
from ...static.run.own_operations import run_by
from ...static.run.scope import Scope
from .client import Client
from .options import Options
from .serving import serve
from .threads import for_all
from .values import Value

ENGINE = "parameter_server"
_clients: dict[int, Client] = {}  # by the numbers of trainers
_known: dict[int, set[str]] = {}  # the endpoints that each has talked to
_assigned: dict[int, dict[tuple[str, str], np.ndarray]] = {}  # what each has given variables of servers
_under_way: dict[int, list[Future[None]]] = {}  # what each has sent, and did not wait for
_options: list[Options] = []
_is_connected: list[bool] = []


def connect(options: Options | None = None) -> None:
    """Gives the operators of trainers and servers their kernels; the first exchange makes the connection."""
    if options is not None:
        _options[:] = [options]
    if _is_connected:
        return
    _is_connected.append(True)
    engines.add(ENGINE, engines.CPU)
    for operator, kernel in ((rpc.send_op, _send), (rpc.receive_op, _receive), (rpc.send_barrier_op, _send_barrier),
                             (rpc.fetch_barrier_op, _fetch_barrier), (rpc.look_up_op, _look_up),
                             (rpc.prefetch_op, _prefetch), (rpc.geo_op, _geo),
                             (rpc.checkpoint_notify_op, _checkpoint_notify)):
        register_kernel(operator, ENGINE, kernel)
    run_by("listen_and_serv", _serve)


def client(trainer: int, endpoints: Sequence[str] = ()) -> Client:
    """The client of a trainer of this process, which is to talk to these servers."""
    if trainer not in _clients:
        _clients[trainer] = Client(trainer, _options[0] if _options else None)
    _known.setdefault(trainer, set()).update(endpoints)
    return _clients[trainer]


def complete() -> None:
    """Tells all servers that the trainers of this process are done, and ends the connections."""
    _of_geo.clear()
    _assigned.clear()
    for trainer in list(_clients):
        made, known = _clients.pop(trainer), _known.pop(trainer)
        try:
            _settle(trainer)
            made.complete(sorted(known))
        finally:
            made.close()


def _serve(executor: Executor, program: Any, operation: Operation, scope: Scope) -> None:
    serve(executor, program, operation, scope, _options[0] if _options else None)


# What trainers do

_CONTROL = np.zeros(0, "float32")


def _send(values: Sequence[Value], *, epmap: Sequence[str] = (), send_varnames: Sequence[str] = (),
          sections: Sequence[int] = (), table: str = "", merge_add: bool = False, assigns: bool = False,
          trainer_id: int = 0, **_: Any) -> np.ndarray:
    made, under_way = client(trainer_id, epmap), _under_way.setdefault(trainer_id, [])
    if table:
        rows = _rows_of(values[0])
        under_way.append(made.push_rows(list(epmap), table, rows.rows, rows.values))
        return _CONTROL
    if assigns:
        _assign(made, list(zip(epmap, send_varnames, strict=True)), values[0])
        return _CONTROL
    if not send_varnames:
        raise ValueError("send: the attribute send_varnames is empty: it holds the names that values have on servers. "
                         "PaddlePaddle leaves it out of its files; transpile the Program here.")
    parts = _cut(values[0], sections) if sections else [*values] * len(epmap) if merge_add else values
    for endpoint, name, value in zip(epmap, send_varnames, parts, strict=True):
        under_way.append(made.send(endpoint, name, value))
    if merge_add:  # a step is counted before its gradients are used
        _settle(trainer_id)
    return _CONTROL


def _assign(made: Client, places: Sequence[tuple[str, str]], value: Any) -> None:
    """Gives variables of servers a value that is not the one that this trainer gave them before."""
    known, value = _assigned.setdefault(made.trainer, {}), np.asarray(value)
    new = [place for place in places if place not in known or not np.array_equal(known[place], value)]
    for_all(new, lambda place: made.assign(*place, value))
    known.update(dict.fromkeys(new, value.copy()))


def _settle(trainer: int) -> None:
    """Waits until servers have used what a trainer has sent, or, in rounds, have it; raises what went wrong."""
    for future in _under_way.pop(trainer, []):
        future.result()


def _rows_of(value: Value) -> SelectedRows:
    if isinstance(value, SelectedRows):
        return value.merge()
    return SelectedRows(np.arange(len(value)), value, len(value), merged=True)


def _cut(value: Value, sections: Sequence[int]) -> list[Value]:
    operator = find("split_selected_rows")
    return [value] if len(sections) == 1 else operator.kernel(np, value, height_sections=sections)


def _receive(behind: Sequence[Any], *, epmap: Sequence[str] = (), varnames: Sequence[str] = (),
             recv_varnames: Sequence[str] = (), trainer_id: int = 0, **_: Any) -> list[np.ndarray]:
    names = recv_varnames or varnames
    _settle(trainer_id)
    if not names:
        raise ValueError("recv: the attributes varnames and recv_varnames are empty: they hold the names that values "
                         "have on servers. PaddlePaddle leaves them out of its files; transpile the Program here.")
    found = received(trainer_id, list(zip(epmap, names, strict=True)))
    return [np.concatenate(found)] if recv_varnames else found


def received(trainer: int, wanted: Sequence[tuple[str, str]]) -> list[np.ndarray]:
    """The values of names on servers, all asked for at once."""
    made = client(trainer, [endpoint for endpoint, _ in wanted])
    return for_all(wanted, lambda each: made.receive(*each), _AT_ONCE)


_AT_ONCE = 8


def _send_barrier(behind: Sequence[Any], *, endpoints: Sequence[str] = (), trainer_id: int = 0,
                  **_: Any) -> np.ndarray:
    _settle(trainer_id)
    client(trainer_id, endpoints).send_barrier(list(endpoints))
    return _CONTROL


def _fetch_barrier(behind: Sequence[Any], *, endpoints: Sequence[str] = (), trainer_id: int = 0) -> np.ndarray:
    client(trainer_id, endpoints).fetch_barrier(list(endpoints))
    return _CONTROL


def _checkpoint_notify(*, epmap: Sequence[str] = (), dir: str = "", trainer_id: int = 0, **_: Any) -> tuple[()]:
    client(trainer_id, epmap).save(list(epmap), dir)
    return ()


def _prefetch(ids: Sequence[np.ndarray], *, epmap: Sequence[str] = (), tables: Sequence[str] = (),
              trainer_id: int = 0) -> list[np.ndarray]:
    made = client(trainer_id, epmap)
    asked = list(zip(ids, epmap, tables, strict=True))
    return for_all(asked, lambda each: made.look_up([each[1]], each[2], each[0].reshape(-1)), _AT_ONCE)


def _look_up(ids: Sequence[np.ndarray], w: np.ndarray, *, table_names: Sequence[str] = (),
             height_sections: Sequence[int] = (), endpoints: Sequence[str] = (), padding_idx: int = -1,
             trainer_id: int = 0, lookup_table_version: str = "lookup_table", is_distributed: bool = False
             ) -> list[np.ndarray]:
    made, width = client(trainer_id, endpoints), w.shape[1]
    wanted, places = np.unique(np.concatenate([each.reshape(-1) for each in ids]), return_inverse=True)
    if is_distributed:
        rows = made.look_up(list(endpoints), table_names[0], wanted)
    else:
        rows = _rows_of_blocks(made, table_names, height_sections, endpoints, wanted, np.empty(
            (len(wanted), width), w.dtype))
    if padding_idx != -1:
        rows[wanted == padding_idx] = 0
    found = []
    for each in ids:
        shape = each.shape if lookup_table_version.endswith("_v2") else each.shape[:-1]
        mine, places = places.reshape(-1)[:each.size], places.reshape(-1)[each.size:]
        found.append(rows[mine].reshape(*shape, width))
    return found


def _rows_of_blocks(made: Client, names: Sequence[str], sections: Sequence[int], endpoints: Sequence[str],
                    wanted: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The rows of a table that lies in blocks, by their numbers in order."""
    bounds = np.concatenate([[0], np.cumsum(sections)])
    if wanted.size and not 0 <= wanted[0] <= wanted[-1] < bounds[-1]:
        raise IndexError(f"embedding: numbers must lie in [0, {bounds[-1]}). Received numbers from {wanted[0]} to "
                         f"{wanted[-1]}.")
    cuts = np.searchsorted(wanted, bounds)
    asked = [(low, high, made.look_up([endpoint], name, wanted[low:high] - begin))
             for endpoint, name, low, high, begin in zip(endpoints, names, cuts[:-1], cuts[1:], bounds, strict=False)
             if high > low]
    for low, high, answer in asked:
        rows[low:high] = answer
    return rows


# GEO-SGD: trainers update by themselves, and exchange what has become of the parameters

class _Geo:
    """What one trainer knows of a set of parameters that it shares."""

    def __init__(self) -> None:
        self.steps = 0
        self.old: dict[str, np.ndarray] = {}
        self.touched: dict[str, list[np.ndarray]] = {}


_of_geo: dict[tuple[int, tuple[str, ...]], _Geo] = {}


def _geo(parameters: Sequence[np.ndarray], ids: Sequence[np.ndarray] | None, *, parameter_names: Sequence[str] = (),
         ids_of: Sequence[str] = (), blocks: Sequence[str] = (), push_nums: int = 100, trainers: int = 1,
         trainer_id: int = 0) -> list[np.ndarray]:
    places = [block.split(":", 3) for block in blocks]
    made = client(trainer_id, [endpoint for *_, endpoint in places])
    state = _of_geo.setdefault((trainer_id, tuple(parameter_names)), _Geo())
    for table, numbers in zip(ids_of, ids or (), strict=True):
        state.touched.setdefault(table, []).append(np.unique(numbers))
    if not push_nums:  # it begins
        state.old, state.steps = {name: np.array(value) for name, value in zip(parameter_names, parameters,
                                                                               strict=True)}, 0
        return [value.view() for value in parameters]
    state.steps += 1
    if state.steps % push_nums:
        return [value.view() for value in parameters]
    found = []
    for name, value in zip(parameter_names, parameters, strict=True):
        rows = np.unique(np.concatenate(state.touched.pop(name))) if name in state.touched else None
        new = _exchanged(made, places, name, value, state.old[name], rows, trainers)
        state.old[name] = new.copy()
        found.append(new)
    return found


def _joined(made: Client, places: Sequence[Sequence[str]], name: str) -> np.ndarray:
    return np.concatenate(received(made.trainer, [(endpoint, block) for whole, block, _, endpoint in places
                                            if whole == name]))


def _exchanged(made: Client, places: Sequence[Sequence[str]], name: str, value: np.ndarray, old: np.ndarray,
               rows: np.ndarray | None, trainers: int) -> np.ndarray:
    """The parameter with what this trainer and the others have done to it since the last exchange."""
    mine = [(block, int(count), endpoint) for whole, block, count, endpoint in places if whole == name]
    change: Value = (value - old) / np.asarray(trainers, value.dtype) if rows is None else SelectedRows(
        rows, (value[rows] - old[rows]) / np.asarray(trainers, value.dtype), len(value), merged=True)
    sent = [made.send(endpoint, block, part) for (block, _, endpoint), part in zip(
        mine, _cut(change, [count for _, count, _ in mine]), strict=True)]
    for each in sent:
        each.result()
    return np.array(_joined(made, places, name))

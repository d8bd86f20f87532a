"""DistributeTranspiler: a Program of training as those of trainers and of parameter servers.

A trainer computes gradients, sends them, and receives parameters; servers hold the parameters, cut into blocks, and
update them. `trainer.py` and `server.py` write the Programs, `updates.py` says what an update consists of.
"""

from __future__ import annotations

import copy
import inspect
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.var_type import VarType
from ...distributed.ps import engine
from ...distributed.ps.admission import entry_of
from ..framework import default_main_program, default_startup_program
from . import server, trainer
from .blocks import Part, VarBlock, parts_of, same_or_split_var, slice_variable
from .collective import transpile_collective, transpile_nccl2
from .details import VarsDistributed, delete_ops, wait_server_ready
from .ps_dispatcher import PSDispatcher, RoundRobin
from .server import ASYNC, GEO, HALF_ASYNC, SYNC
from .trainer import Trainer
from .updates import Update, distributed_tables, holds_rows, is_prefetched, schedules_of, updates_of

_LEAST_BLOCK = 8192
_COUNTS = "increment"


class DistributedMode:
    """How trainers and servers go together, by the numbers in files."""

    SYNC, ASYNC, HALF_ASYNC, GEO = SYNC, ASYNC, HALF_ASYNC, GEO


class DistributeTranspilerConfig:
    """How a Program is divided.

    slice_var_up: whether parameters are cut into blocks of rows, at most one a server, of `min_block_size` elements.
    split_method: which server gets which block: RoundRobin, HashName, or a PSDispatcher of the user's.
    mode: "pserver", "nccl2" or "collective" (of the kind `collective_mode`).
    sync_mode, half_async, completely_not_async: whether servers wait for all trainers.
    runtime_split_send_recv: whether `send` cuts gradients; without sync_mode alone.
    enable_dc_asgd: compensates gradients for what others did since; without sync_mode.
    geo_sgd_mode, geo_sgd_need_push_nums: trainers update by themselves, and exchange after so many steps.
    wait_port: whether a trainer waits for its servers. print_log: has no effect.
    nccl_comm_num, use_hierarchical_allreduce, hierarchical_allreduce_inter_nranks: kept.

    >>> import proa.fluid as fluid
    >>> config = fluid.DistributeTranspilerConfig()
    >>> config.slice_var_up, config.min_block_size
    (True, 8192)
    """

    slice_var_up = True
    split_method: Any = None
    min_block_size = _LEAST_BLOCK
    enable_dc_asgd = False
    mode = "pserver"
    print_log = False
    wait_port = True
    half_async = False
    completely_not_async = False
    geo_sgd_mode = False
    geo_sgd_need_push_nums = 100
    nccl_comm_num = 1
    use_hierarchical_allreduce = False
    hierarchical_allreduce_inter_nranks = 0
    collective_mode: Any = None

    def __init__(self) -> None:
        self._sync_mode, self._runtime_split = True, False

    @property
    def sync_mode(self) -> bool:
        """Whether a step ends when all trainers have sent their gradients."""
        return self._sync_mode

    @sync_mode.setter
    def sync_mode(self, value: bool) -> None:
        if value is None or value and self._runtime_split:
            raise ValueError("DistributeTranspilerConfig.sync_mode: True or False; with runtime_split_send_recv=True "
                             f"it must be False. Received {value}.")
        self._sync_mode = value

    @property
    def runtime_split_send_recv(self) -> bool:
        """Whether gradients are cut, and parameters joined, by `send` and `recv`."""
        return self._runtime_split

    @runtime_split_send_recv.setter
    def runtime_split_send_recv(self, value: bool) -> None:
        if value is None or value and self._sync_mode:
            raise ValueError("DistributeTranspilerConfig.runtime_split_send_recv: True or False; True needs "
                             f"sync_mode=False, set before. Received {value}.")
        self._runtime_split = value


class ServerRuntimeConfig:
    """How many threads of a server do what, in Paddle; kept in its Program."""

    def __init__(self) -> None:
        for name in ("send", "get", "prefetch"):
            setattr(self, f"_rpc_{name}_thread_num", int(os.getenv(f"FLAGS_rpc_{name}_thread_num", "12")))


class DistributeTranspiler:
    """Makes the Programs of trainers and parameter servers out of one of training.

    >>> import proa.fluid as fluid
    >>> main, startup = fluid.Program(), fluid.Program()
    >>> with fluid.program_guard(main, startup), fluid.unique_name.guard():
    ...     loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 4]), 1))
    ...     _ = fluid.optimizer.SGD(0.1).minimize(loss)
    >>> t = fluid.DistributeTranspiler()
    >>> t.transpile(0, main, pservers="127.0.0.1:6174", trainers=2, startup_program=startup)
    >>> [op.type for op in t.get_pserver_program("127.0.0.1:6174").blocks[1].ops]
    ['sum', 'scale', 'sgd']
    >>> [op.type for op in t.get_trainer_program(wait_port=False).global_block().ops][-4:]
    ['send_barrier', 'recv', 'recv', 'fetch_barrier']
    """

    def __init__(self, config: DistributeTranspilerConfig | None = None):
        self.config = config or DistributeTranspilerConfig()
        self._set_server_config()
        if self.config.split_method is None:
            self.config.split_method = RoundRobin
        method = self.config.split_method
        if not (inspect.isclass(method) and issubclass(method, PSDispatcher)):
            raise TypeError("DistributeTranspilerConfig.split_method: a subclass of fluid.transpiler.ps_dispatcher."
                            f"PSDispatcher. Received {method!r}.")
        if self.config.min_block_size < _LEAST_BLOCK:
            raise ValueError(f"DistributeTranspilerConfig.min_block_size: at least {_LEAST_BLOCK}. Received "
                             f"{self.config.min_block_size}.")
        self._deleted = False

    def _set_server_config(self, server_config: ServerRuntimeConfig | None = None) -> None:
        if not isinstance(server_config, (ServerRuntimeConfig, type(None))):
            raise TypeError("DistributeTranspiler: server_config must be a ServerRuntimeConfig. Received "
                            f"{type(server_config).__name__}.")
        self.server_config = server_config or ServerRuntimeConfig()

    # Transpiling

    def transpile(self, trainer_id: int, program: Any = None, pservers: str = "127.0.0.1:6174", trainers: Any = 1,
                  sync_mode: bool = True, startup_program: Any = None,
                  current_endpoint: str = "127.0.0.1:6174", **older: Any) -> None:
        """Rewrites a Program (the default main one) and its startup Program as those of a trainer.

        `pservers`: HOST:PORT of all servers, by commas. `trainers`: their number; with `config.mode` "nccl2" or
        "collective" their endpoints. `current_endpoint`: that of this process, which a server needs to load values and
        a trainer in the latter modes. Every process calls it with the same Program. `older`: `slice_var_up` and
        `split_method`, which before 1.8 stood here, for those of the config.

        Raises ValueError for numbers and endpoints that do not fit, and for updates that no server can make.
        """
        self._take_older(older)
        program = default_main_program() if program is None else program
        startup = default_startup_program() if startup_program is None else startup_program
        if self.config.mode != "pserver":
            self._transpile_collective(trainer_id, program, startup, trainers, current_endpoint)
            return
        self._begin(trainer_id, program, startup, pservers, trainers, current_endpoint)
        self.sync_mode = bool(sync_mode or self.config.completely_not_async)
        if self.config.enable_dc_asgd and self.sync_mode:
            raise ValueError("DistributeTranspiler: enable_dc_asgd needs transpile(sync_mode=False).")
        self.distributed_mode = self._mode()
        self._place(self._dense())
        self._rewrite()
        self._note_state()
        self._mark(current_endpoint)

    def _take_older(self, given: dict[str, Any]) -> None:
        """Has arguments of before 1.8 stand in the place of the config's; TypeError for others."""
        unknown = sorted(given.keys() - {"slice_var_up", "split_method"})
        if unknown:
            raise TypeError(f"DistributeTranspiler.transpile() got an unexpected keyword argument {unknown[0]!r}")
        if given:
            self.config = copy.copy(self.config)
            for name, value in given.items():
                setattr(self.config, name, value)

    def _mode(self) -> int:
        return SYNC if self.sync_mode else HALF_ASYNC if self.config.half_async else ASYNC

    def _begin(self, trainer_id: int, program: Any, startup: Any, pservers: str, trainers: Any, endpoint: str) -> None:
        self.origin_program, self.startup_program = program, startup
        self.origin_startup_program = startup.clone()
        self.trainer_id, self.trainer_num = int(trainer_id), int(trainers)
        self.pserver_endpoints = [each.strip() for each in pservers.split(",")]
        if not 0 <= self.trainer_id < self.trainer_num:
            raise ValueError("transpile(trainer_id, trainers): trainers are numbered from 0 to "
                             f"{self.trainer_num - 1}. Received trainer_id={trainer_id}, trainers={trainers}.")
        for each in self.pserver_endpoints:
            if not each.rpartition(":")[2].isdigit() or not each.rpartition(":")[0]:
                raise ValueError(f"transpile(pservers): HOST:PORT each, by commas. Received {pservers!r}.")
        if len(set(self.pserver_endpoints)) < len(self.pserver_endpoints):
            raise ValueError(f"transpile(pservers): each server once. Received {pservers!r}.")
        if getattr(program, "_is_distributed", False):
            raise ValueError("transpile(program): it has been transpiled before. Build it again, or transpile a clone.")
        self._updates = updates_of(program)
        self.optimize_ops = [op for update in self._updates for op in update.ops]
        block = program.global_block()
        self.params_grads = [[block.var(u.parameter), block.var(u.gradient)] for u in self._updates]
        self.param_name_to_grad_name = {u.parameter: u.gradient for u in self._updates}
        self.grad_name_to_param_name = {u.gradient: u.parameter for u in self._updates}
        self._schedules = schedules_of(program)
        self._tables = distributed_tables(program)
        self.table_name = self._tables[0] if self._tables else None
        self.has_distributed_lookup_table = bool(self._tables)
        self._of_rows = {u.parameter: holds_rows(program, u.parameter) for u in self._updates}
        self._prefetched = [u.parameter for u in self._updates
                            if u.parameter not in self._tables and is_prefetched(program, u.parameter)]
        self.vars_overview = VarsDistributed()
        self._original = program.clone()  # what servers' Programs are made from: a trainer's loses its updates
        self._original_updates = updates_of(self._original)
        self._original_schedules = schedules_of(self._original)
        engine.connect()

    def _dense(self) -> list[Update]:
        return [update for update in self._updates if update.parameter not in self._tables]

    def _place(self, updates: Sequence[Update]) -> None:
        """Cuts the parameters and says which server has which part."""
        block = self.origin_program.global_block()
        count = len(self.pserver_endpoints) if self.config.slice_var_up else 1
        self._parts = {update.parameter: parts_of(block.var(update.parameter), update.gradient, count,
                                                  self.config.min_block_size) for update in updates}
        listed = [part for parts in self._parts.values() for part in parts]
        if not self.config.slice_var_up:  # so that not one server gets all weights, another all biases
            order = [parts[0] for parts in self._parts.values()]
            np.random.RandomState(self.origin_program.random_seed).shuffle(order)  # type: ignore[arg-type]
            listed = order
        dispatcher = self.config.split_method(self.pserver_endpoints)
        for part, endpoint in zip(listed, dispatcher.dispatch(listed), strict=True):
            if endpoint not in self.pserver_endpoints:
                raise ValueError(f"{type(dispatcher).__name__}.dispatch: gave {endpoint!r}, which is none of "
                                 f"{self.pserver_endpoints}.")
            part.endpoint = endpoint
        self._placed = listed
        for part in listed:
            kind = "RemotePrefetch" if part.parameter in self._prefetched else "Param"
            self._note(part, part.parameter, part.name, part.shape, kind)
        self.param_grad_ep_mapping: dict[str, dict[str, list[Any]]] = {
            endpoint: {"params": [], "grads": []} for endpoint in self.pserver_endpoints}

    def _note(self, part: Part, origin: str, name: str, shape: tuple[int, ...], kind: str) -> None:
        whole = self._original.global_block().var(origin)
        cut = whole if name == origin and whole.shape == tuple(shape) else self._shaped(whole, name, shape)
        self.vars_overview.add_distributed_var(whole, cut, not part.is_whole and whole.shape != tuple(shape),
                                               part.number, part.offset, kind, part.endpoint)

    @staticmethod
    def _shaped(whole: Any, name: str, shape: tuple[int, ...]) -> Any:
        from .details import VarStruct

        return VarStruct(name, tuple(shape), whole.dtype, whole.type, whole.lod_level, whole.persistable)

    def _note_state(self) -> None:
        """Notes where the optimizers' state lies, which is saved with the parameters."""
        for endpoint in self.pserver_endpoints:
            made = self._server(endpoint)
            for here, there in made.origin_of.items():
                if there in self._parts:
                    continue
                part = made.sliced.get(here) or self._whole_at(endpoint, there)
                self._note(part, there, here, made.block.var(here).shape, "Optimizer")

    def _whole_at(self, endpoint: str, name: str) -> Part:
        part = Part(name, 0, 1, 0, (), "")
        part.endpoint = endpoint
        return part

    def _rewrite(self) -> None:
        """Makes a trainer's Programs of those there are; the updates go when they are asked for."""
        split = self.config.runtime_split_send_recv
        suffix = f".trainer_{self.trainer_id}" if self.sync_mode and self.trainer_num > 1 and not split else ""
        made = self._trainer = Trainer(self.origin_program, self.startup_program, self.trainer_id,
                                       self.pserver_endpoints, suffix, split)
        by_parameter = {update.parameter: update for update in self._updates}
        for name in dict.fromkeys(part.parameter for part in self._placed):
            made.send_gradient(by_parameter[name], self._parts[name], self._of_rows[name])
        for table in self._tables:
            made.send_rows(by_parameter[table], table)
        counter = self._counter()
        if not self.sync_mode and counter is not None:
            made.send_counter(self._counter_of_trainer(counter))
        behind = None
        if self.sync_mode or split and self.config.half_async:
            behind = made.send_barrier(half_async=not self.sync_mode)
        received = [name for name in self._parts if name not in self._prefetched]
        for name in received:
            sent = made.sent[by_parameter[name].gradient]
            made.receive(by_parameter[name], self._parts[name], sent if behind is None else behind)
        for name in self._prefetched:
            made.look_up(name, self._parts[name])
        for table in self._tables:
            made.look_up_distributed(table)
        if self.sync_mode:
            made.fetch_barrier(behind)
        for name in received:
            made.join(self._parts[name])
        made.start_with_servers([self._parts[name] for name in received])
        self._note_endpoints()

    def _note_endpoints(self) -> None:
        block = self.origin_program.global_block()
        for part in self._placed:
            held = self.param_grad_ep_mapping[part.endpoint]
            held["params"].append(block.vars[part.name] if block.has_var(part.name) else self._shaped(
                block.var(part.parameter), part.name, part.shape))
            held["grads"].append(part)

    # Schedules that count, where nobody waits

    def _counter(self) -> str | None:
        """The variable that schedules of learning rates count steps in."""
        return next((op.output("Out")[0] for op in self._schedules if op.type == _COUNTS), None)

    def _counts(self) -> tuple[str, list[str]] | None:
        """It, and the variables that trainers count in, where each counts by itself."""
        counter = self._counter()
        if counter is None or self.sync_mode:
            return None
        return counter, [f"{counter}.trainer_{number}" for number in range(self.trainer_num)]

    def _counter_of_trainer(self, counter: str) -> Any:
        like = self.origin_program.global_block().var(counter)
        name = f"{counter}.trainer_{self.trainer_id}"
        for home in (self.origin_program.global_block(), self.startup_program.global_block()):
            home.new_var(name=name, shape=like.shape, dtype=like.dtype, persistable=True, stop_gradient=True)
        self.startup_program.global_block().append_op(
            type="fill_constant", inputs={}, outputs={"Out": name},
            attrs={"shape": list(like.shape), "dtype": like.dtype, "value": 1.0})
        return self.origin_program.global_block().var(name)

    # Programs

    def get_trainer_program(self, wait_port: bool = True) -> Any:
        """The trainer's Program: the one that was transpiled, without its updates. Waits until servers listen."""
        if not self._deleted:
            self._deleted = True
            delete_ops(self.origin_program.global_block(), self._schedules)
            self._trainer.without(self.optimize_ops, startup=True)
            for name in (*self._prefetched, *self._tables):
                self._trainer.without_value(name)
        if wait_port and self.config.wait_port:
            wait_server_ready(self.pserver_endpoints)
        return self.origin_program

    def get_pserver_program(self, endpoint: str) -> Any:
        """The Program of the server at an endpoint, one of those that `transpile` was given."""
        self._made = self._server(endpoint)
        self.pserver_program = self._made.finish(
            self.pserver_endpoints.index(endpoint), **self._threads(),
            **({"dc_asgd": True} if self.config.enable_dc_asgd else {}))
        self.pserver_program._tables_on_server = self._table_descriptions(self._made)
        self.pserver_program._parts_on_server = len(self.pserver_endpoints), self._made.parts()
        self._describe(self.pserver_program, endpoint)
        return self.pserver_program

    def _threads(self) -> dict[str, int]:
        return {f"rpc_{name}_thread_num": getattr(self.server_config, f"_rpc_{name}_thread_num")
                for name in ("get", "send", "prefetch")}

    def _empty_server(self, endpoint: str) -> server.Server:
        """What a server is before it has blocks."""
        if endpoint not in self.pserver_endpoints:
            raise ValueError(f"get_pserver_program(endpoint): one of {self.pserver_endpoints}. Received {endpoint!r}.")
        made = server.Server(self._original, endpoint, self.distributed_mode, self.trainer_num, self.sync_mode)
        rows, dense = VarType.SELECTED_ROWS, VarType.LOD_TENSOR
        made.declare([part for part in self._placed if part.endpoint == endpoint],
                     {name: rows if self._of_rows[name] else dense for name in self._parts})
        return made

    def _server(self, endpoint: str) -> server.Server:
        made = self._empty_server(endpoint)
        parts = [part for part in self._placed if part.endpoint == endpoint]
        scheduled = {name for op in self._original_schedules for name in op.output_arg_names}
        rates = {name for update in self._original_updates for op in update.ops for name in op.input_arg_names}
        made.add_schedules(self._original_schedules, sorted(scheduled & rates), self._counts())
        for update in self._original_updates:
            for part in parts:
                if part.parameter == update.parameter:
                    made.add_update(update, part, self._of_rows[part.parameter], self.config.enable_dc_asgd)
        for update in self._original_updates:
            if update.parameter in self._tables:
                made.add_table(update)
        return made

    def _table_descriptions(self, made: server.Server) -> dict[str, dict[str, Any]]:
        """What a server needs to know of tables whose rows it makes: what they begin with."""
        source = self.origin_startup_program.global_block()
        found = {}
        for name, table in made.tables.items():
            makers = {each: op for op in source.ops for each in op.output_arg_names}
            begins = makers.get(name)
            first = {slot: makers[each].attrs["value"] for slot, each in table.pop("state").items()
                     if each in makers and makers[each].attrs.get("value")}
            entry = getattr(self.origin_program.global_block().var(name), "table_entry", None)
            entry_of(entry, name)
            found[name] = {**table, "first": first, "seed": self.origin_program.random_seed, "entry": entry,
                           "begins": None if begins is None else (begins.type, dict(begins.attrs))}
        return found

    def get_pserver_programs(self, endpoint: str) -> tuple[Any, Any]:
        """`get_pserver_program` and `get_startup_program` of an endpoint."""
        program = self.get_pserver_program(endpoint)
        return program, self.get_startup_program(endpoint, program)

    def get_startup_program(self, endpoint: str, pserver_program: Any = None, startup_program: Any = None) -> Any:
        """The startup Program of the server at an endpoint, whose Program was asked for before."""
        if pserver_program is None or getattr(self, "pserver_program", None) is not pserver_program:
            pserver_program = self.get_pserver_program(endpoint)
        made = self._made.startup(startup_program or self.origin_startup_program)
        self._describe(made, endpoint)
        return made

    # What other modules ask of the Programs

    def _mark(self, endpoint: str) -> None:
        self._describe(self.origin_program, endpoint)
        self.origin_program._is_chief = self.trainer_id == 0

    def _describe(self, program: Any, endpoint: str) -> None:
        program._is_distributed = True
        program._is_chief, program._is_on_server = False, program is not self.origin_program
        program._endpoints, program._ps_endpoint = self.pserver_endpoints, endpoint
        program._trainer_id = self.trainer_id
        program._distributed_lookup_table = self.table_name
        program._distributed_tables = list(self._tables)
        program._parameters_on_pservers = self.vars_overview

    def _transpile_collective(self, trainer_id: int, program: Any, startup: Any, trainers: Any, endpoint: str) -> None:
        prepare = transpile_nccl2 if self.config.mode == "nccl2" else transpile_collective
        prepare(self.config, trainer_id, trainers, endpoint, startup, program)


__all__ = ["DistributeTranspiler", "DistributeTranspilerConfig", "DistributedMode", "ServerRuntimeConfig", "VarBlock",
           "same_or_split_var", "slice_variable", "trainer"]

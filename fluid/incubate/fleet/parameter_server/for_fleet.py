"""The servers of 2.x's fleet (`paddle.distributed.fleet`), by 1.x's: one transpiler divides the Programs of both."""

from __future__ import annotations

import warnings
from typing import Any

from .....distributed.fleet.base import role_maker as roles_of_2
from .....distributed.fleet.base.meeting import Meeting
from .....distributed.fleet.servers import Servers
from ....framework import default_startup_program, program_guard
from ....transpiler.distribute_transpiler import DistributedMode
from ....transpiler.trainer import RPC, control_variable
from ..base.role_maker import Assignment, RoleMakerBase
from .distribute_transpiler.distributed_strategy import DistributedStrategy, StrategyFactory
from .distribute_transpiler.distributed_transpiler import DistributedTranspiler

__all__ = ["TranspiledServers", "strategy_for"]

_OTHERS = ("amp", "adaptive_localsgd", "asp", "auto", "auto_search", "dgc", "elastic", "fp16_allreduce",
           "gradient_merge", "heter_ccl_mode", "is_fl_ps_mode", "is_with_coordinator", "lamb", "lars", "localsgd",
           "pipeline", "qat", "semi_auto", "sharding", "sync_batch_norm", "tensor_parallel")


def strategy_for(strategy: Any) -> DistributedStrategy:
    """1.x's strategy for a DistributedStrategy of 2.x.

    `a_sync=False`: in rounds; else each gradient as it comes, or with `a_sync_configs` of `k_steps` above 0 by what has
    changed in so many steps (geo). Raises NotImplementedError for what is not supported with servers.
    """
    asked = [name for name in _OTHERS if getattr(strategy, name)]
    settings = strategy.a_sync_configs
    asked += [f"a_sync_configs[{name!r}]" for name, usual in (("use_ps_gpu", 0), ("heter_worker_device_guard", "cpu"))
              if settings.get(name, usual) != usual]
    asked += [name for name in ("sparse_table_configs", "fleet_desc_configs") if getattr(strategy, name, None)]
    if asked:
        raise NotImplementedError(f"fleet.distributed_optimizer(strategy): {', '.join(asked)} is not supported in "
                                  "training with parameter servers. Leave it out; a_sync and k_steps say how workers "
                                  "and servers go together.")
    steps = settings["k_steps"]
    if not strategy.a_sync:
        if steps > 0:
            raise ValueError(f"DistributedStrategy: a_sync_configs['k_steps']={steps} needs a_sync=True.")
        return StrategyFactory.create_sync_strategy()
    return StrategyFactory.create_geo_strategy(steps) if steps > 0 else StrategyFactory.create_async_strategy()


class _Part(RoleMakerBase):
    """A part that a role maker of 2.x tells of."""

    def __init__(self, role: roles_of_2.RoleMakerBase):
        super().__init__()
        self._role = role

    def _assigned(self) -> Assignment:
        return self._role._assignment()

    def _meet(self, meeting: Meeting) -> None:
        super()._meet(meeting)
        self._role._meet(meeting)


class TranspiledServers(Servers):
    """Servers and workers of a Program that the transpiler divides."""

    def __init__(self, role: roles_of_2.RoleMakerBase):
        self._fleet = DistributedTranspiler()
        self._fleet.init(_Part(role))

    def minimize(self, optimizer: Any, strategy: Any, loss: Any, startup_program: Any, parameter_list: Any,
                 no_grad_set: Any) -> Any:
        """Appends the backward pass and the updates, and divides the Program."""
        if isinstance(loss, (list, tuple)):
            raise TypeError("fleet.minimize(loss): one loss. Received several.")
        startup = startup_program or default_startup_program()
        wanted = strategy_for(strategy)
        with program_guard(loss.block.program, startup):
            found = optimizer.minimize(loss, startup, parameter_list, no_grad_set)
            if wanted.mode == DistributedMode.GEO:
                _refuse_entries(loss.block.program)
                self._fleet._transpile(wanted)
                return found
            rates = _take_rates(loss.block.program)
            self._fleet._transpile(wanted)
            if self._fleet.is_worker():
                _tell_rates(self._fleet, rates)
        return found

    def shrink(self, threshold: int | None = None) -> None:
        """Has servers remove rows that rest; see `Fleet.shrink`."""
        self._fleet.shrink(0 if threshold is None else threshold)

    def init_server(self, dirname: str | None = None, var_names: Any = None) -> None:
        """Runs the startup Program; with a folder, the parameters are those that `save_persistables` wrote there."""
        if var_names is not None:
            raise NotImplementedError("fleet.init_server(var_names): all variables of the folder are loaded. Leave "
                                      "var_names out.")
        self._fleet.init_server(dirname)

    def run_server(self) -> None:
        """Serves until all workers are done."""
        self._fleet.run_server()

    def init_worker(self) -> None:
        """Lets the worker exchange with the servers and with other workers."""
        self._fleet.init_worker()

    def stop_worker(self) -> None:
        """Says that this worker is done: servers end when all have said it."""
        self._fleet.stop_worker()

    def save_persistables(self, executor: Any, dirname: str, main_program: Any = None) -> None:
        """Writes all values that are kept between runs, those of servers among them."""
        self._fleet.save_persistables(executor, dirname, main_program)

    def save_inference_model(self, executor: Any, dirname: str, feeded_var_names: Any, target_vars: Any,
                             main_program: Any = None, export_for_deployment: bool = True) -> None:
        """Writes the Program that gives `target_vars`, as it was before it was divided, and its parameters."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*holds operators that PaddlePaddle 1.8")  # it is for PaddlePaddle 2
            self._fleet.save_inference_model(executor, dirname, feeded_var_names, target_vars, main_program,
                                             export_for_deployment)


def _refuse_entries(program: Any) -> None:
    for parameter in program.all_parameters():
        entry = getattr(parameter, "table_entry", None)
        if entry:
            raise NotImplementedError(f"sparse_embedding(entry): {parameter.name!r} asks for {entry}; with k_steps "
                                      "each worker has a whole table, all of whose rows are there. Leave entry out.")


def _take_rates(program: Any) -> dict[str, Any]:
    """Learning rates as a Program holds them, which has them no more: they are told to servers."""
    found = dict(program.host_values)
    program.host_values.clear()
    return found


def _tell_rates(fleet: DistributedTranspiler, rates: dict[str, Any]) -> None:
    """Has a worker's Program tell servers learning rates that change, as by the schedule that steps in this process."""
    program, made = fleet.main_program, fleet._transpiler
    assert program is not None
    block = program.global_block()
    for name, source in rates.items():
        holders = [endpoint for endpoint in fleet.server_endpoints()
                   if made._server(endpoint).block.find_var(name) is not None]
        like = made._original.global_block().var(name)
        if not block.has_var(name):
            block.new_var(name=name, shape=like.shape, dtype=like.dtype, persistable=True, stop_gradient=True)
        program.host_values[name] = source
        control = control_variable(block)
        block._insert_op(0, type="send", inputs={"X": block.var(name)}, outputs={"Out": control}, attrs={
            "epmap": holders, "send_varnames": [name] * len(holders), "assigns": True,
            "trainer_id": fleet.worker_index(), "op_role": RPC})


Servers.made_by = TranspiledServers

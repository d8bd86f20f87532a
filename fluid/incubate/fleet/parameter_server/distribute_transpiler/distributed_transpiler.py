"""The fleet of servers and workers: `minimize` divides the Program, and each process runs its part of it."""

from __future__ import annotations

import os
import warnings
from typing import Any

from ......core.flags import get_flag
from ......distributed.fleet.base.meeting import ThroughServers
from ......distributed.ps import engine
from ......distributed.ps.checkpoint import FOLDER, holds_checkpoint
from ......static.program import Program
from ......static.run.executor import Executor
from ..... import io
from .....communicator import Communicator
from .....framework import default_main_program, default_startup_program
from .....parallel_executor import ParallelExecutor
from .....transpiler.details import wait_server_ready
from .....transpiler.distribute_transpiler import (
    DistributedMode,
    DistributeTranspiler,
    DistributeTranspilerConfig,
)
from .....transpiler.geo_sgd_transpiler import GeoSgdTranspiler
from ...base.fleet_base import DistributedOptimizer, Fleet, Mode
from ...base.role_maker import MPISymetricRoleMaker
from .distributed_strategy import (
    AsyncStrategy,
    DistributedStrategy,
    GeoStrategy,
    HalfAsyncStrategy,
    StrategyFactory,
    SyncStrategy,
)

__all__ = ["DistributedTranspiler", "TranspilerOptimizer", "fleet"]


class DistributedTranspiler(Fleet):
    """Servers and workers of a Program that `distributed_optimizer(…).minimize(loss)` divides.

    A server calls `init_server` and `run_server`; a worker runs `startup_program`, calls `init_worker`, trains by
    `main_program`, and calls `stop_worker`.
    """

    def __init__(self) -> None:
        super().__init__(Mode.TRANSPILER)
        self._transpile_config: DistributedStrategy | None = None
        self._transpiler: Any = None
        self._origin_program: Program | None = None
        self._communicator: Communicator | None = None
        self.startup_program: Program | None = None
        self.main_program: Program | None = None

    # Programs

    def distributed_optimizer(self, optimizer: Any, strategy: Any = None) -> TranspilerOptimizer:
        """An optimizer whose `minimize` divides the Program as a strategy, or a transpiler's config, says."""
        if not self._is_initialized:
            raise ValueError("fleet.distributed_optimizer: call fleet.init(role_maker) first.")
        self._optimizer = TranspilerOptimizer(optimizer, strategy, self)
        return self._optimizer

    def _transpile(self, config: Any) -> None:
        """Divides the default main Program: `main_program` and `startup_program` are this process's part of it."""
        strategy = self._transpile_config = _as_strategy(config)
        program_config = strategy.get_program_config()
        program = default_main_program()
        self._origin_program = program.clone(for_test=False)
        made = self._transpiler = (GeoSgdTranspiler if program_config.geo_sgd_mode else DistributeTranspiler)(
            program_config)
        made._set_server_config(strategy.get_server_runtime_config())
        here = None if self.is_worker() else self.server_endpoints()[self.server_index()]
        made.transpile(trainer_id=self.worker_index() if here is None else 0, trainers=self.worker_num(),
                       pservers=self.server_endpoints(to_string=True), sync_mode=program_config.sync_mode,
                       **({} if here is None else {"current_endpoint": here}))
        if here is not None:
            self.main_program, self.startup_program = made.get_pserver_programs(here)
            return
        self.main_program = made.get_trainer_program(
            wait_port=program_config.wait_port and not isinstance(self._role_maker, MPISymetricRoleMaker))
        self.startup_program = default_startup_program()

    def _programs(self, what: str) -> tuple[Program, Program]:
        if self.main_program is None or self.startup_program is None:
            raise ValueError(f"fleet.{what}(): there is no Program yet. Call "
                             "fleet.distributed_optimizer(optimizer, strategy).minimize(loss) first.")
        return self.main_program, self.startup_program

    # Servers

    def init_server(self, model_dir: str | None = None) -> None:
        """Runs the startup Program; with a folder, the parameters are those that `save_persistables` wrote there.

        A table whose rows live on servers alone is in the servers' checkpoints: without one in
        `FLAGS_ps_checkpoint_folder`, a warning says that its rows begin anew.
        """
        main, startup = self._programs("init_server")
        assert self._executor is not None
        self._executor.run(startup)
        if model_dir:
            if not os.path.isdir(model_dir):
                raise ValueError(f"fleet.init_server(model_dir): there is no folder {model_dir!r}.")
            io.load_persistables(self._executor, model_dir, main)
            _warn_of_tables(main, model_dir)

    def run_server(self) -> None:
        """Serves until all workers are done."""
        main, _ = self._programs("run_server")
        assert self._executor is not None
        self._executor.run(main)

    # Workers

    def init_worker(self) -> None:
        """Waits until the servers listen, and lets the worker exchange with them and with other workers."""
        main, _ = self._programs("init_worker")
        strategy = self._transpile_config
        assert strategy is not None
        if isinstance(self._role_maker, MPISymetricRoleMaker):
            wait_server_ready(self.server_endpoints())
        elif self.worker_num() > 1:
            self._role_maker._meet(ThroughServers(
                engine.client(self.worker_index(), self.server_endpoints()), self.server_endpoints()[0]))
        if self._communicator is None:
            assert strategy.mode is not None
            self._communicator = Communicator(main, strategy.mode, self._settings(strategy),
                                              strategy.get_trainer_runtime_config().get_communicator_flags())
        self._communicator.start()

    def _settings(self, strategy: DistributedStrategy) -> dict[str, Any]:
        if strategy.mode == DistributedMode.GEO:
            return {"trainers": self.worker_num(),
                    "push_nums": strategy.get_program_config().geo_sgd_need_push_nums}
        if strategy.mode == DistributedMode.SYNC:
            return {"pserver_endpoints": self.server_endpoints(), "trainer_id": self.worker_index()}
        return {}

    def stop_worker(self) -> None:
        """Says that this worker is done: servers end when all have said it."""
        if self._communicator is None:
            raise RuntimeError("fleet.stop_worker(): call fleet.init_worker() before training.")
        self._communicator.stop()
        self._communicator = None
        assert self._executor is not None
        self._executor.close()

    def shrink(self, rests: int = 0) -> None:
        """Has servers remove the rows of tables that no update has changed since more than so many calls of this.

        All workers call it, and wait for each other.
        """
        self._programs("shrink")
        self._role_maker.barrier_worker()
        if self.is_first_worker():
            engine.client(0, self.server_endpoints()).shrink(self.server_endpoints(), rests)
        self._role_maker.barrier_worker()

    # Files

    def save_inference_model(self, executor: Any, dirname: str, feeded_var_names: Any, target_vars: Any,
                             main_program: Any = None, export_for_deployment: bool = True) -> None:
        """Writes the Program that gives `target_vars`, as it was before it was divided, and its parameters.

        `main_program`: another Program. One worker does it. TypeError for a CompiledProgram or a ParallelExecutor.
        """
        _check_executor("save_inference_model", executor)
        if main_program is not None:
            _check_program("save_inference_model", main_program)
            io.save_inference_model(dirname, feeded_var_names, target_vars, executor, main_program, None, None,
                                    export_for_deployment)
            return
        main, _ = self._programs("save_inference_model")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "save_inference_model.program_only=True")  # values are written below
            io.save_inference_model(dirname, feeded_var_names, target_vars, executor, self._origin_program, None, None,
                                    export_for_deployment, True)
        with open(os.path.join(dirname, "__model__"), "rb") as file:
            program = Program.parse_from_string(file.read())
        for name in _OF_DIVIDED:
            setattr(program, name, getattr(main, name))
        self.save_persistables(executor, dirname, program)

    def save_persistables(self, executor: Any, dirname: str, main_program: Any = None) -> None:
        """Writes all values of this worker's Program that are kept between runs, those that servers keep among them.

        One worker does it. TypeError for a CompiledProgram or a ParallelExecutor, ValueError for a Program that is not
        divided.
        """
        _check_executor("save_persistables", executor)
        program = self._programs("save_persistables")[0] if main_program is None else main_program
        _check_program("save_persistables", program)
        if not getattr(program, "_is_distributed", False):
            raise ValueError("fleet.save_persistables(main_program): this Program is not divided among processes. Use "
                             "fluid.io.save_persistables.")
        io.save_persistables(executor, dirname, program, None)


class TranspilerOptimizer(DistributedOptimizer):
    """An optimizer whose `minimize` divides the default main Program among workers and servers.

    `strategy`: of `StrategyFactory`, or a DistributeTranspilerConfig; in rounds where there is none.
    """

    def __init__(self, optimizer: Any, strategy: Any = None, of: DistributedTranspiler | None = None):
        super().__init__(optimizer, strategy or StrategyFactory.create_sync_strategy())
        if not isinstance(self._strategy, (DistributedStrategy, DistributeTranspilerConfig)):
            raise TypeError("fleet.distributed_optimizer(strategy): of StrategyFactory, or a "
                            f"DistributeTranspilerConfig. Received {type(strategy).__name__}.")
        self._fleet = of or fleet
        self.opt_info: dict[str, Any] = {}
        if isinstance(self._strategy, DistributedStrategy):
            self.opt_info = {**self._strategy.get_debug_opt(), "mpi_rank": self._fleet.worker_index(),
                             "mpi_size": self._fleet.worker_num(), "trainer": "MultiTrainer",
                             "device_worker": "Hogwild"}

    def minimize(self, loss: Any, scopes: Any = None, startup_program: Any = None,
                 parameter_list: Any = None, no_grad_set: Any = None) -> Any:
        """As the optimizer's, and divides the Program. TypeError for several losses, or Programs."""
        if isinstance(loss, list) or isinstance(startup_program, list):
            raise TypeError("fleet's minimize(loss): one loss, and one startup Program. Received a list.")
        found = self._optimizer.minimize(loss, startup_program, parameter_list, no_grad_set)
        self._fleet._transpile(self._strategy)
        return found


def _warn_of_tables(program: Any, model_dir: str) -> None:
    tables, folder = program._distributed_tables, get_flag(FOLDER)
    if tables and not (folder and holds_checkpoint(folder)):
        name = os.path.basename(os.path.normpath(model_dir))
        warnings.warn(
            f"fleet.init_server({model_dir!r}): the rows of {tables} live on servers alone and are not in this folder: "
            f"they begin anew. save_persistables has had the servers write them to the folder {name!r} inside of "
            f"their {FOLDER}; start servers with {FOLDER} set to that one, and they go on from it. It is "
            f"{folder!r} now, without a complete checkpoint.", stacklevel=5)


#: What a Program that is divided knows of it.
_OF_DIVIDED = ("_is_distributed", "_is_chief", "_endpoints", "_ps_endpoint", "_trainer_id",
               "_distributed_lookup_table", "_distributed_tables", "_parameters_on_pservers")


def _as_strategy(config: Any) -> DistributedStrategy:
    """The strategy that a transpiler's config asks for."""
    if isinstance(config, DistributedStrategy):
        return config
    made: DistributedStrategy
    if config.sync_mode:
        made = SyncStrategy()
    elif config.geo_sgd_mode:
        made = GeoStrategy(config.geo_sgd_need_push_nums)
    elif config.half_async or not config.runtime_split_send_recv:
        made = HalfAsyncStrategy()
    else:
        made = AsyncStrategy()
    made.set_program_config(config)
    return made


def _check_executor(method: str, executor: Any) -> None:
    if isinstance(executor, ParallelExecutor) or not isinstance(executor, Executor):
        raise TypeError(f"fleet.{method}(executor): a fluid.Executor. Received {type(executor).__name__}.")


def _check_program(method: str, program: Any) -> None:
    if not isinstance(program, Program):
        raise TypeError(f"fleet.{method}(main_program): a Program. Received {type(program).__name__}.")


fleet = DistributedTranspiler()

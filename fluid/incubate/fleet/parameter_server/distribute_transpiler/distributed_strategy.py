"""`distribute_transpiler.distributed_strategy`: how workers and servers go together, as objects that a script hands on.

`StrategyFactory` makes them: in rounds (sync), each gradient as it comes (async), each as it comes but with all workers
at one step (half-async), or by what parameters have changed (geo).
"""

from __future__ import annotations

import os
from typing import Any, ClassVar

from ......static.run.strategies import BuildStrategy, ExecutionStrategy
from .....transpiler.distribute_transpiler import (
    DistributedMode,
    DistributeTranspilerConfig,
    ServerRuntimeConfig,
)

__all__ = ["AsyncStrategy", "DistributedStrategy", "GeoStrategy", "HalfAsyncStrategy", "StrategyFactory",
           "SyncStrategy", "TrainerRuntimeConfig"]

_DEFAULTS = {"communicator_independent_recv_thread": "1", "communicator_thread_pool_size": "5",
             "communicator_send_wait_times": "5", "communicator_is_sgd_optimizer": "1", "rpc_deadline": "180000",
             "rpc_retry_times": "3"}
_AS_THREADS = ("communicator_max_merge_var_num", "communicator_send_queue_size",
               "communicator_min_send_grad_num_before_recv")
_BY_MODE = {
    DistributedMode.SYNC: ("communicator_max_merge_var_num", "communicator_send_wait_times",
                           "communicator_thread_pool_size", "communicator_send_queue_size"),
    DistributedMode.GEO: ("communicator_thread_pool_size", "communicator_send_wait_times")}
_BY_MODE[DistributedMode.HALF_ASYNC] = _BY_MODE[DistributedMode.SYNC]
_OF_THREADS = ("communicator_max_merge_var_num", "communicator_send_queue_size")


def _threads() -> str:
    return os.environ.get("CPU_NUM", "1")


class TrainerRuntimeConfig:
    """How 1.x's communicator of a worker works: sizes of its queues and pools, as texts. Kept, and without effect.

    What is sent goes out at once here, and is received when it is needed. `FLAGS_…` of the environment are defaults.

    >>> from proa.fluid.incubate.fleet.parameter_server.distribute_transpiler import distributed_strategy
    >>> distributed_strategy.TrainerRuntimeConfig().runtime_configs["rpc_retry_times"]
    '3'
    """

    def __init__(self) -> None:
        self.mode: int | None = None
        defaults = {**dict.fromkeys(_AS_THREADS, _threads()), **_DEFAULTS}
        self.runtime_configs = {name: os.environ.get(f"FLAGS_{name}", value) for name, value in defaults.items()}

    def get_communicator_flags(self) -> dict[str, str]:
        """The settings that count in the mode; in rounds queues have a place for each thread."""
        if self.mode in (DistributedMode.SYNC, DistributedMode.HALF_ASYNC):
            self.runtime_configs.update(dict.fromkeys(_OF_THREADS, _threads()))
        names = self.runtime_configs if self.mode in (None, DistributedMode.ASYNC) else _BY_MODE[self.mode]
        return {name: str(self.runtime_configs[name]) for name in names}

    def __repr__(self) -> str:
        lines = [f"{name:<45}{value:<5}" for name, value in self.get_communicator_flags().items()]
        return "\n".join(["=" * 50, f"{'TrainerRuntimeConfig Overview':^45}{'Value':<5}", "-" * 50, *lines, "=" * 50])


class DistributedStrategy:
    """How workers and servers go together; subclasses, which `StrategyFactory` makes, say which way.

    Each part is asked for by `get_…`, and set by `set_…`: an object of its class, or a dict of some of its settings.
    Raises TypeError for something else, ValueError for a setting that there is not.
    """

    mode: ClassVar[int | None] = None

    def __init__(self) -> None:
        if self.mode is None:
            raise NotImplementedError("DistributedStrategy: which way it is, a subclass says. Use StrategyFactory: "
                                      "create_sync_strategy(), create_async_strategy(), create_half_async_strategy() "
                                      "or create_geo_strategy(update_frequency).")
        self._program_config = DistributeTranspilerConfig()
        self._trainer_runtime_config = TrainerRuntimeConfig()
        self._server_runtime_config = ServerRuntimeConfig()
        self._execute_strategy, self._build_strategy = ExecutionStrategy(), BuildStrategy()
        self._execute_strategy.num_threads = int(_threads())
        if int(_threads()) > 1:
            self._build_strategy.reduce_strategy = BuildStrategy.ReduceStrategy.Reduce
        self.debug_opt: dict[str, Any] | None = None
        for check in (self.check_program_config, self.check_trainer_runtime_config, self.check_server_runtime_config,
                      self.check_execute_strategy, self.check_build_strategy):
            check()

    def set_debug_opt(self, opt_info: dict[str, Any]) -> None:
        """What to write of values while training by a dataset; see `get_debug_opt`."""
        self.debug_opt = opt_info

    def get_debug_opt(self) -> dict[str, Any]:
        """That, with all settings; empty where nothing was set."""
        if not isinstance(self.debug_opt, dict):
            return {}
        given = self.debug_opt
        return {"dump_slot": bool(given.get("dump_slot", 0)), "dump_converter": str(given.get("dump_converter", "")),
                "dump_fields": given.get("dump_fields", []), "dump_file_num": given.get("dump_file_num", 16),
                "dump_fields_path": given.get("dump_fields_path", ""), "dump_param": given.get("dump_param", [])}

    def get_program_config(self) -> DistributeTranspilerConfig:
        """How the Program is divided."""
        return self._program_config

    def set_program_config(self, config: DistributeTranspilerConfig | dict[str, Any]) -> None:
        """Sets it; what the mode demands stays."""
        self._program_config = _set(self._program_config, config, DistributeTranspilerConfig)
        self.check_program_config()

    def check_program_config(self) -> None:
        """Sets what the mode demands of it."""
        self._program_config.sync_mode = False
        self._program_config.runtime_split_send_recv = True

    def get_trainer_runtime_config(self) -> TrainerRuntimeConfig:
        """How a worker sends and receives."""
        return self._trainer_runtime_config

    def set_trainer_runtime_config(self, config: TrainerRuntimeConfig | dict[str, Any]) -> None:
        """Sets it."""
        if isinstance(config, dict):
            known = self._trainer_runtime_config.runtime_configs
            unknown = sorted(set(config) - set(known))
            if unknown:
                raise ValueError(f"set_trainer_runtime_config(config): has {', '.join(known)}. Received "
                                 f"{unknown}, too.")
            known.update(config)
        else:
            self._trainer_runtime_config = _set(None, config, TrainerRuntimeConfig)
        self.check_trainer_runtime_config()

    def check_trainer_runtime_config(self) -> None:
        """Tells it the mode."""
        self._trainer_runtime_config.mode = self.mode

    def get_server_runtime_config(self) -> ServerRuntimeConfig:
        """How many threads of a server do what."""
        return self._server_runtime_config

    def set_server_runtime_config(self, config: ServerRuntimeConfig | dict[str, Any]) -> None:
        """Sets it."""
        self._server_runtime_config = _set(self._server_runtime_config, config, ServerRuntimeConfig)
        self.check_server_runtime_config()

    def check_server_runtime_config(self) -> None:
        """No mode demands anything of it."""

    def get_execute_strategy(self) -> ExecutionStrategy:
        """For CompiledProgram.with_data_parallel."""
        return self._execute_strategy

    def set_execute_strategy(self, config: ExecutionStrategy | dict[str, Any]) -> None:
        """Sets it."""
        self._execute_strategy = _set(self._execute_strategy, config, ExecutionStrategy)
        self.check_execute_strategy()

    def check_execute_strategy(self) -> None:
        """Sets what the mode demands of it."""

    def get_build_strategy(self) -> BuildStrategy:
        """For CompiledProgram.with_data_parallel."""
        return self._build_strategy

    def set_build_strategy(self, config: BuildStrategy | dict[str, Any]) -> None:
        """Sets it."""
        self._build_strategy = _set(self._build_strategy, config, BuildStrategy)
        self.check_build_strategy()

    def check_build_strategy(self) -> None:
        """Sets what the mode demands of it."""
        self._build_strategy.async_mode = True


class HalfAsyncStrategy(DistributedStrategy):
    """Servers use each gradient as it comes; workers wait for each other at the end of each step."""

    mode = DistributedMode.HALF_ASYNC

    def check_program_config(self) -> None:
        """Sets what the mode demands of it."""
        super().check_program_config()
        self._program_config.half_async = True

    def check_execute_strategy(self) -> None:
        """Sets what the mode demands of it."""
        self._execute_strategy.use_thread_barrier = True


class SyncStrategy(HalfAsyncStrategy):
    """Servers use the mean of all workers' gradients, once a step."""

    mode = DistributedMode.SYNC

    def check_program_config(self) -> None:
        """Sets what the mode demands of it."""
        super().check_program_config()
        self._program_config.completely_not_async = True


class AsyncStrategy(DistributedStrategy):
    """Servers use each gradient as it comes; no worker waits."""

    mode = DistributedMode.ASYNC


class GeoStrategy(DistributedStrategy):
    """Workers update by themselves, and tell servers every `update_frequency` steps what has changed: SGD alone."""

    mode = DistributedMode.GEO

    def __init__(self, update_frequency: int = 100):
        self._update_frequency = update_frequency
        super().__init__()
        self._program_config.geo_sgd_need_push_nums = update_frequency

    def check_program_config(self) -> None:
        """Sets what the mode demands of it."""
        super().check_program_config()
        self._program_config.geo_sgd_mode = True


class StrategyFactory:
    """Makes strategies.

    >>> from proa.fluid.incubate.fleet.parameter_server.distribute_transpiler import distributed_strategy
    >>> distributed_strategy.StrategyFactory.create_geo_strategy(20).get_program_config().geo_sgd_need_push_nums
    20
    """

    @staticmethod
    def create_sync_strategy() -> SyncStrategy:
        """In rounds."""
        return SyncStrategy()

    @staticmethod
    def create_half_async_strategy() -> HalfAsyncStrategy:
        """Each gradient as it comes, all workers at one step."""
        return HalfAsyncStrategy()

    @staticmethod
    def create_async_strategy() -> AsyncStrategy:
        """Each gradient as it comes."""
        return AsyncStrategy()

    @staticmethod
    def create_geo_strategy(update_frequency: int = 100) -> GeoStrategy:
        """By what has changed, every so many steps."""
        return GeoStrategy(update_frequency)


def _set(part: Any, config: Any, kind: type) -> Any:
    """A part of a strategy, with what a dict says, or another one."""
    if isinstance(config, kind):
        return config
    if not isinstance(config, dict) or part is None:
        raise TypeError(f"DistributedStrategy: {kind.__name__}, or a dict of its settings. Received "
                        f"{type(config).__name__}.")
    for name, value in config.items():
        if not hasattr(part, name):
            raise ValueError(f"{kind.__name__} has no setting {name!r}.")
        setattr(part, name, value)
    return part

"""The optimizer of a fleet: `minimize` appends what one process does, and has processes exchange gradients."""

from __future__ import annotations

from typing import Any

from .....distributed.environment import get_rank, get_world_size
from .....distributed.program_exchanges import addresses
from .....static.run.compiled_program import CompiledProgram
from .....static.run.strategies import BuildStrategy, ExecutionStrategy
from .... import contrib, optimizer
from ....framework import default_startup_program
from ....transpiler import collective
from ..base.fleet_base import DistributedOptimizer
from .programs import prepared


class LambConfig:
    """Settings of large batches; none are read."""


class DistFCConfig:
    """Settings of a last layer that is divided among processes, which is not supported."""


class DistributedStrategy(BuildStrategy):
    """What is asked of a fleet, beside what a BuildStrategy says.

    `mode`: "nccl2", where `with_data_parallel` exchanges gradients, or "collective", where operators of the Program do:
    with `collective_mode` "grad_allreduce", or, by `use_local_sgd`, "local_sgd". `forward_recompute` with
    `recompute_checkpoints`, `use_amp` with `amp_loss_scaling`: as the optimizers of these names.

    >>> from proa.fluid.incubate.fleet.collective import DistributedStrategy
    >>> strategy = DistributedStrategy()
    >>> strategy.use_local_sgd = True
    >>> strategy.mode, strategy.amp_loss_scaling
    ('nccl2', 32768.0)
    """

    _defaults = {
        **BuildStrategy._defaults, "use_local_sgd": False, "use_dist_fc": False, "dist_fc_config": None,
        "mode": "nccl2", "collective_mode": None, "forward_recompute": False, "recompute_checkpoints": [],
        "use_amp": False, "amp_loss_scaling": 2.0 ** 15, "exec_strategy": None, "_ut4grad_allreduce": False,
    }

    def __init__(self) -> None:
        super().__init__()
        self.exec_strategy = ExecutionStrategy()


class CollectiveOpBasedOptimizer(DistributedOptimizer):
    """An optimizer around another one, for Programs that exchange by operators. TypeError for another strategy."""

    def __init__(self, optimizer: Any, strategy: Any = None):
        if not isinstance(strategy, DistributedStrategy):
            raise TypeError("CollectiveOpBasedOptimizer(strategy): must be a DistributedStrategy of "
                            f"fluid.incubate.fleet.collective. Received {type(strategy).__name__}.")
        super().__init__(optimizer, strategy)


class CollectiveOptimizer(DistributedOptimizer):
    """An optimizer whose `minimize` prepares the Program for all processes of the fleet, as the strategy says.

    What is to be run is then `fleet.main_program`.
    """

    def __init__(self, optimizer: Any, strategy: DistributedStrategy | None = None):
        super().__init__(optimizer, DistributedStrategy() if strategy is None else strategy)
        if not isinstance(self._strategy, DistributedStrategy):
            raise TypeError("distributed_optimizer(strategy): must be a DistributedStrategy of "
                            f"fluid.incubate.fleet.collective. Received {type(strategy).__name__}.")
        checkpoints: Any = vars(self._strategy)["recompute_checkpoints"]
        if not isinstance(checkpoints, list):
            raise ValueError("DistributedStrategy.recompute_checkpoints: must be a list of variables. Received "
                             f"{type(checkpoints).__name__}.")

    def minimize(self, loss: Any, startup_program: Any = None, parameter_list: Any = None,  # type: ignore[override]
                 no_grad_set: Any = None) -> Any:
        """Appends the backward pass and the updates, and what processes exchange; gives what `minimize` gives."""
        startup, main = startup_program or default_startup_program(), loss.block.program
        self._check_modes()
        found = self._wrapped().minimize(loss, startup, parameter_list, no_grad_set)
        prepared.startup_program, prepared.origin, prepared.transpiled = startup, main.clone(), main
        prepared.main_program = self._prepared(loss, startup, main)
        return found

    def _check_modes(self) -> None:
        strategy: Any = self._strategy
        if strategy.use_dist_fc:
            raise NotImplementedError("DistributedStrategy.use_dist_fc: a layer is not divided among processes here. "
                                      "Leave it False.")
        if strategy.use_local_sgd:
            strategy.mode, strategy.collective_mode = "collective", "local_sgd"
        if strategy._ut4grad_allreduce:
            strategy.mode, strategy.collective_mode = "collective", "grad_allreduce"
        if strategy.mode not in ("nccl2", "collective"):
            raise ValueError(f"DistributedStrategy.mode: must be 'nccl2' or 'collective'. Received {strategy.mode!r}.")
        if strategy.collective_mode is not None and strategy.mode != "collective":
            raise ValueError("DistributedStrategy.collective_mode: belongs to the mode 'collective'. Received "
                             f"{strategy.collective_mode!r} with the mode {strategy.mode!r}.")

    def _wrapped(self) -> Any:
        """The optimizer within those that the strategy asks for."""
        strategy: Any = self._strategy
        found, name = self._optimizer, type(self._optimizer).__name__
        if strategy.forward_recompute:
            if not strategy.recompute_checkpoints:
                raise ValueError("DistributedStrategy.forward_recompute: needs recompute_checkpoints, the variables "
                                 "between which the forward pass is computed again.")
            _refuse_twice("forward_recompute", name, "RecomputeOptimizer", "OptimizerWithMixedPrecision")
            found = optimizer.RecomputeOptimizer(found)
            found._set_checkpoints(strategy.recompute_checkpoints)
        if strategy.use_amp:
            _refuse_twice("use_amp", name, "OptimizerWithMixedPrecision")
            found = contrib.mixed_precision.decorate(found, init_loss_scaling=strategy.amp_loss_scaling,
                                                     use_dynamic_loss_scaling=True)
        return found

    def _prepared(self, loss: Any, startup: Any, main: Any) -> Any:
        strategy: Any = self._strategy
        rank, count = get_rank(), get_world_size()
        endpoints = addresses(count)
        if count > 1:
            prepare = collective.transpile_nccl2 if strategy.mode == "nccl2" else collective.transpile_collective
            prepare(strategy, rank, endpoints, endpoints[rank], startup, main)
        if strategy.mode == "collective":
            return main
        strategy.num_trainers, strategy.trainer_id, strategy.trainers_endpoints = count, rank, endpoints
        return CompiledProgram(main).with_data_parallel(loss.name, strategy, strategy.exec_strategy)


def _refuse_twice(setting: str, given: str, *others: str) -> None:
    if given in others:
        raise ValueError(f"DistributedStrategy.{setting}: the optimizer is {given} already. Give the optimizer that it "
                         f"was made of, or leave {setting} False.")

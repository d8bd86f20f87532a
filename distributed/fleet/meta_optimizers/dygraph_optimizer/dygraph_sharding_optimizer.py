"""DygraphShardingOptimizer: an optimizer that exchanges gradients in its step, and keeps a part of the state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .....optimizer import Optimizer
from .... import engine
from ....buckets import tables_now
from ....environment import refuse_alone
from ....reducer import Reducer
from ....sharding.optimizer import ShardedOptimizer

__all__ = ["DygraphShardingOptimizer"]

_BUCKET_MB = 25.0


class DygraphShardingOptimizer(ShardedOptimizer):
    """The optimizer `optimizer`, whose state is divided among the processes along the axis "sharding" of `hcg`.

    `step()` first gives each process the means, over all processes, of the gradients of its own parameters; so several
    backward passes before a step cost no exchanges. Raises NotImplementedError where that axis has one process.
    """

    _reducer: Reducer | None
    _hcg: Any

    def __init__(self, optimizer: Optimizer, hcg: Any):
        if hcg is None or hcg.get_sharding_parallel_world_size() == 1:
            refuse_alone("DygraphShardingOptimizer", "the optimizer as it is, or set sharding_degree in the strategy's "
                                                     "hybrid_configs")
        replicas = hcg.get_data_parallel_group() if hcg.get_data_parallel_world_size() > 1 else None
        super().__init__(optimizer, hcg.get_sharding_parallel_group(), replicas)
        vars(self).update(_reducer=None, _hcg=hcg)

    def step(self) -> None:
        """Exchanges gradients, updates this process's parameters, and exchanges all."""
        self.reduce_gradients(self._parameter_list or (), self._hcg)
        super().step()

    def reduce_gradients(self, parameter_list: Iterable[Any], hcg: Any) -> None:
        """Gives each process the means of its own parameters' gradients; the others' are let go."""
        trained = [parameter for parameter in parameter_list if not parameter.stop_gradient]
        known = [] if self._reducer is None else [p for bucket in self._reducer.buckets for p in bucket.parameters]
        if trained and {id(parameter) for parameter in known} != {id(parameter) for parameter in trained}:
            array = trained[0]._array
            outer = None if self._replicas is None else engine.communicator(
                self._hcg.get_data_parallel_group().id, array)
            tables = tables_now(trained, [self._group, self._replicas])
            vars(self)["_reducer"] = Reducer(trained, engine.communicator(self._number, array), _BUCKET_MB, _BUCKET_MB,
                                             True, self.partition.owners, tables, outer, in_backward=False)
        if self._reducer is not None:
            self._reducer.exchange()


class DygraphShardingOptimizerV2(DygraphShardingOptimizer):
    """The same: parameters are divided whole, each by its elements nowhere."""

"""HybridParallelOptimizer: an optimizer for the processes that fleet has arranged."""

from __future__ import annotations

from typing import Any

from ....sharding.optimizer import ShardedOptimizer
from .dygraph_sharding_optimizer import DygraphShardingOptimizer

__all__ = ["HybridParallelOptimizer"]


class HybridParallelOptimizer:
    """An optimizer around `optimizer`, whose state is divided where `hcg` has an axis of processes for that.

    >>> import proa as paddle
    >>> from proa.distributed import fleet
    >>> from proa.distributed.fleet.meta_optimizers.dygraph_optimizer import HybridParallelOptimizer
    >>> net = paddle.nn.Linear(2, 2)
    >>> sgd = paddle.optimizer.SGD(parameters=net.parameters())
    >>> HybridParallelOptimizer(sgd, None, fleet.DistributedStrategy()).get_lr()
    0.001
    """

    def __init__(self, optimizer: Any, hcg: Any, strategy: Any):
        divides = hcg is not None and hcg.get_sharding_parallel_world_size() > 1
        if divides and not isinstance(optimizer, ShardedOptimizer):
            optimizer = DygraphShardingOptimizer(optimizer, hcg)
        self._inner_opt, self._hcg, self._strategy = optimizer, hcg, strategy

    def __getattr__(self, name: str) -> Any:
        if name == "_inner_opt":  # while a copy is made
            raise AttributeError(name)
        return getattr(self._inner_opt, name)

"""HybridParallelOptimizer: an optimizer for models that are divided among processes."""

from __future__ import annotations

from typing import Any

__all__ = ["HybridParallelOptimizer"]


class HybridParallelOptimizer:
    """An optimizer around `optimizer` that sums what processes have of gradients: with one process the same.

    >>> import proa as paddle
    >>> from proa.distributed import fleet
    >>> from proa.distributed.fleet.meta_optimizers.dygraph_optimizer import HybridParallelOptimizer
    >>> net = paddle.nn.Linear(2, 2)
    >>> sgd = paddle.optimizer.SGD(parameters=net.parameters())
    >>> HybridParallelOptimizer(sgd, None, fleet.DistributedStrategy()).get_lr()
    0.001
    """

    def __init__(self, optimizer: Any, hcg: Any, strategy: Any):
        self._inner_opt, self._hcg, self._strategy = optimizer, hcg, strategy

    def __getattr__(self, name: str) -> Any:
        if name == "_inner_opt":  # while a copy is made
            raise AttributeError(name)
        return getattr(self._inner_opt, name)

"""Optimizers around optimizers, for many processes, by which packages recognize them."""

from .dygraph_sharding_optimizer import DygraphShardingOptimizer, DygraphShardingOptimizerV2
from .hybrid_parallel_optimizer import HybridParallelOptimizer

__all__ = ["DygraphShardingOptimizer", "DygraphShardingOptimizerV2", "HybridParallelOptimizer"]

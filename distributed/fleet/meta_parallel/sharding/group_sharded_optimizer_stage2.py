"""GroupShardedOptimizerStage2 by its older path: `distributed.sharding`."""

from ....sharding.stage2 import GroupShardedOptimizerStage2

__all__ = ["GroupShardedOptimizerStage2"]

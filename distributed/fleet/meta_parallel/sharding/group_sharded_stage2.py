"""GroupShardedStage2 by its older path: `distributed.sharding`."""

from ....sharding.stage2 import GroupShardedStage2

__all__ = ["GroupShardedStage2"]

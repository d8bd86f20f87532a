"""Models and optimizers whose gradients and state are divided among processes, by their older paths."""

from . import group_sharded_optimizer_stage2, group_sharded_stage2, group_sharded_stage3, group_sharded_utils

__all__ = ["group_sharded_optimizer_stage2", "group_sharded_stage2", "group_sharded_stage3", "group_sharded_utils"]

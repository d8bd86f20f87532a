"""Optimizers whose state is divided among processes: each refuses to be made for one."""

from . import group_sharded_optimizer_stage2, group_sharded_utils

__all__ = ["group_sharded_optimizer_stage2", "group_sharded_utils"]

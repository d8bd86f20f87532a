"""`paddle.distributed.sharding`: optimizers whose state is divided among processes."""

from .group_sharded import group_sharded_parallel, save_group_sharded_model

__all__ = ["group_sharded_parallel", "save_group_sharded_model"]

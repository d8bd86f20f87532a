"""`paddle.distributed.fleet.base`: how processes are arranged, and what is asked of a training."""

from . import distributed_strategy, role_maker, topology

__all__ = ["distributed_strategy", "role_maker", "topology"]

"""Training on several devices and with little memory: what there is of `paddle.distributed`."""

from . import fleet
from .collectives import ReduceOp, all_gather, all_gather_object, all_reduce, barrier, broadcast, reduce, wait
from .environment import ParallelEnv, get_rank, get_world_size, init_parallel_env, is_available, is_initialized
from .parallel import DataParallel

__all__ = ["DataParallel", "ParallelEnv", "ReduceOp", "all_gather", "all_gather_object", "all_reduce", "barrier",
           "broadcast", "fleet", "get_rank", "get_world_size", "init_parallel_env", "is_available", "is_initialized",
           "reduce", "wait"]

"""Training on several devices and with little memory: what there is of `paddle.distributed`."""

from ..io.multi_slot.dataset import InMemoryDataset, QueueDataset
from . import collective, communication, fleet, sharding
from .collectives import (
    P2POp,
    ReduceOp,
    all_gather,
    all_gather_object,
    all_reduce,
    alltoall,
    alltoall_single,
    barrier,
    batch_isend_irecv,
    broadcast,
    broadcast_object_list,
    gather,
    irecv,
    isend,
    recv,
    reduce,
    reduce_scatter,
    scatter,
    scatter_object_list,
    send,
    wait,
)
from .communication import stream
from .entry_attr import CountFilterEntry, ProbabilityEntry, ShowClickEntry
from .environment import ParallelEnv, get_rank, get_world_size, is_available, is_initialized
from .fleet.base.topology import ParallelMode
from .groups import destroy_process_group, get_backend, get_group, new_group
from .initialization import init_parallel_env
from .launch.main import launch
from .parallel import DataParallel
from .spawning import spawn

__all__ = ["CountFilterEntry", "DataParallel", "InMemoryDataset", "P2POp", "ParallelEnv", "ParallelMode",
           "ProbabilityEntry", "QueueDataset", "ReduceOp", "ShowClickEntry", "all_gather", "all_gather_object",
           "all_reduce", "alltoall", "alltoall_single", "barrier", "batch_isend_irecv", "broadcast",
           "broadcast_object_list", "collective", "communication", "destroy_process_group", "fleet", "gather",
           "get_backend", "get_group", "get_rank", "get_world_size", "init_parallel_env", "irecv", "is_available",
           "is_initialized", "isend", "launch", "new_group", "recv", "reduce", "reduce_scatter", "scatter",
           "scatter_object_list", "send", "sharding", "spawn", "stream", "wait"]

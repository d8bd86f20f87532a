"""Training on several devices and with little memory: what there is of `paddle.distributed`."""

from ..core.absent import asked_of
from ..io.multi_slot.dataset import InMemoryDataset, QueueDataset
from . import (
    auto_parallel,
    checkpoint,
    collective,
    communication,
    fleet,
    io,
    passes,
    rpc,
    sharding,
    utils,
)
from .auto_parallel import (
    DistAttr,
    Partial,
    Placement,
    ProcessMesh,
    ReduceType,
    Replicate,
    Shard,
    Strategy,
    dtensor_from_fn,
    reshard,
    shard_layer,
    shard_op,
    shard_optimizer,
    shard_tensor,
    to_static,
)
from .checkpoint.load_state_dict import load_state_dict
from .checkpoint.save_state_dict import save_state_dict
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
from .gloo import gloo_barrier, gloo_init_parallel_env, gloo_release
from .groups import destroy_process_group, get_backend, get_group, new_group
from .initialization import init_parallel_env
from .launch.main import launch
from .parallel import DataParallel
from .sharding import group_sharded_parallel, save_group_sharded_model
from .spawning import spawn
from .splitting import split

__all__ = ["CountFilterEntry", "DataParallel", "DistAttr", "InMemoryDataset", "P2POp", "ParallelEnv", "ParallelMode",
           "Partial", "Placement", "ProbabilityEntry", "ProcessMesh", "QueueDataset", "ReduceOp", "ReduceType",
           "Replicate", "Shard", "ShowClickEntry", "Strategy", "all_gather", "all_gather_object", "all_reduce",
           "alltoall", "alltoall_single", "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list",
           "destroy_process_group", "dtensor_from_fn", "gather", "get_backend", "get_group", "get_rank",
           "get_world_size", "gloo_barrier", "gloo_init_parallel_env", "gloo_release", "group_sharded_parallel",
           "init_parallel_env", "io", "irecv", "is_available", "is_initialized", "isend", "launch", "load_state_dict",
           "new_group", "recv", "reduce", "reduce_scatter", "reshard", "save_group_sharded_model", "save_state_dict",
           "scatter", "scatter_object_list", "send", "shard_layer", "shard_op", "shard_optimizer", "shard_tensor",
           "spawn", "split", "to_static", "wait"]
__getattr__ = asked_of(__name__)

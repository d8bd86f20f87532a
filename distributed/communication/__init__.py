"""`paddle.distributed.communication`: collectives by the path of the module that holds them there."""

from ...core.absent import asked_of
from ..collectives import (
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
    reduce_scatter,
    scatter,
    scatter_object_list,
    send,
    wait,
)
from ..environment import is_initialized
from ..groups import destroy_process_group, get_backend, get_group
from . import all_to_all, group, stream
from .reduce import reduce

__all__ = ["P2POp", "ReduceOp", "all_gather", "all_gather_object", "all_reduce", "alltoall", "alltoall_single",
           "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list", "destroy_process_group", "gather",
           "get_backend", "get_group", "group", "irecv", "is_initialized", "isend", "recv", "reduce", "reduce_scatter",
           "scatter", "scatter_object_list", "send", "stream", "wait"]
__getattr__ = asked_of(__name__)

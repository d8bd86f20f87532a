"""`paddle.distributed.stream`: collectives that say on which stream of a device they run; with one process on none.

Where the functions of `paddle.distributed` take lists, these take one tensor that holds all parts, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.array.creation import assign
from .. import collectives as c
from ..collectives import ReduceOp
from ..environment import require_one_process

__all__ = ["all_gather", "all_reduce", "alltoall", "alltoall_single", "broadcast", "gather", "recv", "reduce",
           "reduce_scatter", "scatter", "send"]


def all_gather(tensor_or_tensor_list: Any, tensor: Any, group: Any = None, sync_op: bool = True,
               use_calc_stream: bool = False) -> None:
    """Every process's tensor, appended to a list or put one behind the other into a tensor."""
    if isinstance(tensor_or_tensor_list, list):
        return c.all_gather(tensor_or_tensor_list, tensor)
    require_one_process("all_gather")
    assign(tensor, tensor_or_tensor_list)


def all_reduce(tensor: Any, op: int = ReduceOp.SUM, group: Any = None, sync_op: bool = True,
               use_calc_stream: bool = False) -> None:
    """See `paddle.distributed.all_reduce`."""
    c.all_reduce(tensor, op)


def alltoall(out_tensor_or_tensor_list: Any, in_tensor_or_tensor_list: Any, group: Any = None, sync_op: bool = True,
             use_calc_stream: bool = False) -> None:
    """See `paddle.distributed.alltoall`; what is received comes first here."""
    if isinstance(out_tensor_or_tensor_list, list):
        return c.alltoall(_parts(in_tensor_or_tensor_list), out_tensor_or_tensor_list)
    c.alltoall_single(in_tensor_or_tensor_list, out_tensor_or_tensor_list)


def alltoall_single(out_tensor: Any, in_tensor: Any, out_split_sizes: Sequence[int] | None = None,
                    in_split_sizes: Sequence[int] | None = None, group: Any = None, sync_op: bool = True,
                    use_calc_stream: bool = False) -> None:
    """See `paddle.distributed.alltoall_single`; what is received comes first here."""
    c.alltoall_single(in_tensor, out_tensor)


def broadcast(tensor: Any, src: int, group: Any = None, sync_op: bool = True, use_calc_stream: bool = False) -> None:
    """See `paddle.distributed.broadcast`."""
    c.broadcast(tensor, src)


def gather(tensor: Any, gather_list: list[Any] | None = None, dst: int = 0, group: Any = None, sync_op: bool = True,
           use_calc_stream: bool = False) -> None:
    """See `paddle.distributed.gather`."""
    c.gather(tensor, gather_list, dst)


def reduce(tensor: Any, dst: int = 0, op: int = ReduceOp.SUM, group: Any = None, sync_op: bool = True,
           use_calc_stream: bool = False) -> None:
    """See `paddle.distributed.reduce`."""
    c.reduce(tensor, dst, op)


def reduce_scatter(tensor: Any, tensor_or_tensor_list: Any, op: int = ReduceOp.SUM, group: Any = None,
                   sync_op: bool = True, use_calc_stream: bool = False) -> None:
    """See `paddle.distributed.reduce_scatter`."""
    c.reduce_scatter(tensor, _parts(tensor_or_tensor_list), op)


def scatter(tensor: Any, tensor_or_tensor_list: Any = None, src: int = 0, group: Any = None, sync_op: bool = True,
            use_calc_stream: bool = False) -> None:
    """See `paddle.distributed.scatter`."""
    c.scatter(tensor, _parts(tensor_or_tensor_list), src)


def send(tensor: Any, dst: int = 0, group: Any = None, sync_op: bool = True, use_calc_stream: bool = False) -> None:
    """See `paddle.distributed.send`."""
    c.send(tensor, dst)


def recv(tensor: Any, src: int = 0, group: Any = None, sync_op: bool = True, use_calc_stream: bool = False) -> None:
    """See `paddle.distributed.recv`."""
    c.recv(tensor, src)


def _parts(tensor_or_list: Any) -> Any:
    """A part for each process: a list as it is; a tensor is the part of the one process."""
    return tensor_or_list if isinstance(tensor_or_list, (list, tuple)) or tensor_or_list is None else [tensor_or_list]

"""`paddle.distributed.stream`: collectives that say on which stream of a device they run; here on none.

Where the functions of `paddle.distributed` take lists, these take one tensor that holds all parts, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.lazy import listed
from ...ops.array.concat_split import split
from .. import collectives as c
from ..collectives import ReduceOp
from ..groups import Group, group_of
from ..tasks import Task

__all__ = ["all_gather", "all_reduce", "alltoall", "alltoall_single", "broadcast", "gather", "recv", "reduce",
           "reduce_scatter", "scatter", "send"]
__dir__ = listed(__name__)


def all_gather(tensor_or_tensor_list: Any, tensor: Any, group: Group | None = None, sync_op: bool = True,
               use_calc_stream: bool = False) -> Task:
    """Every process's tensor, appended to a list or put one behind the other into a tensor.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> found = []
    >>> _ = dist.stream.all_gather(found, paddle.to_tensor([1.0]))
    >>> [x.tolist() for x in found]
    [[1.0]]
    """
    if isinstance(tensor_or_tensor_list, list):
        return c.all_gather(tensor_or_tensor_list, tensor, group, sync_op)
    return c.gather_into(tensor_or_tensor_list, tensor, group, sync_op)


def all_reduce(tensor: Any, op: int = ReduceOp.SUM, group: Group | None = None, sync_op: bool = True,
               use_calc_stream: bool = False) -> Task:
    """See `paddle.distributed.all_reduce`.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> x = paddle.to_tensor([1.0])
    >>> _ = dist.stream.all_reduce(x)  # one process
    >>> x.tolist()
    [1.0]
    """
    return c.all_reduce(tensor, op, group, sync_op)


def alltoall(out_tensor_or_tensor_list: Any, in_tensor_or_tensor_list: Any, group: Group | None = None,
             sync_op: bool = True, use_calc_stream: bool = False) -> Task:
    """See `paddle.distributed.alltoall`; what is received comes first here.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> found = []
    >>> _ = dist.stream.alltoall(found, [paddle.to_tensor([1.0])])
    >>> [x.tolist() for x in found]
    [[1.0]]
    """
    if isinstance(out_tensor_or_tensor_list, list):
        given = _parts("alltoall", in_tensor_or_tensor_list, group)
        return c.alltoall(given, out_tensor_or_tensor_list, group, sync_op)
    return c.alltoall_single(in_tensor_or_tensor_list, out_tensor_or_tensor_list, group=group, sync_op=sync_op)


def alltoall_single(out_tensor: Any, in_tensor: Any, out_split_sizes: Sequence[int] | None = None,
                    in_split_sizes: Sequence[int] | None = None, group: Group | None = None, sync_op: bool = True,
                    use_calc_stream: bool = False) -> Task:
    """See `paddle.distributed.alltoall_single`; what is received comes first here.

    >>> import proa as paddle
    >>> from proa.distributed.communication import stream
    >>> received = paddle.zeros([2])
    >>> task = stream.alltoall_single(received, paddle.to_tensor([1.0, 2.0]))
    >>> received.tolist()
    [1.0, 2.0]
    """
    return c.alltoall_single(in_tensor, out_tensor, in_split_sizes, out_split_sizes, group, sync_op)


def broadcast(tensor: Any, src: int, group: Group | None = None, sync_op: bool = True,
              use_calc_stream: bool = False) -> Task:
    """See `paddle.distributed.broadcast`.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> x = paddle.to_tensor([1.0])
    >>> _ = dist.stream.broadcast(x, src=0)  # one process
    >>> x.tolist()
    [1.0]
    """
    return c.broadcast(tensor, src, group, sync_op)


def gather(tensor: Any, gather_list: list[Any] | None = None, dst: int = 0, group: Group | None = None,
           sync_op: bool = True, use_calc_stream: bool = False) -> Task:
    """See `paddle.distributed.gather`.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> found = []
    >>> _ = dist.stream.gather(paddle.to_tensor([1.0]), found, dst=0)
    >>> [x.tolist() for x in found]
    [[1.0]]
    """
    return c.gather(tensor, gather_list, dst, group, sync_op)


def reduce(tensor: Any, dst: int = 0, op: int = ReduceOp.SUM, group: Group | None = None, sync_op: bool = True,
           use_calc_stream: bool = False) -> Task:
    """See `paddle.distributed.reduce`.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> x = paddle.to_tensor([1.0])
    >>> _ = dist.stream.reduce(x, dst=0)  # one process
    >>> x.tolist()
    [1.0]
    """
    return c.reduce(tensor, dst, op, group, sync_op)


def reduce_scatter(tensor: Any, tensor_or_tensor_list: Any, op: int = ReduceOp.SUM, group: Group | None = None,
                   sync_op: bool = True, use_calc_stream: bool = False) -> Task:
    """See `paddle.distributed.reduce_scatter`.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> x = paddle.zeros([2])
    >>> _ = dist.stream.reduce_scatter(x, [paddle.to_tensor([1.0, 2.0])])
    >>> x.tolist()
    [1.0, 2.0]
    """
    return c.reduce_scatter(tensor, _parts("reduce_scatter", tensor_or_tensor_list, group), op, group, sync_op)


def scatter(tensor: Any, tensor_or_tensor_list: Any = None, src: int = 0, group: Group | None = None,
            sync_op: bool = True, use_calc_stream: bool = False) -> Task:
    """See `paddle.distributed.scatter`.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> x = paddle.zeros([2])
    >>> _ = dist.stream.scatter(x, [paddle.to_tensor([1.0, 2.0])], src=0)
    >>> x.tolist()
    [1.0, 2.0]
    """
    return c.scatter(tensor, _parts("scatter", tensor_or_tensor_list, group), src, group, sync_op)


def send(tensor: Any, dst: int = 0, group: Group | None = None, sync_op: bool = True,
         use_calc_stream: bool = False) -> Task:
    """See `paddle.distributed.send`.

    >>> import proa as paddle
    >>> from proa.distributed.communication import stream
    >>> if paddle.distributed.get_world_size() == 2:
    ...     x = paddle.full([2], float(paddle.distributed.get_rank()))
    ...     task = stream.send(x, dst=1) if paddle.distributed.get_rank() == 0 else stream.recv(x, src=0)
    """
    return c.send(tensor, dst, group, sync_op)


def recv(tensor: Any, src: int = 0, group: Group | None = None, sync_op: bool = True,
         use_calc_stream: bool = False) -> Task:
    """See `paddle.distributed.recv`.

    >>> import proa as paddle
    >>> from proa.distributed.communication import stream
    >>> if paddle.distributed.get_world_size() == 2:
    ...     x = paddle.full([2], float(paddle.distributed.get_rank()))
    ...     task = stream.send(x, dst=1) if paddle.distributed.get_rank() == 0 else stream.recv(x, src=0)
    """
    return c.recv(tensor, src, group, sync_op)


def _parts(function: str, tensor_or_list: Any, group: Group | None) -> Any:
    """A part for each process: a list as it is; a tensor is divided along its first axis."""
    if isinstance(tensor_or_list, (list, tuple)) or tensor_or_list is None:
        return tensor_or_list
    count = group_of(function, group).nranks
    return [tensor_or_list] if count == 1 else split(tensor_or_list, count)

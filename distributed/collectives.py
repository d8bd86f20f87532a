"""Collectives for one process: what a tensor's exchange comes to where there is nobody to exchange it with.

Each raises NotImplementedError when a launcher has started several processes. `group` and `sync_op` change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from ..ops.array.creation import assign
from .environment import require_one_process

__all__ = ["ReduceOp", "all_gather", "all_gather_object", "all_reduce", "alltoall", "alltoall_single", "barrier",
           "broadcast", "broadcast_object_list", "gather", "irecv", "isend", "recv", "reduce", "reduce_scatter",
           "scatter", "scatter_object_list", "send", "wait"]


class ReduceOp:
    """How `all_reduce` and `reduce` put values together: all of them leave one process's value as it is."""

    SUM, MAX, MIN, PROD, AVG = range(5)


def all_reduce(tensor: Any, op: int = ReduceOp.SUM, group: Any = None, sync_op: bool = True) -> None:
    """Puts the reduction of all processes' tensors into `tensor`: of one process, its own.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> paddle.distributed.all_reduce(x)
    >>> x.tolist()
    [1.0, 2.0]
    """
    require_one_process("all_reduce")


def reduce(tensor: Any, dst: int, op: int = ReduceOp.SUM, group: Any = None, sync_op: bool = True) -> None:
    """Puts the reduction of all processes' tensors into that of the process `dst`, which must be 0."""
    require_one_process("reduce")
    _check_number("reduce", "dst", dst)


def broadcast(tensor: Any, src: int, group: Any = None, sync_op: bool = True) -> None:
    """Gives every process the tensor of the process `src`, which must be 0."""
    require_one_process("broadcast")
    _check_number("broadcast", "src", src)


def all_gather(tensor_list: list[Any], tensor: Any, group: Any = None, sync_op: bool = True) -> None:
    """Appends every process's tensor to `tensor_list`: a copy of the one that there is.

    >>> import proa as paddle
    >>> gathered = []
    >>> paddle.distributed.all_gather(gathered, paddle.to_tensor([1.0]))
    >>> [one.tolist() for one in gathered]
    [[1.0]]
    """
    require_one_process("all_gather")
    tensor_list.append(tensor.detach().clone())


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Appends every process's object to `object_list`."""
    require_one_process("all_gather_object")
    object_list.append(obj)


def broadcast_object_list(object_list: list[Any], src: int, group: Any = None) -> None:
    """Gives every process the objects of the process `src`, which must be 0."""
    require_one_process("broadcast_object_list")
    _check_number("broadcast_object_list", "src", src)


def gather(tensor: Any, gather_list: list[Any] | None = None, dst: int = 0, group: Any = None,
           sync_op: bool = True) -> None:
    """Appends every process's tensor to `gather_list` in the process `dst`, which must be 0."""
    require_one_process("gather")
    _check_number("gather", "dst", dst)
    if gather_list is None:
        raise ValueError("gather(gather_list): must be a list in the process that gathers. Received None.")
    gather_list.append(tensor.detach().clone())


def scatter(tensor: Any, tensor_list: Sequence[Any] | None = None, src: int = 0, group: Any = None,
            sync_op: bool = True) -> None:
    """Puts this process's one of `tensor_list`, which the process `src` has, into `tensor`; `src` must be 0.

    >>> import proa as paddle
    >>> x = paddle.zeros([2])
    >>> paddle.distributed.scatter(x, [paddle.ones([2])])
    >>> x.tolist()
    [1.0, 1.0]
    """
    require_one_process("scatter")
    _check_number("scatter", "src", src)
    assign(_only_one("scatter", "tensor_list", tensor_list), tensor)


def scatter_object_list(out_object_list: list[Any], in_object_list: Sequence[Any] | None = None, src: int = 0,
                        group: Any = None) -> None:
    """Makes this process's one of `in_object_list` the content of `out_object_list`; `src` must be 0."""
    require_one_process("scatter_object_list")
    _check_number("scatter_object_list", "src", src)
    out_object_list[:] = [_only_one("scatter_object_list", "in_object_list", in_object_list)]


def reduce_scatter(tensor: Any, tensor_list: Sequence[Any], op: int = ReduceOp.SUM, group: Any = None,
                   sync_op: bool = True) -> None:
    """Puts this process's part of the reduction of all processes' lists into `tensor`: of one process, its own."""
    require_one_process("reduce_scatter")
    assign(_only_one("reduce_scatter", "tensor_list", tensor_list), tensor)


def alltoall(in_tensor_list: Sequence[Any], out_tensor_list: list[Any], group: Any = None,
             sync_op: bool = True) -> None:
    """Sends one tensor to each process and appends what comes from each to `out_tensor_list`.

    >>> import proa as paddle
    >>> received = []
    >>> paddle.distributed.alltoall([paddle.ones([1])], received)
    >>> [one.tolist() for one in received]
    [[1.0]]
    """
    require_one_process("alltoall")
    out_tensor_list.append(_only_one("alltoall", "in_tensor_list", in_tensor_list).detach().clone())


def alltoall_single(in_tensor: Any, out_tensor: Any, in_split_sizes: Sequence[int] | None = None,
                    out_split_sizes: Sequence[int] | None = None, group: Any = None, sync_op: bool = True) -> None:
    """Sends a part of `in_tensor` to each process and puts what comes from each into `out_tensor`."""
    require_one_process("alltoall_single")
    assign(in_tensor, out_tensor)


def send(tensor: Any, dst: int = 0, group: Any = None, sync_op: bool = True) -> None:
    """Sends a tensor to another process: there is none, so that this raises RuntimeError."""
    _nobody("send", "dst", dst)


def recv(tensor: Any, src: int = 0, group: Any = None, sync_op: bool = True) -> None:
    """Receives a tensor of another process: there is none, so that this raises RuntimeError."""
    _nobody("recv", "src", src)


def isend(tensor: Any, dst: int, group: Any = None) -> None:
    """As `send`, without waiting."""
    _nobody("isend", "dst", dst)


def irecv(tensor: Any, src: int | None = None, group: Any = None) -> None:
    """As `recv`, without waiting."""
    _nobody("irecv", "src", 0 if src is None else src)


def barrier(group: Any = None) -> None:
    """Waits until every process has come here."""
    require_one_process("barrier")


def wait(tensor: Any, group: Any = None, use_calc_stream: bool = True) -> None:
    """Waits until `tensor` is there."""
    require_one_process("wait")


def _check_number(function: str, argument: str, number: int) -> None:
    if number != 0:
        raise ValueError(f"{function}({argument}): must be the number of a process: there is 0. Received {number}.")


def _only_one(function: str, argument: str, values: Sequence[Any] | None) -> Any:
    """The only element of a list that has one for each process."""
    if not isinstance(values, (list, tuple)) or len(values) != 1:
        raise ValueError(f"{function}({argument}): must be a list with an element for each process, of which there is "
                         f"one. Received {values!r:.200}.")
    return values[0]


def _nobody(function: str, argument: str, number: int | None) -> NoReturn:
    require_one_process(function)
    raise RuntimeError(f"{function}({argument}): there is no other process to exchange tensors with. Received "
                       f"{argument}={number}; this process has rank 0 of 1. Ask get_world_size() first.")

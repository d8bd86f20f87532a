"""Collectives for one process: what a tensor's exchange comes to where there is nobody to exchange it with.

Each raises NotImplementedError when a launcher has started several processes. `group` and `sync_op` change nothing.
"""

from __future__ import annotations

from typing import Any

from .environment import require_one_process


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


def barrier(group: Any = None) -> None:
    """Waits until every process has come here."""
    require_one_process("barrier")


def wait(tensor: Any, group: Any = None, use_calc_stream: bool = True) -> None:
    """Waits until `tensor` is there."""
    require_one_process("wait")


def _check_number(function: str, argument: str, number: int) -> None:
    if number != 0:
        raise ValueError(f"{function}({argument}): must be the number of a process: there is 0. Received {number}.")

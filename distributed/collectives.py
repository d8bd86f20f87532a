"""Collectives: what the processes of a group exchange, tensors and objects.

Each process of the group calls the same collectives in the same order, with tensors of one shape and dtype. They change
the tensor or list that they name and give a task: with `sync_op=True` it is over, with `sync_op=False` `task.wait()`
puts the result where it belongs, and computing goes on meanwhile. `src` and `dst` are ranks in the world. Where a
process is alone, a collective is what one process makes of it. Written into a Program they are its operators
(`ops/collective/`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..backend.comm import exchanges
from ..ops.array.concat_split import concat, split
from ..ops.array.creation import assign
from ..ops.array.reshape import reshape
from ..ops.collective import exchanges as moves
from ..ops.collective import reductions
from ..ops.core.trace import apply, grad_mode
from . import engine
from .groups import Group, group_of
from .messages import of_bytes, to_bytes
from .reduce_op import ReduceOp, kind_of
from .tasks import Task, exchange

__all__ = ["P2POp", "ReduceOp", "all_gather", "all_gather_object", "all_reduce", "alltoall", "alltoall_single",
           "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list", "gather", "irecv", "isend", "recv",
           "reduce", "reduce_scatter", "scatter", "scatter_object_list", "send", "wait"]


def all_reduce(tensor: Any, op: int = ReduceOp.SUM, group: Group | None = None, sync_op: bool = True) -> Task:
    """Puts the reduction of all processes' tensors into `tensor`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> _ = paddle.distributed.all_reduce(x)
    >>> x.tolist()
    [1.0, 2.0]
    """
    operator, members = reductions.all_reduce_ops[kind_of("all_reduce", op)], group_of("all_reduce", group)
    return _into(members, tensor, sync_op, lambda x: apply(operator, x, ring_id=members.id))


def reduce(tensor: Any, dst: int, op: int = ReduceOp.SUM, group: Group | None = None, sync_op: bool = True) -> Task:
    """Puts the reduction of all processes' tensors into that of the process `dst`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0])
    >>> _ = paddle.distributed.reduce(x, dst=0)  # the sum of one process
    >>> x.tolist()
    [1.0]
    """
    operator, members = reductions.reduce_ops[kind_of("reduce", op)], group_of("reduce", group)
    root = _place("reduce", "dst", dst, members)
    return _into(members, tensor, sync_op, lambda x: apply(operator, x, root_id=root, ring_id=members.id))


def broadcast(tensor: Any, src: int, group: Group | None = None, sync_op: bool = True) -> Task:
    """Gives every process the tensor of the process `src`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0])
    >>> _ = paddle.distributed.broadcast(x, src=0)  # alone there is nothing to send
    >>> x.tolist()
    [1.0]
    """
    members = group_of("broadcast", group)
    root = _place("broadcast", "src", src, members)
    return _into(members, tensor, sync_op, lambda x: apply(moves.broadcast_op, x, root=root, ring_id=members.id))


def all_gather(tensor_list: list[Any], tensor: Any, group: Group | None = None, sync_op: bool = True) -> Task:
    """Appends every process's tensor to `tensor_list`, by rank.

    >>> import proa as paddle
    >>> gathered = []
    >>> _ = paddle.distributed.all_gather(gathered, paddle.to_tensor([1.0]))
    >>> [one.tolist() for one in gathered]
    [[1.0]]
    """
    members = group_of("all_gather", group)
    return _between(members, _flat(tensor), sync_op, _gathering(members),
                    _listing(tensor_list, members.nranks, tensor.shape))


def gather_into(whole: Any, tensor: Any, group: Group | None = None, sync_op: bool = True) -> Task:
    """Puts every process's tensor, by rank and one behind the other, into `whole`."""
    members = group_of("all_gather", group)
    return _between(members, _flat(tensor), sync_op, _gathering(members), _shaping(whole))


def gather(tensor: Any, gather_list: list[Any] | None = None, dst: int = 0, group: Group | None = None,
           sync_op: bool = True) -> Task:
    """Appends every process's tensor to `gather_list` in the process `dst`, by rank.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> found = []
    >>> _ = dist.gather(paddle.to_tensor([1.0]), found, dst=0)  # one process
    >>> [x.tolist() for x in found]
    [[1.0]]
    """
    members = group_of("gather", group)
    is_there = members.rank == _place("gather", "dst", dst, members)
    if is_there and gather_list is None:
        raise ValueError("gather(gather_list): must be a list in the process that gathers. Received None.")
    found: list[Any] = gather_list if is_there and gather_list is not None else []
    return _between(members, _flat(tensor), sync_op, _gathering(members), _listing(found, members.nranks, tensor.shape))


def scatter(tensor: Any, tensor_list: Sequence[Any] | None = None, src: int = 0, group: Group | None = None,
            sync_op: bool = True) -> Task:
    """Puts this process's one of `tensor_list`, which the process `src` has, into `tensor`.

    >>> import proa as paddle
    >>> x = paddle.zeros([2])
    >>> _ = paddle.distributed.scatter(x, [paddle.ones([2])])
    >>> x.tolist()
    [1.0, 1.0]
    """
    members = group_of("scatter", group)
    root = _place("scatter", "src", src, members)
    if members.rank == root:
        parts = concat([_flat(one) for one in _one_each("scatter", "tensor_list", tensor_list, members)])
    else:
        parts = concat([_flat(tensor)] * members.nranks)
    return _between(members, parts, sync_op, lambda x: apply(moves.scatter_op, x, root=root, nranks=members.nranks,
                                                    ring_id=members.id), _shaping(tensor))


def reduce_scatter(tensor: Any, tensor_list: Sequence[Any], op: int = ReduceOp.SUM, group: Group | None = None,
                   sync_op: bool = True) -> Task:
    """Puts this process's part of the reduction of all processes' lists into `tensor`.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> x = paddle.zeros([2])
    >>> _ = dist.reduce_scatter(x, [paddle.to_tensor([1.0, 2.0])])
    >>> x.tolist()
    [1.0, 2.0]
    """
    members = group_of("reduce_scatter", group)
    given = _one_each("reduce_scatter", "tensor_list", tensor_list, members)
    return _between(members, concat([_flat(one) for one in given]), sync_op, reducing(members, op), _shaping(tensor))


def reducing(members: Group, op: int) -> Callable[[Any], Any]:
    """What gives each process its part of a reduction: at once where it is a sum, else of the whole."""
    kind = kind_of("reduce_scatter", op)

    def summed(x: Any) -> Any:
        return apply(moves.reduce_scatter_op, x, nranks=members.nranks, ring_id=members.id)

    def whole(x: Any) -> Any:
        return split(apply(reductions.all_reduce_ops[kind], x, ring_id=members.id), members.nranks)[members.rank]

    return summed if kind == "sum" else whole


def alltoall(in_tensor_list: Sequence[Any], out_tensor_list: list[Any], group: Group | None = None,
             sync_op: bool = True) -> Task:
    """Sends one tensor to each process and appends what comes from each to `out_tensor_list`.

    >>> import proa as paddle
    >>> received = []
    >>> _ = paddle.distributed.alltoall([paddle.ones([1])], received)
    >>> [one.tolist() for one in received]
    [[1.0]]
    """
    members = group_of("alltoall", group)
    given = _one_each("alltoall", "in_tensor_list", in_tensor_list, members)
    return _between(members, concat([_flat(one) for one in given]), sync_op,
                    lambda x: apply(moves.all_to_all_op, x, ring_id=members.id),
                    _listing(out_tensor_list, members.nranks, given[0].shape))


def alltoall_single(in_tensor: Any, out_tensor: Any, in_split_sizes: Sequence[int] | None = None,
                    out_split_sizes: Sequence[int] | None = None, group: Group | None = None,
                    sync_op: bool = True) -> Task:
    """Sends a part of `in_tensor` to each process and puts what comes from each into `out_tensor`, by rank.

    The sizes say how many rows go to each process and come from each: as many to all where they are not given.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> x = paddle.zeros([2])
    >>> _ = dist.alltoall_single(x, paddle.to_tensor([1.0, 2.0]))
    >>> x.tolist()
    [0.0, 0.0]
    """
    members = group_of("alltoall_single", group)
    sent = _rows("in_split_sizes", in_tensor, in_split_sizes, members)
    received = _rows("out_split_sizes", out_tensor, out_split_sizes, members)
    return _between(members, in_tensor, sync_op,
                    lambda x: apply(moves.all_to_all_rows_op, x, sent=sent, received=received, ring_id=members.id),
                    _shaping(out_tensor))


def send(tensor: Any, dst: int = 0, group: Group | None = None, sync_op: bool = True) -> Task:
    """Sends a tensor to the process `dst`, which receives it. RuntimeError for a process alone.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> if dist.get_world_size() == 2:  # started by the launcher, --nproc_per_node 2
    ...     x = paddle.full([2], float(dist.get_rank()))
    ...     if dist.get_rank() == 0:
    ...         dist.send(x, dst=1)
    ...     else:
    ...         dist.recv(x, src=0)  # now zeros
    """
    members = group_of("send", group)
    if not sync_op and tensor is not None:
        return isend(tensor, dst, group)
    apply(moves.send_op, tensor, peer=_other("send", "dst", dst, members), ring_id=members.id)
    return Task()


def recv(tensor: Any, src: int = 0, group: Group | None = None, sync_op: bool = True) -> Task:
    """Receives what the process `src` sends in `tensor`, of its shape and dtype. RuntimeError for a process alone.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> if dist.get_world_size() == 2:  # started by the launcher, --nproc_per_node 2
    ...     x = paddle.full([2], float(dist.get_rank()))
    ...     if dist.get_rank() == 0:
    ...         dist.send(x, dst=1)
    ...     else:
    ...         dist.recv(x, src=0)  # now zeros
    """
    members = group_of("recv", group)
    if not sync_op:
        return irecv(tensor, src, group)
    peer = _other("recv", "src", src, members)
    with grad_mode(False):
        assign(apply(moves.receive_op, peer=peer, ring_id=members.id, out_shape=tuple(tensor.shape),
                     dtype=tensor.dtype), tensor)
    return Task()


def isend(tensor: Any, dst: int, group: Group | None = None) -> Task:
    """As `send`, without waiting.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> if dist.get_world_size() == 2:  # each sends to the other
    ...     mine, other = paddle.full([2], float(dist.get_rank())), 1 - dist.get_rank()
    ...     task, theirs = dist.isend(mine, dst=other), paddle.zeros([2])
    ...     dist.recv(theirs, src=other)
    ...     task.wait()
    """
    members = group_of("isend", group)
    peer = _other("isend", "dst", dst, members)
    return Task(engine.communicator(members.id, tensor._array).begin_send(tensor._array.copy(), peer))


def irecv(tensor: Any, src: int | None = None, group: Group | None = None) -> Task:
    """As `recv`, without waiting: `task.wait()` puts what has come into `tensor`.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> if dist.get_world_size() == 2:  # each sends to the other
    ...     theirs, other = paddle.zeros([2]), 1 - dist.get_rank()
    ...     task = dist.irecv(theirs, src=other)
    ...     dist.send(paddle.full([2], float(dist.get_rank())), dst=other)
    ...     task.wait()  # theirs is filled with the other's rank
    """
    members = group_of("irecv", group)
    peer = _other("irecv", "src", 0 if src is None else src, members)
    return _receiving(tensor, engine.communicator(members.id, tensor._array).begin_receive(tensor._array, peer))


class P2POp:
    """A message of `batch_isend_irecv`: `op` is `isend` or `irecv`, `peer` the rank that it goes to or comes from.

    Raises ValueError for another function.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> if dist.get_world_size() == 2:  # each sends to the other
    ...     mine, theirs, other = paddle.ones([2]), paddle.zeros([2]), 1 - dist.get_rank()
    ...     messages = [dist.P2POp(dist.isend, mine, other), dist.P2POp(dist.irecv, theirs, other)]
    ...     for task in dist.batch_isend_irecv(messages):
    ...         task.wait()
    """

    def __init__(self, op: Callable[..., Task], tensor: Any, peer: int, group: Group | None = None):
        if op not in (isend, irecv):
            raise ValueError(f"P2POp(op): must be paddle.distributed.isend or irecv. Received {op!r}.")
        self.op, self.tensor, self.peer = op, tensor, peer
        self.group = group_of("P2POp", group)


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Task]:
    """Begins several messages, of which none waits for another, and gives their tasks in the order of the list.

    Between devices this is how two processes send to each other: of messages that are begun one by one each waits for
    the former. Raises ValueError for a list that is empty, holds something else, or names several groups.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> if dist.get_world_size() == 2:  # each sends to the other
    ...     mine, theirs, other = paddle.ones([2]), paddle.zeros([2]), 1 - dist.get_rank()
    ...     messages = [dist.P2POp(dist.isend, mine, other), dist.P2POp(dist.irecv, theirs, other)]
    ...     for task in dist.batch_isend_irecv(messages):
    ...         task.wait()
    """
    if not isinstance(p2p_op_list, (list, tuple)) or not p2p_op_list or \
            not all(isinstance(one, P2POp) for one in p2p_op_list) or len({one.group.id for one in p2p_op_list}) != 1:
        raise ValueError(f"batch_isend_irecv(p2p_op_list): must be a list of P2POp of one group. "
                         f"Received {p2p_op_list!r:.200}.")
    peers = [_other("batch_isend_irecv", "peer", one.peer, one.group) for one in p2p_op_list]
    group = engine.communicator(p2p_op_list[0].group.id, p2p_op_list[0].tensor._array)
    messages = list(zip(p2p_op_list, peers, strict=True))
    sent = [(one.tensor._array.copy(), peer) for one, peer in messages if one.op is isend]
    received = [(one.tensor._array, peer) for one, peer in messages if one.op is irecv]
    begun = group.begin_messages(sent, received)
    going, coming = iter(begun[:len(sent)]), iter(begun[len(sent):])
    return [Task(next(going)) if one.op is isend else _receiving(one.tensor, next(coming)) for one in p2p_op_list]


def _receiving(tensor: Any, begun: Any) -> Task:
    return Task(begun, lambda array: assign(tensor._eager.new(array), tensor))


def barrier(group: Group | None = None) -> None:
    """Waits until every process has come here.

    >>> import proa as paddle
    >>> paddle.distributed.barrier()  # one process, with no other
    """
    connected = group_of("barrier", group).process_group
    if connected is not None:
        exchanges.do(connected.barrier)


def wait(tensor: Any, group: Group | None = None, use_calc_stream: bool = True) -> None:
    """Waits until all exchanges that were begun are over: what they give is taken by their own tasks.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> dist.wait(paddle.ones([1]))
    """
    group_of("wait", group)
    exchanges.do(lambda: None)


def all_gather_object(object_list: list[Any], obj: Any, group: Group | None = None) -> None:
    """Appends every process's object to `object_list`, by rank.

    Objects are numbers, strings, containers of them, arrays and Tensors: what `paddle.load` reads. No message can make
    a process run code: another object is refused with TypeError.

    >>> import proa as paddle
    >>> found = []
    >>> paddle.distributed.all_gather_object(found, {"rank": 0})
    >>> found
    [{'rank': 0}]
    """
    members = group_of("all_gather_object", group)
    object_list.extend(_exchanged(obj, members))


def broadcast_object_list(object_list: list[Any], src: int, group: Group | None = None) -> None:
    """Gives every process the objects of the process `src`, in place of its own; see `all_gather_object`.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> objects = [{"rate": 0.1}]
    >>> dist.broadcast_object_list(objects, src=0)
    >>> objects
    [{'rate': 0.1}]
    """
    members = group_of("broadcast_object_list", group)
    root = _place("broadcast_object_list", "src", src, members)
    object_list[:] = _exchanged(list(object_list) if members.rank == root else None, members)[root]


def scatter_object_list(out_object_list: list[Any], in_object_list: Sequence[Any] | None = None, src: int = 0,
                        group: Group | None = None) -> None:
    """Makes this process's one of the objects of the process `src` all that `out_object_list` holds.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> mine = []
    >>> dist.scatter_object_list(mine, [{"part": 0}], src=0)
    >>> mine
    [{'part': 0}]
    """
    members = group_of("scatter_object_list", group)
    root = _place("scatter_object_list", "src", src, members)
    if members.rank == root:
        _one_each("scatter_object_list", "in_object_list", in_object_list, members)
    given = _exchanged(list(in_object_list or ()) if members.rank == root else None, members)[root]
    out_object_list[:] = [given[members.rank]]


def _exchanged(obj: Any, members: Group) -> list[Any]:
    """All processes' objects."""
    message, connected = to_bytes("all_gather_object", obj), members.process_group
    found = [message] if connected is None else exchanges.do(lambda: connected.all_gather_bytes(message))
    return [of_bytes(one) for one in found]


def _into(members: Group, tensor: Any, at_once: bool, do: Callable[[Any], Any]) -> Task:
    """A collective that gives a tensor another value."""
    return _between(members, tensor, at_once, do, lambda result: assign(result, tensor))


def _between(members: Group, given: Any, at_once: bool, do: Callable[[Any], Any], take: Callable[[Any], Any]) -> Task:
    value = given.detach()
    return exchange(lambda: do(value), take, at_once, lambda what: engine.begin(members.id, value._array, what))


def _flat(tensor: Any) -> Any:
    return reshape(tensor, [-1])


def _gathering(members: Group) -> Callable[[Any], Any]:
    return lambda x: apply(moves.all_gather_op, x, nranks=members.nranks, ring_id=members.id)


def _listing(found: list[Any], count: int, shape: Sequence[int]) -> Callable[[Any], None]:
    """What divides a result into tensors of a shape and appends them to a list."""
    return lambda result: found.extend(reshape(part, list(shape)) for part in split(result, count))


def _shaping(tensor: Any) -> Callable[[Any], None]:
    """What puts a result into a tensor that has as many elements."""
    return lambda result: assign(reshape(result, list(tensor.shape)), tensor)


def _place(function: str, argument: str, rank: int, members: Group) -> int:
    """The number in the group of the process that has a rank in the world."""
    place = members.get_group_rank(rank)
    if place < 0:
        raise ValueError(f"{function}({argument}): must be the rank of a process of the group, {members.ranks}. "
                         f"Received {rank}.")
    return place


def _other(function: str, argument: str, rank: int, members: Group) -> int:
    if members.nranks == 1:
        raise RuntimeError(f"{function}({argument}): there is no other process to exchange tensors with. Received "
                           f"{argument}={rank}; this process is alone in its group. Ask get_world_size() first.")
    place = _place(function, argument, rank, members)
    if place == members.rank:
        raise ValueError(f"{function}({argument}): must be another process. Received {rank}, which is this one.")
    return place


def _one_each(function: str, argument: str, values: Sequence[Any] | None, members: Group) -> Sequence[Any]:
    """A list that has an element for each process."""
    if not isinstance(values, (list, tuple)) or len(values) != members.nranks:
        raise ValueError(f"{function}({argument}): must be a list with an element for each process, of which there "
                         f"{'is one' if members.nranks == 1 else f'are {members.nranks}'}. Received {values!r:.200}.")
    return values


def _rows(argument: str, tensor: Any, sizes: Sequence[int] | None, members: Group) -> tuple[int, ...]:
    rows = tensor.shape[0]
    if sizes is None:
        if rows % members.nranks:
            raise ValueError(f"alltoall_single({argument}): {rows} rows are not as many for each of {members.nranks} "
                             f"processes. Say how many for each.")
        return (rows // members.nranks,) * members.nranks
    if len(sizes) != members.nranks or sum(sizes) != rows:
        raise ValueError(f"alltoall_single({argument}): must be a number of rows for each of {members.nranks} "
                         f"processes, {rows} together. Received {list(sizes)}.")
    return tuple(int(size) for size in sizes)

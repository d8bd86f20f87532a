"""What processes of a group give each other: c_broadcast, c_allgather, c_reducescatter, alltoall, send_v2, recv_v2, …

`ring_id` is the number of the group, `nranks` how many processes it has. The gradient is that of the sum of all
processes' losses.
"""

from ...core.dtype import DType
from ..core.infer import same
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from .alone import copied, require


def _broadcast(xp, x, *, root: int = 0, ring_id: int = 0, use_calc_stream: bool = False):
    return copied(xp, "broadcast", x)


def _older_broadcast(xp, x, *, root: int = 0, sync_mode: bool = False):
    return copied(xp, "broadcast", x)


def _all_gather(xp, x, *, nranks: int = 1, ring_id: int = 0, use_calc_stream: bool = False):
    return copied(xp, "all_gather", x, nranks)


def _reduce_scatter(xp, x, *, nranks: int = 1, ring_id: int = 0, use_calc_stream: bool = False):
    return copied(xp, "reduce_scatter", x, nranks)


def _scatter(xp, x, *, root: int = 0, nranks: int = 1, ring_id: int = 0, use_calc_stream: bool = False):
    return copied(xp, "scatter", x, nranks)


def _all_to_all(xp, x, *, ring_id: int = 0, use_calc_stream: bool = False):
    return copied(xp, "alltoall", x)


def _send(xp, x, *, peer: int = 0, ring_id: int = 0, use_calc_stream: bool = False, dynamic_shape: bool = False):
    require(xp, "send")
    raise RuntimeError(f"send(dst): this process is alone. Received {peer}. Ask get_world_size() first.")


def _receive(xp, *, peer: int = 0, ring_id: int = 0, out_shape: Ints = (), dtype: DType, use_calc_stream: bool = False,
             dynamic_shape: bool = False):
    require(xp, "recv")
    raise RuntimeError(f"recv(src): this process is alone. Received {peer}. Ask get_world_size() first.")


def _all_to_all_rows(xp, x, *, sent: Ints = (), received: Ints = (), ring_id: int = 0):
    return copied(xp, "alltoall_single", x, len(sent))


def _barrier(xp, x, *, ring_id: int = 0):
    return copied(xp, "barrier", x)


def _times(x, *, nranks=1, **_):
    return Spec((x.shape[0] * nranks if x.shape[0] >= 0 else -1, *x.shape[1:]), x.dtype)


def _divided(what):
    def infer(x, *, nranks=1, **_):
        rows = x.shape[0] if x.shape else 1
        if rows >= 0 and rows % nranks:
            raise ValueError(f"{what}: the first size must be a multiple of the number of processes, {nranks}. "
                             f"Received shape {list(x.shape)}.")
        return Spec((rows // nranks if rows >= 0 else -1, *x.shape[1:]), x.dtype)

    return infer


broadcast_op = operator("c_broadcast", "X -> Out", kernel=_broadcast, infer=same, effects="communicates")
all_gather_op = operator(
    "c_allgather", "X -> Out", kernel=_all_gather, infer=_times, effects="communicates",
    grad={"X": lambda g, nranks, ring_id: apply(reduce_scatter_op, g, nranks=nranks, ring_id=ring_id)})
reduce_scatter_op = operator(
    "c_reducescatter", "X -> Out", kernel=_reduce_scatter, infer=_divided("reduce_scatter"), effects="communicates",
    grad={"X": lambda g, nranks, ring_id: apply(all_gather_op, g, nranks=nranks, ring_id=ring_id)})
scatter_op = operator("c_scatter", "X -> Out", kernel=_scatter, infer=_divided("scatter"), effects="communicates")
all_to_all_op = operator("alltoall", "X -> Out", kernel=_all_to_all, infer=same, effects="communicates",
                         grad={"X": lambda g, ring_id: apply(all_to_all_op, g, ring_id=ring_id)})
all_to_all_rows_op = operator(
    "alltoall_rows", "X -> Out", kernel=_all_to_all_rows, effects="communicates", only_here=True,
    infer=lambda x, *, sent=(), received=(), **_: Spec((sum(received), *x.shape[1:]), x.dtype),
    grad={"X": lambda g, sent, received, ring_id: apply(all_to_all_rows_op, g, sent=received, received=sent,
                                                        ring_id=ring_id)})
"""As `alltoall`, where the parts have several lengths: `sent` and `received` rows, by process."""
send_op = operator("send_v2", "X ->", kernel=_send, infer=lambda x, **_: (), effects="communicates")
receive_op = operator("recv_v2", "-> Out", kernel=_receive, effects="communicates",
                      infer=lambda *, out_shape=(), dtype, **_: Spec(tuple(out_shape), dtype))
barrier_op = operator("barrier", "X -> Out", kernel=_barrier, infer=same, effects="communicates")
older_broadcast_op = operator("broadcast", "X -> Out", kernel=_older_broadcast, infer=same, effects="communicates")
"""Of 1.8: from the process `root` to all."""

"""Reductions over the processes of a group: c_allreduce_sum and its kin, c_reduce_sum and its kin.

`ring_id` is the number of the group. The gradient is that of the sum of all processes' losses.
"""

from ..core.infer import same
from ..core.operator import operator
from ..core.trace import apply
from .alone import copied

KINDS = ("sum", "max", "min", "prod", "avg")
"""The reductions, in the order of `paddle.distributed.ReduceOp`."""


def _all_reduce(xp, x, *, ring_id: int = 0, use_calc_stream: bool = False, use_model_parallel: bool = False):
    return copied(xp, "all_reduce", x)


def _reduce(xp, x, *, root_id: int = 0, ring_id: int = 0, use_calc_stream: bool = False):
    return copied(xp, "reduce", x)


def _identity(xp, x, *, ring_id: int = 0, use_calc_stream: bool = False, use_model_parallel: bool = False):
    return x.copy()


def _older_all_reduce(xp, x, *, reduce_type: int = 0, sync_mode: bool = False):
    return copied(xp, "allreduce", x)


def _summed(g, ring_id):
    return apply(all_reduce_ops["sum"], g, ring_id=ring_id)


def _of_mean(g, ring_id):
    return apply(all_reduce_ops["avg"], g, ring_id=ring_id)


_GRADIENTS = {"sum": {"X": _summed}, "avg": {"X": _of_mean}}

all_reduce_ops = {kind: operator(
    f"c_allreduce_{kind}", "X -> Out", kernel=_all_reduce, infer=same, effects="communicates",
    grad=_GRADIENTS.get(kind), only_here=kind == "avg") for kind in KINDS}
reduce_ops = {kind: operator(f"c_reduce_{kind}", "X -> Out", kernel=_reduce, infer=same, effects="communicates",
                             only_here=kind == "avg") for kind in KINDS}
model_parallel_sum_op = operator("mp_allreduce_sum", "X -> Out", kernel=_all_reduce, infer=same, effects="communicates",
                                 grad={"X": lambda g: g})
identity_op = operator("c_identity", "X -> Out", kernel=_identity, infer=same, effects="communicates",
                       grad={"X": _summed})
older_all_reduce_op = operator("allreduce", "X -> Out", kernel=_older_all_reduce, infer=same, effects="communicates")
"""Of 1.8, over all processes; `reduce_type` is one of `OLDER_KINDS`."""
OLDER_KINDS = ("sum", "prod", "max", "min")

"""What orders exchanges and computing: c_sync_calc_stream, c_sync_comm_stream, c_wait_compute, c_wait_comm, depend.

In Paddle an exchange with `use_calc_stream=False` goes on while the Program computes, until `c_sync_comm_stream` (or
`c_wait_comm`) of its ring. A compiled plan begins such an exchange (`begun_forms`) and ends it there, or ahead of the
first operation that reads its result (`static/compiler/passes/overlap.py`). In eager code an exchange is over when its
operator is. The operators that Programs wait by pass their values on as they are.
"""

from ..core.infer import same
from ..core.operator import Operator, operator
from .alone import copied
from .exchanges import broadcast_op
from .reductions import all_reduce_ops


def _passed(xp, x):
    return x.view()


def _all_passed(xp, x, *, ring_id: int = 0):
    return [each.view() for each in x]


def _behind(xp, x, dep):
    return x.view()


def _begun(xp, x, *, ring_id: int = 0, what: str = ""):
    return copied(xp, "all_reduce", x)


def _root_begun(xp, x, *, root: int = 0, ring_id: int = 0, what: str = ""):
    return copied(xp, "broadcast", x)


def _finished(xp, x, *, ring_id: int = 0):
    return [each.view() for each in x]


def _same_all(x, **_):
    return (list(x),)


computed_op = operator("c_sync_calc_stream", "X -> Out~X", kernel=_passed, infer=same, moves=True)
exchanged_op = operator("c_sync_comm_stream", "X* -> Out*~X", kernel=_all_passed, infer=_same_all, moves=True,
                        effects="communicates")
wait_computed_op = operator("c_wait_compute", "X* -> Out*~X", kernel=_all_passed, infer=_same_all, moves=True)
wait_exchanged_op = operator("c_wait_comm", "X* -> Out*~X", kernel=_all_passed, infer=_same_all, moves=True,
                             effects="communicates")
depend_op = operator("depend", "X, Dep* -> Out~X", kernel=_behind, infer=lambda x, dep: x, moves=True)
"""The first input, once the others are there: in a plan operations run in order anyhow."""

orders_only = {op.type: op for op in (computed_op, exchanged_op, wait_computed_op, wait_exchanged_op, depend_op)}
"""What is there for the order alone."""
waits = {op.type: op for op in (exchanged_op, wait_exchanged_op)}
"""Those of them that wait for exchanges."""

begun_forms: dict[str, Operator] = {op.type: operator(
    f"begin_{op.type}", "X -> Out", kernel=_root_begun if op is broadcast_op else _begun, infer=same,
    effects="communicates", only_here=True) for op in (broadcast_op, *all_reduce_ops.values())}
"""By the types of exchanges: what begins one. Its result is filled by the time that `finish_exchanges` gives it on."""
finish_op = operator("finish_exchanges", "X* -> Out*~X", kernel=_finished, infer=_same_all, effects="communicates",
                     only_here=True)
"""The results of exchanges that were begun, once they are over."""


def _agreed(xp, *, ring_id: int = 0, exchanges: list[str] = ()):
    return ()


agree_op = operator("agree_on_exchanges", "->", kernel=_agreed, infer=lambda **_: (), effects="communicates",
                    only_here=True)
"""Compares what the Programs of a ring's processes exchange; RuntimeError, which says where they differ."""

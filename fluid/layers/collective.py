"""`fluid.layers.collective`: exchanges between processes as layers of a Program, by 1.8's own names.

A launcher has started the processes, and a ring, or `fleet.init`, has connected them. With `use_calc_stream=False` an
exchange goes on while the Program computes.
"""

from __future__ import annotations

from typing import Any

from ...core.unique_name import generate
from ...ops.collective.reductions import OLDER_KINDS
from ..layer_helper import LayerHelper

__all__: list[str] = []


def _made(type: str, x: Any, **attrs: Any) -> Any:
    """A new variable that an operator of this type gives, named as 1.8 names it."""
    helper = LayerHelper(type)
    out = helper.create_variable(name=generate(f"{x.name}.{type}"), shape=x.shape, dtype=x.dtype)
    helper.append_op(type=type, inputs={"X": [x]}, outputs={"Out": [out]}, attrs=attrs)
    return out


def _into(out: Any, type: str, x: Any, **attrs: Any) -> Any:
    LayerHelper(type).append_op(type=type, inputs={"X": [x]}, outputs={"Out": [out]}, attrs=attrs)
    return out


def _check_kind(function: str, reduce_type: str) -> str:
    if reduce_type not in OLDER_KINDS:
        raise TypeError(f"{function}(reduce_type): must be one of {list(OLDER_KINDS)}. Received {reduce_type!r}.")
    return reduce_type


def _allreduce(x: Any, out: Any = None, reduce_type: str = "sum", sync_mode: bool = False) -> Any:
    """The reduction of all processes' values."""
    attrs = {"reduce_type": OLDER_KINDS.index(_check_kind("_allreduce", reduce_type)), "sync_mode": sync_mode}
    return _made("allreduce", x, **attrs) if out is None else _into(out, "allreduce", x, **attrs)


def _broadcast(x: Any, root: int, sync_mode: bool = False) -> Any:
    """Gives all processes the value of the process `root`."""
    return _into(x, "broadcast", x, root=root, sync_mode=sync_mode)


def _c_allreduce(x: Any, out: Any = None, reduce_type: str = "sum", ring_id: int = 0,
                 use_calc_stream: bool = False) -> Any:
    """The reduction of the values of a ring's processes."""
    type = f"c_allreduce_{_check_kind('_c_allreduce', reduce_type)}"
    attrs = {"ring_id": ring_id, "use_calc_stream": use_calc_stream}
    return _made(type, x, **attrs) if out is None else _into(out, type, x, **attrs)


def _c_broadcast(x: Any, root: int = 0, ring_id: int = 0, use_calc_stream: bool = False) -> Any:
    """Gives a ring's processes the value of the process `root`."""
    return _into(x, "c_broadcast", x, root=root, ring_id=ring_id, use_calc_stream=use_calc_stream)


def _c_allgather(x: Any, nranks: int, ring_id: int = 0, use_calc_stream: bool = False) -> Any:
    """The rows of all of a ring's processes, one behind the other."""
    return _made("c_allgather", x, nranks=nranks, ring_id=ring_id, use_calc_stream=use_calc_stream)


def _c_reducescatter(x: Any, nranks: int, ring_id: int = 0, use_calc_stream: bool = False) -> Any:
    """This process's rows of the sum of all processes' values. ValueError where they cannot be divided."""
    return _made("c_reducescatter", x, nranks=nranks, ring_id=ring_id, use_calc_stream=use_calc_stream)


def _c_sync_calc_stream(x: Any) -> Any:
    """The value, once it is computed."""
    return _into(x, "c_sync_calc_stream", x)


def _c_sync_comm_stream(x: Any, ring_id: int) -> Any:
    """The value, once the ring's exchanges are over."""
    return _into(x, "c_sync_comm_stream", x, ring_id=ring_id)

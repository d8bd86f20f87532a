"""Rings, groups of processes by number, as startup Programs make them: c_comm_init, c_gen_nccl_id, gen_nccl_id, …

In Paddle process 0 makes a number by which NCCL finds the others, and sends it to their addresses. Here a launcher has
connected the processes; what the operators give in its place are the ranks of those that belong to the ring.
"""

import numpy as np

from ...core.dtype import int64
from ..core.operator import Ints, operator
from ..core.spec import Spec
from .alone import require


def _found_by_addresses(xp, *, rank: int = 0, endpoint: str = "", other_endpoints: list[str] = (), ring_id: int = 0):
    require(np, "c_gen_nccl_id", 1 + len(other_endpoints))
    return xp.arange(1)


def _found_among_trainers(xp, *, trainers: list[str] = (), trainer_id: int = 0, nccl_comm_num: int = 1,
                          use_hierarchical_allreduce: bool = False, hierarchical_allreduce_inter_nranks: int = -1):
    require(np, "gen_nccl_id", len(trainers))
    return xp.arange(1)


def _connected(xp, x, *, nranks: int = 1, rank: int = 0, ring_id: int = 0, device_id: int = -1, endpoints: str = ""):
    require(np, "c_comm_init", nranks)
    return ()


def _devices_connected(xp, *, devices: Ints = (), ring_id: int = 0):
    return ()


def _ranks_of(members):
    return Spec((members,), int64)


find_ring_op = operator(
    "c_gen_nccl_id", "-> Out", kernel=_found_by_addresses, effects="communicates",
    infer=lambda *, other_endpoints=(), **_: _ranks_of(1 + len(other_endpoints)))
find_trainers_op = operator("gen_nccl_id", "-> NCCLID", kernel=_found_among_trainers, effects="communicates",
                            infer=lambda *, trainers=(), **_: _ranks_of(len(trainers)))
connect_ring_op = operator("c_comm_init", "X ->", kernel=_connected, infer=lambda x, **_: (), effects="communicates")
connect_devices_op = operator("c_comm_init_all", "->", kernel=_devices_connected, infer=lambda **_: (),
                              effects="communicates")
"""Connects the devices of one process, which a Program on several places does by itself."""
set_up_rings = {op.type: op for op in (find_ring_op, find_trainers_op, connect_ring_op, connect_devices_op)}
"""What makes rings, and exchanges no values."""

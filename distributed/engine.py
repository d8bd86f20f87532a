"""What connects processes: MPI as an engine of the collective operators, and the groups by their numbers.

The kernels that the operators declare are those of a process alone. Connecting adds the engine "mpi", whose kernels do
the same with the communicator of the group that an operator names by its `ring_id`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..backend import engines
from ..backend.comm import exchanges
from ..backend.comm.communicator import AVG, MAX, MIN, PROD, SUM, Communicator
from ..ops.collective import exchanges as moves
from ..ops.collective import reductions
from ..ops.core.kernels import register_kernel

MPI = "mpi"
_OPERATIONS = {"sum": SUM, "max": MAX, "min": MIN, "prod": PROD, "avg": AVG}
_communicators: dict[int, Communicator] = {}


def is_connected() -> bool:
    """Whether this process is connected with others, or was told that it is alone."""
    return 0 in _communicators


def connect(wanted: int) -> Communicator:
    """Connects this process with those that MPI's launcher has started; the group 0 holds all of them.

    Raises RuntimeError where there are not as many as a launcher says.
    """
    from ..backend.comm import mpi

    if not is_connected():
        found = mpi.size()
        if found != wanted:
            raise RuntimeError(f"init_parallel_env(): the launcher has started {wanted} processes, and MPI connects "
                               f"{found}. Start them with python -m proa.distributed.launch, or with the mpiexec of "
                               f"the MPI that mpi4py uses.")
        _communicators[0] = mpi.connect()
        engines.add(MPI, engines.CPU, is_connected)
        _register_kernels()
    return _communicators[0]


def add_group(number: int, communicator: Communicator) -> None:
    """Gives a group's communicator its number."""
    _communicators[number] = communicator


def remove_group(number: int) -> None:
    """Forgets a group."""
    _communicators.pop(number, None)


def communicator(number: int) -> Communicator:
    """The communicator of a group. RuntimeError where this process is not one of it."""
    found = _communicators.get(number)
    if found is None:
        raise RuntimeError(f"This process belongs to no group of the number {number}. Call "
                           f"paddle.distributed.init_parallel_env() or new_group() first; only members exchange.")
    return found


def _register_kernels() -> None:
    def add(operator: Any, do: Callable[..., Any]) -> None:
        def kernel(*inputs: Any, ring_id: int = 0, **attrs: Any) -> Any:
            group = communicator(ring_id)
            return exchanges.do(lambda: do(group, *inputs, **attrs))

        register_kernel(operator, MPI, kernel)

    for kind, operation in _OPERATIONS.items():
        add(reductions.all_reduce_ops[kind], lambda group, x, _op=operation, **_: group.all_reduce(x, _op))
        add(reductions.reduce_ops[kind],
            lambda group, x, _op=operation, root_id=0, **_: _own(x, group.reduce(x, _op, root_id)))
    add(reductions.model_parallel_sum_op, lambda group, x, **_: group.all_reduce(x, SUM))
    add(moves.broadcast_op, lambda group, x, root=0, **_: _own(x, group.broadcast(x, root)))
    add(moves.all_gather_op, _all_gather)
    add(moves.reduce_scatter_op, lambda group, x, **_: group.reduce_scatter(_parts(group, x), SUM))
    add(moves.scatter_op, _scatter)
    add(moves.all_to_all_op, lambda group, x, **_: group.all_to_all(_parts(group, x)).reshape(x.shape))
    add(moves.all_to_all_rows_op, lambda group, x, sent=(), received=(), **_: group.all_to_all_rows(x, sent, received))
    add(moves.send_op, _send)
    add(moves.receive_op, lambda group, peer=0, out_shape=(), dtype=None, **_: group.receive(
        np.empty(tuple(out_shape), dtype.dtype), peer))
    add(moves.barrier_op, _barrier)


def _own(x: np.ndarray, result: np.ndarray) -> np.ndarray:
    """A result with memory of its own."""
    return result.copy() if result is x else result


def _parts(group: Communicator, x: np.ndarray) -> np.ndarray:
    """A value whose first axis holds a part for each process, [size, …]."""
    rows = x.shape[0] if x.ndim else 0
    if not rows or rows % group.size:
        raise ValueError(f"The first size must be a multiple of the number of processes, {group.size}. Received shape "
                         f"{list(x.shape)}.")
    return x.reshape(group.size, rows // group.size, *x.shape[1:])


def _all_gather(group: Communicator, x: np.ndarray, nranks: int = 1, **_: Any) -> np.ndarray:
    gathered = group.all_gather(x)
    return gathered.reshape(-1, *x.shape[1:]) if x.ndim else gathered


def _scatter(group: Communicator, x: np.ndarray, root: int = 0, **_: Any) -> np.ndarray:
    parts = _parts(group, x)
    return group.scatter(parts, parts[0], root)


def _send(group: Communicator, x: np.ndarray, peer: int = 0, **_: Any) -> tuple[()]:
    group.send(x, peer)
    return ()


def _barrier(group: Communicator, x: np.ndarray, **_: Any) -> np.ndarray:
    group.barrier()
    return x.copy()

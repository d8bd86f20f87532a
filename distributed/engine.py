"""What connects processes: engines of the collective operators, and the groups by their numbers.

The kernels that the operators declare are those of a process alone. Connecting adds the engine "mpi" for arrays of the
host and one for each kind of device that has one, "nccl" for CUDA's: their kernels do the same with the communicator
of the group that an operator names by its `ring_id`. A group's communicator on a device is made when the first array
from there is exchanged, which is at the same place of each process's program.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..backend import devices, engines
from ..backend.comm import exchanges
from ..backend.comm.communicator import AVG, MAX, MIN, PROD, SUM, Communicator
from ..backend.devices import device_type_of
from ..backend.selected_rows import SelectedRows
from ..core.place import CUDAPlace, Place, expected_place
from ..ops.collective import exchanges as moves
from ..ops.collective import reductions
from ..ops.core.kernels import register_kernel
from . import program_kernels

MPI, NCCL = "mpi", "nccl"
_OPERATIONS = {"sum": SUM, "max": MAX, "min": MIN, "prod": PROD, "avg": AVG}
_communicators: dict[int, Communicator] = {}
_on_devices: dict[tuple[int, str], tuple[int, Communicator]] = {}


class DeviceEngine(NamedTuple):
    """What connects devices of a kind: `make(host, index)` gives a group's communicator by device `index`.

    `host` is its communicator on the host. Every process of the group makes it at the same place of its program.
    """

    name: str
    make: Callable[[Communicator, int], Communicator]


def _nccl(host: Communicator, index: int) -> Communicator:
    from ..backend.comm.nccl import NCCLCommunicator
    from ..backend.cuda import cupy, nccl

    return NCCLCommunicator(cupy(), nccl(), host, index, end_all)


_device_engines: dict[str, DeviceEngine] = {CUDAPlace.kind: DeviceEngine(NCCL, _nccl)}


def end_all(error: BaseException) -> None:
    """Ends this process, and all others with it, by an error that nobody has waited for."""
    sys.excepthook(type(error), error, error.__traceback__)


def add_device_engine(kind: str, found: DeviceEngine) -> None:
    """Has arrays of a kind of device be exchanged by an engine of its own. ValueError where there is one."""
    if kind in _device_engines:
        raise ValueError(f"add_device_engine({kind!r}): {_device_engines[kind].name} connects devices of this kind.")
    _device_engines[kind] = found
    if is_connected():
        _use(kind, found)


def remove_device_engine(kind: str) -> None:
    """Takes away what `add_device_engine` has added."""
    found = _device_engines.pop(kind)
    engines.remove(found.name)
    for key in [key for key in _on_devices if key[1] == kind]:
        del _on_devices[key]


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
                               f"{found}. Start them with python -m proa.distributed.launch, with the mpiexec of the "
                               f"MPI that mpi4py uses, or under Slurm with srun --mpi=pmix for Open MPI, --mpi=pmi2 "
                               f"for MPICH and Intel MPI.")
        _communicators[0] = mpi.connect()
        engines.add(MPI, engines.CPU, is_connected)
        _register_kernels(MPI, lambda number, *_: communicator(number))
        for kind, engine in _device_engines.items():
            _use(kind, engine)
    return _communicators[0]


def _use(kind: str, found: DeviceEngine) -> None:
    engines.add(found.name, engines.GPU, is_connected, devices=(kind,))
    _register_kernels(found.name, lambda number, *inputs: _on_device(number, kind, *inputs))


def add_group(number: int, communicator: Communicator) -> None:
    """Gives a group's communicator its number."""
    _communicators[number] = communicator


def remove_group(number: int) -> None:
    """Forgets a group."""
    _communicators.pop(number, None)
    for key in [key for key in _on_devices if key[0] == number]:
        del _on_devices[key]


def communicator(number: int, array: Any = None) -> Communicator:
    """The communicator of a group, for arrays of the host or those that lie where `array` does.

    RuntimeError where this process is not one of the group, or nothing connects devices of that kind.
    """
    if array is not None and devices.is_device_array(array):
        return _on_device(number, device_type_of(array).name, array)
    found = _communicators.get(number)
    if found is None:
        raise RuntimeError(f"This process belongs to no group of the number {number}. Call "
                           f"paddle.distributed.init_parallel_env() or new_group() first; only members exchange.")
    return found


def begin(number: int, array: Any, do: Callable[[], Any]) -> Any:
    """Begins an exchange of a group with arrays that lie where `array` does: `wait()` gives its result."""
    return communicator(number, array).begin(do) if is_connected() else exchanges.begin(do)


def _on_device(number: int, kind: str, *inputs: Any) -> Communicator:
    """The communicator of a group on a kind of device: that of the inputs, or where new tensors are made."""
    host = communicator(number)
    if kind not in _device_engines:
        raise RuntimeError(f"Nothing connects devices of the kind {kind!r} between processes. Move the tensor to the "
                           f"host, x.cpu(), or add what does: proa.distributed.engine.add_device_engine.")
    index = device_type_of(inputs[0]).index_of(inputs[0]) if inputs else expected_place().index
    found = _on_devices.get((number, kind))
    if found is None:
        found = _on_devices[number, kind] = index, _device_engines[kind].make(host, index)
    if found[0] != index:
        raise RuntimeError(f"This process exchanges arrays of its device {kind}:{found[0]}, and received one of "
                           f"{kind}:{index}. Each process has one device: paddle.set_device({kind!r}) chooses it.")
    return found[1]


def backend_at(place: Place) -> str:
    """What connects processes for arrays of a place: "MPI", "NCCL", or what connects devices of another kind."""
    engine = _device_engines.get(place.kind) if place.is_device() else None
    return (MPI if engine is None else engine.name).upper()


def _register_kernels(name: str, find: Callable[..., Communicator]) -> None:
    """Registers the kernels of an engine: `find(number, *inputs)` gives the communicator."""
    def add(operator: Any, do: Callable[..., Any], takes_rows: bool = False) -> None:
        def kernel(*inputs: Any, ring_id: int = 0, **attrs: Any) -> Any:
            given = [x.to_dense() if isinstance(x, SelectedRows) and not (takes_rows and x.on_host) else x
                     for x in inputs]
            group = find(ring_id, *given)
            return group.do(lambda: do(group, *given, **attrs))

        register_kernel(operator, name, kernel)

    for kind, operation in _OPERATIONS.items():
        add(reductions.all_reduce_ops[kind],
            lambda group, x, _op=operation, **_: program_kernels.all_reduced(group, x, _op), takes_rows=True)
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
        group.empty(out_shape, dtype.dtype), peer))
    add(moves.barrier_op, _barrier)
    add(reductions.older_all_reduce_op, lambda group, x, reduce_type=0, **_: group.all_reduce(
        x, _OPERATIONS[reductions.OLDER_KINDS[reduce_type]]))
    add(moves.older_broadcast_op, lambda group, x, root=0, **_: _own(x, group.broadcast(x, root)))
    program_kernels.register(name, find, communicator, _communicators)


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

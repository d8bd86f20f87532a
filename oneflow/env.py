"""`flow.env`: this process among those that compute together: it is the only one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import backend
from .job.placement import refuse_several
from .refused import explaining

_values: dict[str, Any] = {}


class Resource:
    """What there is to compute with."""

    def __init__(self) -> None:
        self.machine_num, self.cpu_device_num = 1, 1
        self.gpu_device_num = backend.cuda_device_count() if backend.cuda_is_available() else 0


def init() -> bool:
    """True: there is nothing to be started."""
    return True


def machine(*val: Any) -> None:
    """The machines that compute together; NotImplementedError for more than one."""
    machines = val[0] if len(val) == 1 and isinstance(val[0], (list, tuple)) else val
    refuse_several("env.machine(…)", len(machines))


def init_bootstrap_confs(*val: Any, **settings: Any) -> None:
    """As `machine`."""
    machine(*val)


def current_resource() -> Resource:
    """What there is to compute with."""
    return Resource()


def current_machine_id() -> int:
    """0: the only one."""
    return 0


def get_world_size() -> int:
    """1: the number of processes."""
    return 1


def get_node_size() -> int:
    """1: the number of machines."""
    return 1


def get_rank() -> int:
    """0: the number of this process."""
    return 0


get_local_rank = get_rank


def is_multi_client() -> bool:
    """False: no other process computes along."""
    return False


def _keeping(name: str) -> Callable[[Any], None]:
    def keep(val: Any = True) -> None:
        _values[name] = val

    keep.__name__ = keep.__qualname__ = name
    keep.__doc__ = "Kept, and changes nothing: nothing is transported, and no logs are written."
    return keep


ctrl_port, data_port, log_dir, logtostderr, logbuflevel, grpc_use_no_signal = map(
    _keeping, ("ctrl_port", "data_port", "log_dir", "logtostderr", "logbuflevel", "grpc_use_no_signal"))
_eager = [False]


def enable_eager_execution(val: bool = True) -> None:
    """Kept for `eager_execution_enabled`, and changes nothing else.

    Outside of a global function whatever has values is computed at once, and a global function is traced: its results
    are those of computing at once, but its blobs have no `numpy()` while it is traced.
    """
    _eager[0] = bool(val)


def eager_execution_enabled() -> bool:
    """What `enable_eager_execution` was told last."""
    return _eager[0]


__getattr__ = explaining(__name__)

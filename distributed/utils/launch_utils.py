"""`paddle.distributed.utils.launch_utils`: what scripts ask of their machine before they start others."""

from __future__ import annotations

import contextlib
import socket

from ...core.absent import asked_of
from .local_trainers import (
    Cluster,
    Pod,
    Trainer,
    TrainerProc,
    get_cluster,
    terminate_local_procs,
    watch_local_trainers,
)
from .log_utils import get_logger

__all__ = ["Cluster", "Pod", "Trainer", "TrainerProc", "find_free_ports", "get_cluster", "get_host_name_ip",
           "get_logger", "terminate_local_procs", "watch_local_trainers"]
__getattr__ = asked_of(__name__)


def find_free_ports(num: int) -> set[int]:
    """So many ports of this machine that nobody listens at."""
    with contextlib.ExitStack() as held:
        found = set()
        for _ in range(num):
            one = held.enter_context(socket.socket())
            one.bind(("", 0))
            found.add(one.getsockname()[1])
        return found


def get_host_name_ip() -> tuple[str, str] | None:
    """This machine's name and address; None where its name has none."""
    name = socket.gethostname()
    try:
        return name, socket.gethostbyname(name)
    except OSError:
        return None

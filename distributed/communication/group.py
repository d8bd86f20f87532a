"""`paddle.distributed.communication.group`: groups of processes."""

from ..collectives import barrier, wait
from ..environment import is_initialized
from ..groups import Group, _get_global_group, destroy_process_group, get_backend, get_group

__all__ = ["Group", "_get_global_group", "barrier", "destroy_process_group", "get_backend", "get_group",
           "is_initialized", "wait"]

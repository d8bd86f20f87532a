"""`flow.distributed`: this process among those that compute together: the only one."""

from __future__ import annotations

from .env import get_world_size


def get_rank() -> int:
    """0: the number of this process.

    >>> import proa.oneflow as flow
    >>> flow.distributed.get_rank(), flow.distributed.get_world_size()
    (0, 1)
    """
    return 0


get_local_rank = get_rank


def is_multi_client() -> bool:
    """False: one process runs all."""
    return False


__all__ = ["get_local_rank", "get_rank", "get_world_size", "is_multi_client"]

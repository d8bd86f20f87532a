"""What fleet says of this process's place among others, as a launcher tells it, and how much fleet tells itself."""

from __future__ import annotations

import logging
import os
from typing import Any

import numpy as np

from ...core import launched
from ..environment import ParallelEnv, get_rank, get_world_size
from .metrics.metric import max as _largest
from .metrics.metric import min as _smallest
from .metrics.metric import sum as _summed
from .utils.log_util import logger, set_log_level

__all__ = ["all_reduce", "get_log_level_code", "get_log_level_name", "local_device_ids", "local_rank", "node_num",
           "nranks", "rank", "rank_in_node", "set_log_level", "world_device_ids", "world_size"]


def rank() -> int:
    """The number of this process."""
    return get_rank()


def nranks() -> int:
    """How many processes there are."""
    return get_world_size()


def world_size() -> int:
    """How many processes there are."""
    return get_world_size()


def local_rank() -> int:
    """The number of this process among those of its machine."""
    return launched.local_rank()


rank_in_node = local_rank


def node_num() -> int:
    """How many machines there are, by the addresses of the processes."""
    return len({endpoint.rpartition(":")[0] for endpoint in ParallelEnv().trainer_endpoints})


def local_device_ids() -> list[str]:
    """The devices of this process's machine that take part, as a launcher says them."""
    return [one for one in os.environ.get("PADDLE_LOCAL_DEVICE_IDS", "").split(",") if one]


def world_device_ids() -> list[list[str]]:
    """The devices of all processes, as a launcher says them: those of one process behind another's, by `:`."""
    found = os.environ.get("PADDLE_WORLD_DEVICE_IDS", "")
    return [[one for one in ids.split(",") if one] for ids in found.split(":")] if found else []


def all_reduce(input: Any, mode: str = "sum") -> np.ndarray:
    """The sum, the largest or the smallest of all processes' arrays or numbers, by element.

    >>> from proa.distributed import fleet
    >>> fleet.all_reduce([1, 2]).tolist()
    [1, 2]
    """
    reductions = {"sum": _summed, "max": _largest, "min": _smallest}
    if mode not in reductions:
        raise ValueError(f"fleet.all_reduce(mode): must be one of {', '.join(reductions)}. Received {mode!r}.")
    return reductions[mode](np.asarray(input))


def get_log_level_code() -> int:
    """How grave messages of fleet must be to be told, as a number of Python's logging."""
    return logger.getEffectiveLevel()


def get_log_level_name() -> str:
    """The same by its name."""
    return logging.getLevelName(get_log_level_code())

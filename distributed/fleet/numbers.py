"""Which devices a launcher gives the processes, and how much fleet tells."""

from __future__ import annotations

import logging
import os

from .utils.log_util import logger, set_log_level

__all__ = ["get_log_level_code", "get_log_level_name", "local_device_ids", "set_log_level", "world_device_ids"]


def local_device_ids() -> list[str]:
    """The devices of this process's machine that take part, as a launcher says them.

    >>> from proa.distributed import fleet
    >>> _ = fleet.init(is_collective=True)
    >>> fleet.local_device_ids()
    []
    """
    return [one for one in os.environ.get("PADDLE_LOCAL_DEVICE_IDS", "").split(",") if one]


def world_device_ids() -> list[list[str]]:
    """The devices of all processes, as a launcher says them: those of one process behind another's, by `:`.

    >>> from proa.distributed import fleet
    >>> _ = fleet.init(is_collective=True)
    >>> fleet.world_device_ids()
    []
    """
    found = os.environ.get("PADDLE_WORLD_DEVICE_IDS", "")
    return [[one for one in ids.split(",") if one] for ids in found.split(":")] if found else []


def get_log_level_code() -> int:
    """How grave messages of fleet must be to be told, as a number of Python's logging."""
    return logger.getEffectiveLevel()


def get_log_level_name() -> str:
    """The same by its name."""
    return logging.getLevelName(get_log_level_code())

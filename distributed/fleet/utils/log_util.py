"""The logger of fleet, and how much it tells."""

from __future__ import annotations

import logging

__all__ = ["logger", "set_log_level"]

logger = logging.getLogger("FLEET")


def set_log_level(level: int | str) -> None:
    """How grave messages must be to be told: a level of Python's logging, by number or name."""
    logger.setLevel(level)

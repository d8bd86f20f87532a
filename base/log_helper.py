"""`paddle.base.log_helper`: loggers with a level and a form of their own."""

from __future__ import annotations

import logging

from ..core.lazy import listed

__all__ = ["get_logger"]
__dir__ = listed(__name__)


def get_logger(name: str, level: int | str, fmt: str | None = None) -> logging.Logger:
    """The logger of this name at a level, which writes to stderr in the form `fmt` and passes nothing on.

    >>> import logging, proa as paddle
    >>> paddle.base.log_helper.get_logger("example", logging.INFO, fmt="%(message)s").level == logging.INFO
    True
    """
    logger = logging.getLogger(name)
    logger.setLevel(level)
    handler = logging.StreamHandler()
    if fmt:
        handler.setFormatter(logging.Formatter(fmt=fmt))
    logger.addHandler(handler)
    logger.propagate = False
    return logger

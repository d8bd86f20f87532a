"""`paddle.distributed.utils.log_utils`: a logger that says when and where."""

from __future__ import annotations

import logging

__all__ = ["get_logger"]


def get_logger(log_level: int | str, name: str = "root") -> logging.Logger:
    """The logger of a name, which writes to the terminal from a level on.

    >>> from proa.distributed.utils.log_utils import get_logger
    >>> get_logger(20, "train").level
    20
    """
    logger = logging.getLogger(name)
    logger.propagate = False
    logger.setLevel(log_level)
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter(
            "[%(asctime)-15s] [%(levelname)8s] %(filename)s:%(lineno)s - %(message)s"))
        logger.addHandler(handler)
    return logger

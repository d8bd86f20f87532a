"""`fluid.log_helper`: loggers with a level and a form of their own."""

from ..base.log_helper import get_logger
from ..core.lazy import listed

__all__ = ["get_logger"]
__dir__ = listed(__name__)

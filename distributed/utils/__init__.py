"""`paddle.distributed.utils`: loggers and free ports."""

from ...core.absent import asked_of
from . import launch_utils, log_utils, nccl_utils

__all__ = ["launch_utils", "log_utils", "nccl_utils"]
__getattr__ = asked_of(__name__)

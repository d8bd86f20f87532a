"""Training on several devices and with little memory: what there is of `paddle.distributed`."""

from . import fleet
from .parallel import DataParallel

__all__ = ["DataParallel", "fleet"]

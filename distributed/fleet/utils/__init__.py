"""`paddle.distributed.fleet.utils`: recompute, file systems, and what divided models share."""

from ....core.absent import asked_of
from ..recompute import recompute
from . import fs, hybrid_parallel_util, log_util, mix_precision_utils, sequence_parallel_utils, timer_helper
from .fs import HDFSClient, LocalFS

__all__ = ["HDFSClient", "LocalFS", "recompute"]
__getattr__ = asked_of(__name__)

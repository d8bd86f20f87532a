"""`fleet.utils`: files of HDFS, Programs in files, metrics of all workers."""

from typing import TYPE_CHECKING

from .....core.lazy import attach

if TYPE_CHECKING:
    from . import fleet_barrier_util, fleet_util, hdfs, utils
else:
    __getattr__, __dir__ = attach(__name__)

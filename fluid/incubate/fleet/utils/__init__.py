"""`fleet.utils`: files of HDFS."""

from typing import TYPE_CHECKING

from .....core.lazy import attach

if TYPE_CHECKING:
    from . import hdfs
else:
    __getattr__, __dir__ = attach(__name__)

"""`fluid.contrib.utils`: files of HDFS."""

from typing import TYPE_CHECKING

from ....core.lazy import attach

if TYPE_CHECKING:
    from . import hdfs_utils
    from .hdfs_utils import HDFSClient, multi_download, multi_upload
else:
    __getattr__, __dir__ = attach(__name__)

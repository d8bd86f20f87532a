"""`fluid.contrib.utils`: files of HDFS."""

from typing import TYPE_CHECKING

from ....core.lazy import attach

if TYPE_CHECKING:
    from . import hdfs_utils, lookup_table_utils
    from .hdfs_utils import HDFSClient, multi_download, multi_upload
    from .lookup_table_utils import (
        convert_dist_to_sparse_program,
        load_persistables_for_increment,
        load_persistables_for_inference,
    )
else:
    __getattr__, __dir__ = attach(__name__)

"""`paddle.dataset.common`: checksums of files, and where downloads are kept."""

import os

from ..utils.download import md5file

__all__ = ["DATA_HOME", "md5file"]

#: The folder of downloaded data sets.
DATA_HOME = os.path.join(os.path.expanduser("~"), ".cache", "paddle", "dataset")

"""`paddle.dataset.common`: checksums of files, and where downloads are kept."""

import os

from ..io.local_files import HOME
from ..utils.download import md5file

__all__ = ["DATA_HOME", "md5file"]

#: The folder of downloaded data sets.
DATA_HOME = os.path.expanduser(HOME)

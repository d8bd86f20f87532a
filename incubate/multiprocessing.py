"""Python's `multiprocessing`, by the path under which Tensors are sent between processes: as copies, with their values.

`stop_gradient` goes with them; what a process does to one in place is not seen by the other.
"""

from __future__ import annotations

import multiprocessing
from multiprocessing import *  # noqa: F403 - the module under another name

__all__ = multiprocessing.__all__

"""Memory that an array gave back is kept for the next one: fresh pages cost more than what is computed in them.

The C library returns large blocks to the system as soon as they are free, and takes new pages, zeroed one by one, for
the next array of that size. Told to keep some, a training step runs in the memory of the one before. Where the C
library is not glibc nothing is changed.
"""

from __future__ import annotations

import ctypes
import functools
import sys

from ..core import flags

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt
_LARGEST_KEPT = 64 * 2**20  # a larger block goes back to the system at once


@functools.cache
def keep_freed() -> None:
    """Tells the C library to keep freed memory, once; called when the first accelerated kernel is about to run."""
    megabytes = flags.values["FLAGS_keep_freed_megabytes"]
    mallopt = getattr(c_library(), "mallopt", None)
    if megabytes > 0 and mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT)
        mallopt(_TRIM_THRESHOLD, min(megabytes, 2047) * 2**20)


@functools.cache
def c_library() -> ctypes.CDLL | None:
    """What is loaded in this process, the C library among it; None on Windows, where nothing stands for all of it."""
    return None if sys.platform == "win32" else ctypes.CDLL(None)

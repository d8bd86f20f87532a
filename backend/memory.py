"""Memory that an array gave back is kept for the next one: fresh pages cost more than what is computed in them.

The C library returns large blocks to the system as soon as they are free, and takes new pages, zeroed one by one, for
the next array of that size. Told to keep some, a training step runs in the memory of the one before. Where the C
library is not glibc nothing is changed.

What a model takes at its first run stays, too: that memory comes in pages of the usual size (`usual_pages`).
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
import threading
from collections.abc import Callable, Iterator

from ..core import flags

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt
_LARGEST_KEPT = 64 * 2**20  # a larger block goes back to the system at once
_SET_WITHOUT_LARGE_PAGES, _ARE_WITHOUT_LARGE_PAGES = 41, 42  # of prctl


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


@functools.cache
def _control() -> Callable[..., int] | None:
    """Linux's `prctl`; None elsewhere."""
    found = getattr(c_library(), "prctl", None) if sys.platform == "linux" else None
    if found is not None:
        found.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    return found


class _WithoutLargePages:
    """How many blocks want the process to do without large pages."""

    blocks = 0
    lock = threading.Lock()


@contextlib.contextmanager
def usual_pages() -> Iterator[None]:
    """Within the block, memory that is touched for the first time comes in pages of the usual size, for all threads.

    NumPy asks Linux for pages of 2 MB where an array is large. They are cheap where they lie ready. But the system
    takes them from memory that nobody has used yet, and under a virtual machine the host may still have to find what
    stands behind it: several times the cost of usual pages, which are those that were freed last. The system may join
    pages later by itself, as NumPy has asked for it. Take it within `unforked`: a forked child would go without, too.
    """
    control, state = _control(), _WithoutLargePages
    if control is None:
        yield
        return
    with state.lock:
        is_ours = state.blocks > 0 or control(_ARE_WITHOUT_LARGE_PAGES, 0, 0, 0, 0) == 0
        if is_ours:
            if not state.blocks:
                control(_SET_WITHOUT_LARGE_PAGES, 1, 0, 0, 0)
            state.blocks += 1
    try:
        yield
    finally:
        if is_ours:
            with state.lock:
                state.blocks -= 1
                if not state.blocks:
                    control(_SET_WITHOUT_LARGE_PAGES, 0, 0, 0, 0)

"""The threads that compute on the host: one OpenMP pool (libgomp's) for oneDNN and for generated loops alike.

How many is OMP_NUM_THREADS, or the processors this process may use, or what `set_num_threads` said last. A forked child
computes on one thread: the pool's threads do not survive a fork, and waiting for them would never end.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import os

_count = 0


@functools.cache
def openmp() -> ctypes.CDLL | None:
    """The OpenMP runtime (libgomp); None where there is none: loops then run on the calling thread."""
    for name in ("libgomp.so.1", ctypes.util.find_library("gomp")):
        if name:
            try:
                return ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
            except OSError:
                continue
    return None


def _available() -> int:
    text = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if text.isdigit() and int(text) > 0:
        return int(text)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def get_num_threads() -> int:
    """The number of threads that one kernel may use."""
    global _count
    if _count == 0:
        _count = _available()
    return _count


def set_num_threads(count: int) -> None:
    """Sets the number of threads that one kernel may use, from the calling thread's next kernel on."""
    global _count
    if not isinstance(count, int) or count < 1:
        raise ValueError(f"set_num_threads(count): count must be a positive int. Received {count!r}.")
    _count = count
    if (runtime := openmp()) is not None:
        runtime.omp_set_num_threads(count)


def _in_child() -> None:
    set_num_threads(1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)

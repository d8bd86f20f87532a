"""The threads that compute on the host: one OpenMP pool (libgomp's) for oneDNN and for generated loops alike.

How many is OMP_NUM_THREADS, or the processors this process may use (`core/processors.py`), or what `set_num_threads`
said last. A forked child computes on one thread: the pool's threads do not survive a fork, and waiting for them would
never end.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from collections.abc import Iterator

from ..core import blas_waiting, processors
from . import blas

_SPINS = "20000"  # how often the pool's waiting threads look before they sleep: some 0.8 ms
_count = 0
_in_memory = ctypes.c_int(0)  # the same, for compiled code


@contextlib.contextmanager
def waiting_shortly() -> Iterator[None]:
    """An OpenMP runtime loaded within has threads that soon sleep when they wait, unless the user says otherwise.

    By itself libgomp has them look for some 10 ms: on processors that other programs want too, a thread then waits in
    that manner for one that it keeps from running, at every small loop. Nor does it start more threads than the control
    group has time for. The runtime reads the environment when it is loaded; the environment stays as it was.
    """
    said = {}
    if "GOMP_SPINCOUNT" not in os.environ and "OMP_WAIT_POLICY" not in os.environ:
        said["GOMP_SPINCOUNT"] = _SPINS
    if _are_fewer():
        said["OMP_NUM_THREADS"] = str(processors.usable())
    os.environ.update(said)
    try:
        yield
    finally:
        for name in said:
            del os.environ[name]


@functools.cache
def openmp() -> ctypes.CDLL | None:
    """The OpenMP runtime (libgomp); None where there is none: loops then run on the calling thread."""
    with waiting_shortly():
        try:
            return ctypes.CDLL("libgomp.so.1", mode=ctypes.RTLD_GLOBAL)
        except OSError:
            from ctypes.util import find_library

            name = find_library("gomp")
            return ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL) if name else None


def _available() -> int:
    text = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(text) if text.isdigit() and int(text) > 0 else processors.usable()


def _are_fewer() -> bool:
    """Whether libraries would start more threads than the control group lets run, and nobody said how many."""
    return "OMP_NUM_THREADS" not in os.environ and processors.usable() < processors.bound()


def get_num_threads() -> int:
    """The number of threads that one kernel on the host may use (`torch.get_num_threads`)."""
    global _count
    if _count == 0:
        _count = _in_memory.value = _available()
    return _count


def place_of_count() -> int:
    """Where in memory the number of threads stands, a C int, for compiled code that asks often."""
    get_num_threads()
    return ctypes.addressof(_in_memory)


@functools.cache
def team() -> tuple[int, tuple[int, ...]]:
    """Where compiled code finds the number of threads, and OpenMP's functions that share work among them.

    Zeros for these where there are none.
    """
    runtime, names = openmp(), ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads")
    if runtime is None:
        return place_of_count(), (0,) * len(names)
    return place_of_count(), tuple([ctypes.cast(getattr(runtime, name), ctypes.c_void_p).value or 0 for name in names])


def set_num_threads(count: int) -> None:
    """Sets the number of threads that one kernel on the host may use, NumPy's products included.

    At first it is OMP_NUM_THREADS, or else the number of processors that this process may use. Raises ValueError
    unless `count` is a positive int. (The API is PyTorch's; Paddle has none for this.)

    >>> import proa
    >>> before = proa.get_num_threads()
    >>> proa.set_num_threads(1)
    >>> proa.get_num_threads()
    1
    >>> proa.set_num_threads(before)
    """
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ValueError(f"set_num_threads(count): count must be a positive int. Received {count!r}.")
    _use(count)
    blas.set_num_threads(count)


def _use(count: int) -> None:
    global _count
    _count = _in_memory.value = count
    if (runtime := openmp()) is not None:
        runtime.omp_set_num_threads(count)


def _in_child() -> None:
    _use(1)


blas_waiting.leave()
if _are_fewer() and "OPENBLAS_NUM_THREADS" not in os.environ:
    blas.set_num_threads(processors.usable())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)

"""The BLAS inside NumPy: what it is, and how many threads it uses (OpenBLAS; others go by OMP_NUM_THREADS alone)."""

from __future__ import annotations

import ctypes
import functools
import os
import threading
from typing import Any

import numpy as np

_NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads64_",
          "openblas_{}_num_threads")


@functools.cache
def _library() -> ctypes.CDLL | None:
    """The extension module that was linked to it, through which its functions are found."""
    try:
        return ctypes.CDLL(np._core._multiarray_umath.__file__)  # type: ignore[attr-defined]
    except (AttributeError, OSError):
        return None


@functools.cache
def _function(verb: str) -> Any | None:
    """OpenBLAS's function that gets or sets the number."""
    library = _library()
    return next((getattr(library, name.format(verb)) for name in _NAMES if hasattr(library, name.format(verb))), None)


@functools.cache
def address_of(name: str) -> int | None:
    """Where a function of the interface in C is, whose sizes are 64 bits wide; None where there is no such one."""
    library = _library()
    found = (getattr(library, form.format(name), None) for form in ("scipy_{}64_", "{}64_"))
    return next((ctypes.cast(function, ctypes.c_void_p).value for function in found if function is not None), None)


def get_num_threads() -> int | None:
    """The most threads that NumPy's products use; None where that cannot be asked."""
    function = _function("get")
    return None if function is None else int(function())


def set_num_threads(count: int) -> None:
    """Sets the most threads that NumPy's products use, where that can be set."""
    one_thread.set_otherwise(count)


def _set(count: int) -> None:
    function = _function("set")
    if function is not None:
        function(ctypes.c_int(count))


class _OneThread:
    """Within the block NumPy's BLAS computes on the calling thread, in all threads of Python.

    Its own threads, which wait in a loop for their next task, then keep no processor from those of `threads.py`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = 0
        self._otherwise: int | None = None  # threads outside of such blocks, once it is known

    def __enter__(self) -> None:
        with self._lock:
            self._depth += 1
            if self._depth == 1:
                self._otherwise = get_num_threads()
                _set(1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._depth -= 1
            if not self._depth and self._otherwise is not None:
                _set(self._otherwise)

    def set_otherwise(self, count: int) -> None:
        """Sets the number of threads outside of such blocks."""
        with self._lock:
            if self._depth:
                self._otherwise = count
            else:
                _set(count)

    def begin_again(self) -> None:
        """In a forked child, none of whose threads is within a block but the one that goes on."""
        if self._depth and self._otherwise is not None:
            _set(self._otherwise)
        self._lock, self._depth = threading.Lock(), 0


one_thread = _OneThread()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=one_thread.begin_again)


def description() -> str:
    """Its name and version as NumPy was built with them, such as `scipy-openblas 0.3.33`."""
    found: Any = np.show_config(mode="dicts")
    blas = found.get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()

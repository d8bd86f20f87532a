"""A bound on what NumPy allocates for arrays, for one thread and as long as a block lasts.

NumPy lets the functions be replaced that allocate the elements of arrays (NEP 49). Those that stand here ask first, and
leave the allocation itself, and the freeing, to NumPy's own: arrays outlive the block, and nothing of Python's runs
when they go. Where an allocation is refused, NumPy raises MemoryError.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

_SET_HANDLER, _GET_HANDLER = 304, 305  # places in NumPy's table of C functions
_NAME = b"mem_handler"


class _Allocator(ctypes.Structure):
    _fields_ = [("context", ctypes.c_void_p), ("malloc", ctypes.c_void_p), ("calloc", ctypes.c_void_p),
                ("realloc", ctypes.c_void_p), ("free", ctypes.c_void_p)]


class _Handler(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 127), ("version", ctypes.c_uint8), ("allocator", _Allocator)]


# NumPy's own are called, and call, with the interpreter's lock held.
_MALLOC = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_CALLOC = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
_REALLOC = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class _Asked(threading.local):
    """What a thread asks before it allocates: whether so many bytes may be."""

    allows: Callable[[int], bool] | None = None


_asked = _Asked()


class _Table:
    """NumPy's functions that get and set the handler, and a handler that asks."""

    def __init__(self) -> None:
        core = getattr(np, "_core", None) or np.core
        table = ctypes.pythonapi.PyCapsule_GetPointer
        table.restype, table.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        functions = ctypes.cast(table(core._multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
        self.set = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(functions[_SET_HANDLER])
        own = ctypes.PYFUNCTYPE(ctypes.py_object)(functions[_GET_HANDLER])()
        default = ctypes.cast(table(own, _NAME), ctypes.POINTER(_Handler)).contents
        self._keep(default)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        self.capsule = new(ctypes.addressof(self.handler), _NAME, None)

    def _keep(self, default: _Handler) -> None:
        """The handler that asks, and what it leaves the work to: both last as long as the process."""
        theirs = default.allocator
        malloc, calloc, realloc = _MALLOC(theirs.malloc), _CALLOC(theirs.calloc), _REALLOC(theirs.realloc)

        def asking_malloc(context: Any, size: int) -> Any:
            return malloc(context, size) if _allowed(size) else None

        def asking_calloc(context: Any, count: int, size: int) -> Any:
            return calloc(context, count, size) if _allowed(count * size) else None

        def asking_realloc(context: Any, place: Any, size: int) -> Any:
            return realloc(context, place, size) if _allowed(size) else None

        self.functions = _MALLOC(asking_malloc), _CALLOC(asking_calloc), _REALLOC(asking_realloc)
        addresses = [ctypes.cast(function, ctypes.c_void_p).value for function in self.functions]
        self.handler = _Handler(b"proa_asking", default.version, _Allocator(theirs.context, *addresses, theirs.free))


def _allowed(size: int) -> bool:
    allows = _asked.allows
    return allows is None or allows(size)


_table = functools.cache(_Table)


@contextlib.contextmanager
def asking(allows: Callable[[int], bool]) -> Iterator[None]:
    """Within the block, this thread asks `allows(bytes)` before NumPy allocates an array: MemoryError if False.

    >>> import numpy
    >>> with asking(lambda size: size < 1000):
    ...     small = numpy.ones(10)
    ...     try:
    ...         numpy.ones(1000)
    ...     except MemoryError:
    ...         print("too large")
    too large
    """
    table = _table()
    before, _asked.allows = _asked.allows, allows
    old = table.set(table.capsule)
    try:
        yield
    finally:
        table.set(old)
        _asked.allows = before

"""Machine code in memory: an image becomes code that can be called, and that a function of Python.

Memory is written first and made executable then, never both at a time.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import struct
from collections.abc import Callable

from .. import memory, threads
from .linking import Image

_READ_AND_RUN = 1 | 4  # PROT_READ, PROT_EXEC
_FASTCALL = 0x0080  # of methodobject.h
_kept: list[object] = []  # what code that may be called at any time lies in, and refers to


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("doc", ctypes.c_char_p)]


def loaded(image: Image) -> int | None:
    """The address of the image's entry; None where this system does not let it be loaded, or lacks what it calls."""
    library = memory.c_library()
    if library is None:
        return None
    addresses = [address_of(name) for name in image.names]
    if None in addresses:
        return None
    pages = mmap.mmap(-1, image.size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE)
    pages[:len(image.content)] = image.content
    pages[image.table:image.size] = struct.pack(f"<{len(addresses)}Q", *addresses)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    if library.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(image.size), _READ_AND_RUN):
        return None
    _kept.append(pages)
    return start + image.entry


@functools.cache
def address_of(name: str) -> int | None:
    """Where a function of OpenMP's runtime, of Python's or of the C library is; None for an unknown one."""
    for library in (threads.openmp(), ctypes.pythonapi, memory.c_library()):
        function = getattr(library, name, None)
        if function is not None:
            return ctypes.cast(function, ctypes.c_void_p).value
    return None


def function_at(address: int, name: str) -> Callable[..., None]:
    """The function of Python, written in C (METH_FASTCALL), whose machine code is there."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    method = _Method(name.encode(), address, _FASTCALL, None)
    _kept.append(method)
    made: Callable[..., None] = make(ctypes.addressof(method), None, None)
    return made

"""Loads oneDNN (libdnnl 3.x), and declares those functions of its C interface that are used here.

Nothing is loaded at import: `library()` does it at the first use, takes the newest that can be used, and gives None
where there is none. See https://uxlfoundation.github.io/oneDNN/ for the interface.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable
from ctypes import POINTER, Structure, c_char, c_char_p, c_float, c_int, c_int64, c_size_t, c_uint, c_void_p
from typing import Any

import numpy as np

from ...core.forks import unforked
from .. import engines, memory
from ..threads import waiting_shortly

MAJOR = 3
_SEQUENTIAL, _OPENMP, _TBB = 1, 2, 4  # the threads that a build for processors may use
_PROCESSOR, _IN_ORDER = 1, 1
_INVALID, _UNIMPLEMENTED = 2, 3
_STATUS = {1: "out of memory", 2: "invalid arguments", 3: "not implemented", 4: "no further implementation",
           5: "run-time error", 6: "not required"}


class _Version(Structure):
    _fields_ = [("major", c_int), ("minor", c_int), ("patch", c_int), ("hash", c_char_p), ("cpu_runtime", c_uint),
                ("gpu_runtime", c_uint)]


class Argument(Structure):
    """One operand of an execution: what it is to the primitive, and the memory object."""

    _fields_ = [("what", c_int), ("memory", c_void_p)]


_loading = threading.Lock()
_HANDLE, _DIMS = c_void_p, POINTER(c_int64)
_SIGNATURES = {
    "engine_create": [_HANDLE, c_int, c_size_t],
    "stream_create": [_HANDLE, _HANDLE, c_uint],
    "memory_desc_create_with_strides": [_HANDLE, c_int, _DIMS, c_int, _DIMS],
    "memory_desc_create_with_tag": [_HANDLE, c_int, _DIMS, c_int, c_int],
    "memory_desc_destroy": [_HANDLE],
    "memory_desc_clone": [_HANDLE, _HANDLE],
    "memory_desc_query": [_HANDLE, c_int, _HANDLE],
    "memory_create": [_HANDLE, _HANDLE, _HANDLE, c_size_t],
    "memory_destroy": [_HANDLE],
    "primitive_attr_create": [_HANDLE],
    "primitive_attr_destroy": [_HANDLE],
    "primitive_attr_set_scratchpad_mode": [_HANDLE, c_int],
    "primitive_attr_set_scales_mask": [_HANDLE, c_int, c_int],
    "primitive_attr_set_post_ops": [_HANDLE, _HANDLE],
    "post_ops_create": [_HANDLE],
    "post_ops_destroy": [_HANDLE],
    "post_ops_append_eltwise": [_HANDLE, c_int, c_float, c_float],
    "post_ops_append_sum": [_HANDLE, c_float, c_int, c_int],
    "post_ops_append_binary": [_HANDLE, c_int, _HANDLE],
    "primitive_desc_destroy": [_HANDLE],
    "primitive_desc_next_impl": [_HANDLE],
    "primitive_desc_query": [_HANDLE, c_int, c_int, _HANDLE],
    "primitive_create": [_HANDLE, _HANDLE],
    "primitive_destroy": [_HANDLE],
    "primitive_execute": [_HANDLE, _HANDLE, c_int, _HANDLE],
    "reorder_primitive_desc_create": [_HANDLE] * 6,
    "matmul_primitive_desc_create": [_HANDLE] * 7,
    "convolution_forward_primitive_desc_create":
        [_HANDLE, _HANDLE, c_int, c_int, *[_HANDLE] * 4, *[_DIMS] * 4, _HANDLE],
    "convolution_backward_data_primitive_desc_create":
        [_HANDLE, _HANDLE, c_int, *[_HANDLE] * 3, *[_DIMS] * 4, _HANDLE, _HANDLE],
    "convolution_backward_weights_primitive_desc_create":
        [_HANDLE, _HANDLE, c_int, *[_HANDLE] * 4, *[_DIMS] * 4, _HANDLE, _HANDLE],
    "inner_product_forward_primitive_desc_create": [_HANDLE, _HANDLE, c_int, *[_HANDLE] * 5],
    "pooling_forward_primitive_desc_create":
        [_HANDLE, _HANDLE, c_int, c_int, *[_HANDLE] * 2, *[_DIMS] * 5, _HANDLE],
    "pooling_backward_primitive_desc_create":
        [_HANDLE, _HANDLE, c_int, *[_HANDLE] * 2, *[_DIMS] * 5, _HANDLE, _HANDLE],
    "sgemm": [c_char, c_char, c_int64, c_int64, c_int64, c_float, c_size_t, c_int64, c_size_t, c_int64, c_float,
              c_size_t, c_int64],
}


class Library:
    """A loaded oneDNN with an engine for this processor. Its functions raise RuntimeError unless they succeed."""

    def __init__(self, path: str):
        self.path = path
        with waiting_shortly():  # it brings the OpenMP runtime
            self._functions = ctypes.CDLL(path)
        self.version, self.runtime = self._version()
        for name, arguments in _SIGNATURES.items():
            getattr(self._functions, f"dnnl_{name}").argtypes = arguments
        self._functions.dnnl_memory_desc_get_size.argtypes = [_HANDLE]
        self._functions.dnnl_memory_desc_get_size.restype = c_size_t
        self._functions.dnnl_memory_desc_equal.argtypes = [_HANDLE, _HANDLE]
        self._functions.dnnl_primitive_desc_query_md.argtypes = [_HANDLE, c_int, c_int]
        self._functions.dnnl_primitive_desc_query_md.restype = c_void_p
        self.execute = self._functions.dnnl_primitive_execute
        self.sgemm = self._functions.dnnl_sgemm
        quick = ctypes.PyDLL(path)  # for what only reads or writes a number: not worth giving up the interpreter's lock
        self.set_address = quick.dnnl_memory_set_data_handle
        self.set_address.argtypes = [c_void_p, c_size_t]
        self._told = 0
        self.threads_now: Callable[[], int] = (  # of the OpenMP runtime that the library brought
            quick.omp_get_max_threads if self.runtime == _OPENMP else lambda: self._told)
        self.engine = self.create("engine", _PROCESSOR, 0)

    def addresses(self) -> tuple[int, int, int, int] | None:
        """Where the functions are that execute, set a handle, and tell and set the threads; None but with OpenMP."""
        of = self._functions
        return self._addresses(of.dnnl_primitive_execute, of.dnnl_memory_set_data_handle)

    def product_addresses(self) -> tuple[int, int, int] | None:
        """The same of the function of products, and of those that tell and set the threads."""
        return self._addresses(self.sgemm)

    def _addresses(self, *functions: Any) -> Any:
        if self.runtime != _OPENMP:
            return None
        of = self._functions
        found = [ctypes.cast(function, c_void_p).value
                 for function in (*functions, of.omp_get_max_threads, of.omp_set_num_threads)]
        return tuple(found) if all(found) else None

    def _version(self) -> tuple[tuple[int, int, int], int]:
        asked = self._functions.dnnl_version
        asked.restype = POINTER(_Version)
        found = asked().contents
        return (found.major, found.minor, found.patch), found.cpu_runtime

    @property
    def is_usable(self) -> bool:
        """Whether this is a version, and a kind of build, that can be called as it is here."""
        return self.version[0] == MAJOR and self.runtime in (_SEQUENTIAL, _OPENMP, _TBB)

    def create(self, what: str, *arguments: object) -> int:
        """A new object of the library: dnnl_<what>_create."""
        return self.call(f"{what}_create", *arguments)

    def call(self, name: str, *arguments: object) -> int:
        """The object that a function puts into its first argument."""
        result = c_void_p()
        self.check(name, getattr(self._functions, f"dnnl_{name}")(ctypes.byref(result), *arguments))
        return result.value or 0

    def do(self, name: str, *arguments: object) -> None:
        """Calls a function that gives a status only."""
        self.check(name, getattr(self._functions, f"dnnl_{name}")(*arguments))

    def ask(self, name: str, *arguments: object) -> int:
        """Calls a function that gives an answer instead of a status."""
        return getattr(self._functions, f"dnnl_{name}")(*arguments)

    def check(self, what: str, status: int) -> None:
        """Raises RuntimeError, or Unimplemented, unless the status is success."""
        if status == _UNIMPLEMENTED or status == _INVALID and what.endswith("_primitive_desc_create"):
            raise Unimplemented(what)  # shapes that do not fit each other: NumPy's kernel says it in the user's terms
        if status:
            raise RuntimeError(f"oneDNN {version_text(self)}: {what} failed: {_STATUS.get(status, status)}.")

    def new_stream(self) -> int:
        """A stream of executions, for one thread."""
        return self.create("stream", self.engine, _IN_ORDER)

    def set_threads(self, count: int) -> None:
        """Sets how many threads primitives use that the calling thread makes; builds without OpenMP decide it alone."""
        self._told = count
        if self.runtime == _OPENMP:
            self._functions.omp_set_num_threads(count)


class Unimplemented(NotImplementedError):
    """oneDNN has nothing for these shapes, element types or attributes: NumPy computes it."""


def version_text(loaded: Library) -> str:
    """Such as 3.2.0."""
    return ".".join(map(str, loaded.version))


@functools.cache
def library() -> Library | None:
    """The library in use, loaded at the first call; None where there is none."""
    with unforked(), _loading:  # objects of two loaded ones do not mix
        found = _newest()
    if found is None:
        _note_missing()
    return found


_is_missing = False  # as far as is known: it is looked for when a kernel first needs it


def _note_missing() -> None:
    global _is_missing
    _is_missing = True
    engines.generation.changed()


@functools.cache
def _newest() -> Library | None:
    from .finding import candidates

    memory.keep_freed()
    if data_offset() is None:
        return None
    for path in candidates(MAJOR):
        try:
            loaded = Library(path)
        except (OSError, AttributeError, RuntimeError):  # not for this system, too old, or without an engine
            continue
        if loaded.is_usable:
            return loaded
    return None


def is_loaded() -> bool:
    """Whether it has been looked for: until then it takes neither time nor memory."""
    return _newest.cache_info().currsize > 0


def is_ready() -> bool:
    """Whether oneDNN is wanted and can be had."""
    return engines.ONEDNN in engines.wanted and library() is not None


engines.add(engines.ONEDNN, is_ready=lambda: not _is_missing)


def version() -> str:
    """The version of the library in use, such as 3.2.0; empty without one."""
    loaded = library()
    return version_text(loaded) if loaded is not None else ""


@functools.cache
def data_offset() -> int | None:
    """Where an array object keeps the address of its data: after what every object has. None where that is not so."""
    probe = np.arange(3)
    offset = object.__basicsize__
    return offset if c_void_p.from_address(id(probe) + offset).value == probe.ctypes.data else None

"""Turns a kernel's LLVM module into machine code of this processor and loads it; machine code is kept on disk."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import threading
from typing import Any

import numpy as np

from ...core.forks import unforked
from .. import memory, threads
from ..engines import LOOPS, is_wanted
from . import cache
from .functions import Function

OLDEST = 0, 45  # LLVM aborts the process in the one before
_lock = threading.Lock()
_keep: list[Any] = []


@functools.cache
def obstacle() -> str:
    """Why generated loops cannot be had; empty where they can."""
    if importlib.util.find_spec("llvmlite") is None:
        return "llvmlite is not installed"
    if tuple(map(int, version().split(".")[:2])) < OLDEST:
        return f"llvmlite {version()} is too old: {OLDEST[0]}.{OLDEST[1]} is the oldest that serves"
    return "this Python keeps the data of arrays elsewhere" if _data_offset() is None else ""


def is_ready() -> bool:
    """Whether generated loops are wanted and can be had."""
    return is_wanted(LOOPS) and not obstacle()


def version() -> str:
    """The version of llvmlite."""
    import llvmlite

    return llvmlite.__version__


def _data_offset() -> int | None:
    """Where an array object keeps the address of its data: after what every object has. None where that is not so."""
    probe = np.arange(3)
    offset = object.__basicsize__
    found = ctypes.c_void_p.from_address(id(probe) + offset).value
    return offset if found == probe.ctypes.data else None


class _Target:
    """The processor of this machine, as LLVM knows it."""

    def __init__(self) -> None:
        from llvmlite import binding

        memory.keep_freed()
        self.binding = binding
        if hasattr(binding, "initialize_native_target"):
            binding.initialize_native_target()
            binding.initialize_native_asmprinter()
        self.cpu = binding.get_host_cpu_name()
        self.features = binding.get_host_cpu_features().flatten()
        target = binding.Target.from_default_triple()
        self.machine = target.create_target_machine(cpu=self.cpu, features=self.features, opt=3, reloc="pic",
                                                    codemodel="default")
        self.engine = binding.create_mcjit_compiler(
            binding.parse_assembly(""), target.create_target_machine(cpu=self.cpu, features=self.features, opt=3,
                                                                     jit=True))
        self._add_runtime()

    def _add_runtime(self) -> None:
        runtime = threads.openmp()
        for name in ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads"):
            if runtime is not None:
                address = ctypes.cast(getattr(runtime, name), ctypes.c_void_p).value
                self.binding.add_symbol(name, address)

    def object_code(self, text: str) -> bytes:
        """The machine code of a module."""
        module = self.binding.parse_assembly(text)
        module.verify()
        options = self.binding.PipelineTuningOptions(speed_level=3)
        options.loop_vectorization = options.slp_vectorization = options.loop_interleaving = True
        options.loop_unrolling = True
        passes = self.binding.create_pass_builder(self.machine, options)
        passes.getModulePassManager().run(module, passes)
        return self.machine.emit_object(module)

    def load(self, code: bytes, name: str) -> int:
        """Loads machine code and gives the address of its function of this name."""
        self.engine.add_object_file(self.binding.ObjectFileRef.from_data(code))
        self.engine.finalize_object()
        return self.engine.get_function_address(name)


@functools.cache
def _language() -> str:
    """What the same source means: a digest of the files that turn it into LLVM's language and machine code."""
    names = ("builtins", "compiler", "expressions", "language", "statements", "types", "values")
    paths = [os.path.join(os.path.dirname(__file__), f"{name}.py") for name in names]
    return cache.key_of("".join(map(_text, paths)))


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


@functools.cache
def _target() -> _Target:
    return _Target()


def compiled(function: Function, types: tuple[str, ...]) -> Any:
    """The callable machine code of a kernel for given types: `code(threads, arguments…)`."""
    with unforked(), _lock:
        target = _target()
        content = f"{_language()} {version()} {target.cpu} {target.features} {_data_offset()} {types}\n"
        key = cache.key_of(content + function.whole_source())
        name = f"k{key[:24]}"
        code = cache.read(key)
        if code is None:
            from .language import kernel_module

            offset = _data_offset()
            assert offset is not None
            text = kernel_module(function, types, offset).replace('@"entry"', f'@"{name}"')
            code = target.object_code(text)
            cache.write(key, code)
        address = target.load(code, name)
    arguments = [ctypes.py_object if t.endswith("*") else ctypes.c_double if t == "real" else ctypes.c_int64
                 for t in types]
    return ctypes.CFUNCTYPE(None, ctypes.c_int64, *arguments)(address)

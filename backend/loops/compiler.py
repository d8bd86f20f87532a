"""Turns a kernel's LLVM module into machine code of this processor and loads it; machine code is kept on disk."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import os
import platform
import re
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...core.forks import unforked
from .. import engines, memory
from . import (
    cache,
    linking,
    loading,
    math,  # noqa: F401 - declares the elementary functions
    math_f64,  # noqa: F401 - the same for float64
)
from .functions import Function

OLDEST = 0, 44
_lock = threading.Lock()


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
    return engines.LOOPS in engines.wanted and not obstacle()


engines.add(engines.LOOPS, is_ready=lambda: not obstacle())


@functools.cache
def version() -> str:
    """The version of llvmlite, which need not be imported for it."""
    found = importlib.util.find_spec("llvmlite")
    folder = os.path.dirname(found.origin) if found is not None and found.origin else ""
    try:
        written = re.search(r"version_version = '([\w.+-]+)'", _text(os.path.join(folder, "_version.py")))
    except OSError:
        written = None
    if written is not None:
        return written[1]
    import llvmlite

    return llvmlite.__version__


@functools.cache
def _described() -> tuple[str, ...]:
    """What the system tells of the processor, as far as machine code is concerned; nothing where it tells no flags."""
    try:
        first = _text("/proc/cpuinfo").partition("\n\n")[0].splitlines()
    except OSError:
        return ()
    told = tuple(line for line in first if line.startswith(("vendor_id", "cpu family", "model", "stepping", "flags")))
    return told if any(line.startswith("flags") for line in told) else ()


@functools.cache
def _processor() -> str:
    """What tells this processor from others."""
    told = _described()
    return "\n".join([platform.machine(), *told]) if told else f"{_target().cpu} {_target().features}"


@functools.cache
def has_wide_vectors() -> bool:
    """Whether code is made for vectors of 64 bytes: with AVX-512, but for Intel's before Ice Lake, which slow down.

    LLVM prefers vectors of 32 on all of Intel's. Asked when modules are imported, so LLVM, which need not be there, is
    not: False where the system tells nothing.
    """
    told = "\n".join(_described())
    wanted = "avx512_vbmi2" if "GenuineIntel" in told else "avx512f"
    return re.search(rf"\b{wanted}\b", told) is not None


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

        self.binding = binding
        if hasattr(binding, "initialize_native_target"):
            binding.initialize_native_target()
            binding.initialize_native_asmprinter()
        self.cpu = binding.get_host_cpu_name()
        self.features = binding.get_host_cpu_features().flatten() + (",-prefer-256-bit" if has_wide_vectors() else "")
        self.target = binding.Target.from_default_triple()
        self.machine = self.target.create_target_machine(cpu=self.cpu, features=self.features, opt=3, reloc="pic",
                                                         codemodel="default")

    @functools.cached_property
    def engine(self) -> Any:
        """What loads machine code that is not linked."""
        from .python import names

        machine = self.target.create_target_machine(cpu=self.cpu, features=self.features, opt=3, jit=True)
        engine = self.binding.create_mcjit_compiler(self.binding.parse_assembly(""), machine)
        for name in ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads", *names()):
            address = loading.address_of(name)
            if address is not None:
                self.binding.add_symbol(name, address)
        return engine

    def object_code(self, text: str) -> bytes:
        """The machine code of a module."""
        module = self.binding.parse_assembly(text)
        module.verify()
        options = self.binding.PipelineTuningOptions(speed_level=1)  # more takes twice the time, for nothing here
        options.loop_vectorization = options.slp_vectorization = options.loop_interleaving = True
        options.loop_unrolling = False
        passes = self.binding.create_pass_builder(self.machine, options)
        passes.getModulePassManager().run(module, passes)
        with self._addresses_as_written():
            return self.machine.emit_object(module)

    @contextlib.contextmanager
    def _addresses_as_written(self) -> Iterator[None]:
        """Within the block no other way is looked for to count addresses: a fifth of all the time, for nothing here.

        It is a switch of the whole process, where others may compile too, so it is put back.
        """
        self.binding.set_option("proa", "-disable-lsr=true")
        try:
            yield
        finally:
            self.binding.set_option("proa", "-disable-lsr=false")

    def load(self, code: bytes, name: str) -> int:
        """Loads object code and gives the address of its function of this name."""
        self.engine.add_object_file(self.binding.ObjectFileRef.from_data(code))
        self.engine.finalize_object()
        return self.engine.get_function_address(name)


@functools.cache
def _language() -> str:
    """What the same source means: a digest of the files that turn it into LLVM's language and machine code."""
    names = ("builtins", "compiler", "expressions", "language", "linking", "python", "statements", "tape_runner",
             "types")
    return cache.key_of("".join(map(cache.source, names)))


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


@functools.cache
def _target() -> _Target:
    return _Target()


def compiled(function: Function, types: tuple[str, ...]) -> Any:
    """The callable machine code of a kernel for given types: `code(threads, arguments…)`."""
    with unforked(), _lock:
        key, name = _key(function, types)
        code = cache.read(key)
        if code is None:
            code = _machine_code(function, types, name)
            cache.write(key, code)
        return _loaded(code, function, types, name)


def compiled_before(function: Function, types: tuple[str, ...]) -> Any:
    """The same where it is kept on disk; None otherwise."""
    with unforked(), _lock:
        key, name = _key(function, types)
        code = cache.read(key)
        return None if code is None else _loaded(code, function, types, name)


def address_of(content: str, module: Callable[[], str]) -> int:
    """Where the machine code of the function `entry` of an LLVM module is; `content` tells the module from others."""
    with unforked(), _lock:
        key, name = _named(content)
        code = cache.read(key)
        if code is None:
            code = _target().object_code(module().replace('@"entry"', f'@"{name}"'))
            image = linking.linked(code, name)
            code = code if image is None else image.to_bytes()
            cache.write(key, code)
        image = linking.Image.from_bytes(code)
        address = None if image is None else loading.loaded(image)
        if address is not None:
            return address
        if image is not None:
            code = _target().object_code(module().replace('@"entry"', f'@"{name}"'))
        return _target().load(code, name)


def step_of(function: Function, types: tuple[str, ...]) -> int:
    """Where the machine code of a kernel as a step of a tape is (`language.step_module`)."""
    def module() -> str:
        from .language import step_module

        return step_module(function, types)

    return address_of(f"step {types}\n{function.content()}", module)


def _named(content: str) -> tuple[str, str]:
    key = cache.key_of(f"{_language()} {version()} {sys.implementation.cache_tag} {_processor()} {_data_offset()} "
                       f"{content}")
    return key, f"k{key[:24]}"


def _key(function: Function, types: tuple[str, ...]) -> tuple[str, str]:
    """What machine code is kept under, and the name of its entry."""
    return _named(f"{types}\n{function.content()}")


def _loaded(code: bytes, function: Function, types: tuple[str, ...], name: str) -> Any:
    memory.keep_freed()
    image = linking.Image.from_bytes(code)
    address = _target().load(code, name) if image is None else loading.loaded(image)
    if address is None:  # LLVM may find what is missing, or a way to load it
        address = _target().load(_object_code(function, types, name), name)
    return loading.function_at(address, function.name)


def _object_code(function: Function, types: tuple[str, ...], name: str) -> bytes:
    from .language import kernel_module

    offset = _data_offset()
    assert offset is not None
    return _target().object_code(kernel_module(function, types, offset).replace('@"entry"', f'@"{name}"'))


def _machine_code(function: Function, types: tuple[str, ...], name: str) -> bytes:
    """What is kept of a kernel: an image, which is loaded without LLVM, where that can be made."""
    code = _object_code(function, types, name)
    image = linking.linked(code, name)
    return code if image is None else image.to_bytes()

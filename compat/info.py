"""What `proa info` prints: what this installation is made of, and which engines compute."""

from __future__ import annotations

import importlib.metadata
import os
import platform

import numpy as np

from .. import backend
from ..backend import blas, engines, loops, onednn, threads
from ..backend.loops import cache
from ..backend.onednn import finding, library
from ..core import flags, processors
from ..ops.core import native
from ..ops.core.panels import PANELS
from ..version import full_version
from . import paddle_version

_FAST = "pip install 'proa[fast]'"


def _installed(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _numpy() -> str:
    count = blas.get_num_threads()
    return f"{np.__version__} with {blas.description()}" + (f" on {_counted(count, 'thread')}" if count else "")


def _onednn() -> str:
    if not engines.is_wanted(engines.ONEDNN):
        return "off: FLAGS_cpu_engines does not name it"
    loaded = library.library()
    if loaded is not None:
        return f"{onednn.version()}, {loaded.path}"
    found = finding.candidates(library.MAJOR)[:-1]
    if found:
        return f"found, but not usable on this system: {', '.join(found)}"
    return f"not found: {_FAST} (Linux on x86-64), or a libdnnl {library.MAJOR} of the system"


def _loops() -> str:
    if not engines.is_wanted(engines.LOOPS):
        return "off: FLAGS_cpu_engines does not name them"
    return f"off: {loops.obstacle()} ({_FAST})" if loops.obstacle() else f"llvmlite {loops.version()}"


def _panels() -> str:
    if not engines.is_wanted(PANELS):
        return "off: FLAGS_cpu_engines does not name them"
    return "in use" if engines.is_usable(PANELS, engines.CPU) else \
        "off: they need the compiled dispatch and a processor with AVX2 and FMA"


def _openmp() -> str:
    return "libgomp" if threads.openmp() is not None else "no libgomp: generated loops run on one thread"


def _threads() -> str:
    asked = os.environ.get("OMP_NUM_THREADS")
    why = f"{_counted(os.cpu_count() or 1, 'processor')}{_of_them()}, " \
          f"OMP_NUM_THREADS {f'is {asked}' if asked else 'is not set'}"
    return f"{threads.get_num_threads()} ({why})"


def _of_them() -> str:
    usable = processors.usable()
    return "" if usable == (os.cpu_count() or 1) else f", of which this process may use {usable}"


def _cache() -> str:
    limit = flags.values["FLAGS_kernel_cache_megabytes"]
    if limit <= 0:
        return "off: FLAGS_kernel_cache_megabytes is 0"
    place = cache.folder()
    if place is None:
        return "off: its folder cannot be written, or is not this user's own (FLAGS_kernel_cache_dir names another)"
    count, size = cache.kept()
    return f"{place}: {_counted(count, 'kernel')}, {size / 2**20:.1f} of {limit} MB"


def _cuda() -> str:
    name = next((n for n in ("cupy-cuda13x", "cupy-cuda12x", "cupy") if _installed(n) != "not installed"), None)
    if name is None:
        return "CuPy is not installed"
    return f"{name} {_installed(name)}, {_counted(backend.cuda_device_count(), 'device')}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def describe() -> str:
    """A table: versions, the engines of the host and why one is not in use, threads, the kernel cache, CUDA."""
    rows = {
        "proa": f"{full_version}, offering the API of Paddle {paddle_version.full_version}",
        "python": f"{platform.python_version()} on {platform.platform()}",
        "numpy": _numpy(),
        "protobuf": _installed("protobuf"),
        "gast": _installed("gast"),
        "ml_dtypes (bfloat16)": _installed("ml_dtypes"),
        "compiled dispatch": native.obstacle or "in use",
        "oneDNN": _onednn(),
        "generated loops": _loops(),
        "packed panels": _panels(),
        "OpenMP": _openmp(),
        "threads": _threads(),
        "kernel cache": _cache(),
        "CUDA": _cuda(),
    }
    width = max(map(len, rows))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows.items())

"""Code on disk, by the content that it was made from: shared by processes, bounded in size, ours alone.

Machine code of kernels, Python's of converted functions, compiled Programs.

A file is written whole or not at all; its name is a digest of everything that decides it, so that it is never wrong and
never rewritten (but for plans, which say which files of this package made them: `static/compiler/kept_plans.py`). Where
the folder is not this user's own, or cannot be written, nothing is kept.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import threading
import time
from typing import Any

from ...core import flags

MACHINE_CODE, PYTHON_CODE, PLAN = ".o", ".code", ".plan"
_KINDS = (MACHINE_CODE, PYTHON_CODE, PLAN)
_UNFINISHED = ".tmp"


def key_of(content: str) -> str:
    """The digest of what machine code is made from."""
    return key_of_bytes(content.encode())


def key_of_bytes(content: bytes) -> str:
    """The digest of what is kept is made from."""
    return _digest(content).hex()


def source(name: str) -> str:
    """The text of a module of this package, which may lie in an archive: what it does is part of what is kept."""
    module = f"{__name__.rpartition('.')[0]}.{name}"
    spec = importlib.util.find_spec(module)
    loader: Any = spec and spec.loader
    return str(loader.get_source(module))


def _digest(content: bytes) -> bytes:
    import hashlib  # at the first kernel, not at import

    return hashlib.sha256(content).digest()


@functools.cache
def _folder_at(name: str) -> str | None:
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = name or os.path.join(root, "proa", "kernels")
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        status = os.stat(folder)
    except OSError:
        return None
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022):
        return None  # somebody else could put code there
    return folder


def folder() -> str | None:
    """The folder of the cache; None where none can be used."""
    if flags.values["FLAGS_kernel_cache_megabytes"] <= 0:
        return None
    return _folder_at(flags.values["FLAGS_kernel_cache_dir"])


def read(key: str, kind: str = MACHINE_CODE) -> bytes | None:
    """The code kept under a key; None where there is none, or what is there is damaged."""
    place = folder()
    if place is None:
        return None
    try:
        with open(os.path.join(place, key + kind), "rb") as file:
            content = file.read()
    except OSError:
        return None
    digest, code = content[:32], content[32:]
    return code if _digest(code) == digest else None


def write(key: str, code: bytes, kind: str = MACHINE_CODE) -> None:
    """Keeps code under a key; a disk that is full or read-only is no error."""
    place = folder()
    if place is None:
        return
    with contextlib.suppress(OSError):
        _write_whole(os.path.join(place, key + kind), _digest(code) + code)
    if key.endswith("0"):  # one in sixteen: looking at every file takes long
        _shrink(place)


def _write_whole(path: str, content: bytes) -> None:
    """Writes a file whole or not at all, as far as other processes see; its digest tells what a crash has left."""
    temporary = f"{path}.{os.getpid()}.{threading.get_ident()}{_UNFINISHED}"
    try:
        with open(temporary, "xb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def kept() -> tuple[int, int]:
    """How many kernels are on disk, and how many bytes they take."""
    place = folder()
    sizes = [] if place is None else [size for _, size, path in _files(place) if path.endswith(MACHINE_CODE)]
    return len(sizes), sum(sizes)


def _files(place: str) -> list[tuple[float, int, str]]:
    """When each file was written, its size and path."""
    found = []
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.endswith(_KINDS):
                with contextlib.suppress(FileNotFoundError):  # another process removes it
                    found.append((entry.stat().st_mtime, entry.stat().st_size, entry.path))
    return found


def _remove_unfinished(place: str) -> None:
    """Removes what processes that were killed have left: it was begun an hour ago."""
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.endswith(_UNFINISHED) and entry.stat().st_mtime < time.time() - 3600:
                os.unlink(entry.path)


def _shrink(place: str) -> None:
    """Removes the oldest files where all of them take more than they may, so that there is room for some time."""
    _remove_unfinished(place)
    limit = flags.values["FLAGS_kernel_cache_megabytes"] * 2**20
    found = _files(place)
    total = sum(size for _, size, _ in found)
    if total <= limit:
        return
    for _, size, path in sorted(found):
        with contextlib.suppress(OSError):
            os.unlink(path)
        total -= size
        if total <= limit * 3 // 4:
            return

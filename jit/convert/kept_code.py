"""Converted functions on disk, in the user's own cache folder, so that the next process need not convert them again.

What is kept is the code object of the converted form, as Python keeps a module's in a `.pyc`. Its key is a digest of
the function's own code object, of the files that convert, and of the Python that runs: what any of these would make
otherwise is not found. The folder, its bound and whom it belongs to are the business of `backend/loops/cache.py`.
"""

from __future__ import annotations

import functools
import importlib.util
import marshal
import os
import sys
from types import CodeType
from typing import Any

from ...backend.loops import cache

_KIND = ".code"
_FOLDERS = ("", "convert", "converters", "pyct")
_PARTS = ("co_name", "co_qualname", "co_filename", "co_firstlineno", "co_flags", "co_argcount", "co_posonlyargcount",
          "co_kwonlyargcount", "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_linetable",
          "co_exceptiontable")


def read(code: CodeType) -> CodeType | None:
    """The converted form of a function's code; None where it is not kept."""
    found = cache.read(_key(code), _KIND)
    return None if found is None else marshal.loads(found)  # the folder is this user's own


def write(code: CodeType, converted: CodeType) -> None:
    """Keeps the converted form of a function's code."""
    cache.write(_key(code), marshal.dumps(converted), _KIND)


def _key(code: CodeType) -> str:
    return cache.key_of(f"{_converter()} {_content(code)!r}")


def _content(code: CodeType) -> tuple:
    """All that tells one code object from another."""
    parts = [getattr(code, name, None) for name in _PARTS]
    return (*parts, *map(_constant, code.co_consts))


def _constant(value: Any) -> Any:
    if isinstance(value, CodeType):
        return _content(value)
    if isinstance(value, frozenset):
        return sorted(map(repr, value))
    return type(value).__name__, tuple(map(_constant, value)) if isinstance(value, tuple) else value


@functools.cache
def _converter() -> str:
    """What converts: this Python, gast, and the files of this package that a conversion goes through."""
    told: list[Any] = [sys.version, importlib.util.MAGIC_NUMBER]
    gast = importlib.util.find_spec("gast")
    folders = [os.path.join(os.path.dirname(os.path.dirname(__file__)), name) for name in _FOLDERS]
    if gast is not None and gast.origin:
        folders.append(os.path.dirname(gast.origin))
    for folder in folders:
        told += _sources(folder) or [_state(_holder(folder))]
    return repr(told)


def _sources(folder: str) -> list[Any]:
    """Each source file in a folder: its place, size and time; none where there is no such folder."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [_state(entry.path) for entry in entries if entry.name.endswith(".py")]


def _holder(folder: str) -> str:
    """The file that a folder is in: an archive that Python imports from, or else the program that it is frozen into."""
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    return folder if os.path.isfile(folder) else sys.executable


def _state(path: str) -> tuple[str, int, int]:
    status = os.stat(path)
    return path, status.st_size, status.st_mtime_ns

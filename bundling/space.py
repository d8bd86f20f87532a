"""What an installation takes on the disk, by distribution, and what of it can be given back.

Libraries come with copies of themselves (a wheel holds no links), with symbol tables for debuggers, and packages with
their tests. Nothing of it is needed to run; nothing is changed unless somebody asks, and installing a distribution
again brings all back. Knows files of installed distributions; computes nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata as metadata
import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from . import elf

_WORTH = 1 << 20  # bytes: less is not worth a file that is another than its wheel's
_CHANGED = ("llvmlite", "numpy", "onednn-cpu-gomp")  # whose files are given back: they are the ones that are large
_SMALL_LLVM, _NONE_FROM = "0.44", (3, 14)  # the llvmlite that is smallest, and from which Python on it is not there
_LIBRARY = re.compile(r"\.so(\.\d+)*$")
_IMPORTS = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([\w, \t]+)|import[ \t]+([\w.]+))", re.M)


@dataclass(frozen=True)
class Saving:
    """Bytes that can be given back: of which distribution, in which file or folder, and how."""

    distribution: str
    path: str
    bytes: int
    how: str
    target: str | None = None  # the file that a link leads to
    kept: frozenset[str] = frozenset()  # files of a folder that stay

    def make(self) -> None:
        """Gives them back. A file is replaced as a whole: a process that has it loaded keeps the old one."""
        if os.path.isdir(self.path):
            if not self.kept:
                shutil.rmtree(self.path)
            for path in _inside(self.path):
                if path not in self.kept:
                    os.unlink(path)
            return
        temporary = f"{self.path}.{os.getpid()}.tmp"
        try:
            if self.target is not None:
                os.symlink(os.path.relpath(self.target, os.path.dirname(self.path)), temporary)
            else:
                with open(self.path, "rb") as old, open(temporary, "xb") as new:
                    new.write(elf.stripped(old.read()))
                shutil.copymode(self.path, temporary)
            os.replace(temporary, self.path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def distributions() -> list[str]:
    """proa and what it requires, in all extras too, as far as it is installed."""
    found, waiting = dict[str, None](), ["proa"]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop(0)).lower()
        if name in found:
            continue
        try:
            required = metadata.distribution(name).requires or []
        except metadata.PackageNotFoundError:
            continue
        found[name] = None
        waiting += [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in required
                    if name == "proa" or "extra ==" not in line]
    return list(found)


def files(distribution: str) -> list[str]:
    """The files of an installed distribution, with the bytecode that Python has kept of it; links too, each once."""
    found = metadata.distribution(distribution)
    paths = {os.path.normpath(str(found.locate_file(file))) for file in found.files or ()}
    paths |= {_bytecode(path) for path in paths if path.endswith(".py")}
    return sorted(path for path in paths if os.path.isfile(path))


def _bytecode(path: str) -> str:
    """Where Python keeps what it has compiled of a module, beside it."""
    folder, name = os.path.split(path)
    return os.path.join(folder, "__pycache__", f"{name.removesuffix('.py')}.{sys.implementation.cache_tag}.pyc")


def size(distribution: str) -> int:
    """Bytes of a distribution's files, compiled Python among them."""
    return sum(os.lstat(path).st_size for path in files(distribution))


@dataclass(frozen=True)
class Way:
    """A way to a smaller installation: about how many bytes, what to type, and what it costs."""

    bytes: int
    command: str
    price: str


def ways() -> list[Way]:
    """What makes this installation smaller, the largest first."""
    names = distributions()
    compiled = sum(os.lstat(path).st_size for name in names for path in files(name) if path.endswith(".pyc"))
    found = [Way(sum(one.bytes for name in names for one in savings(name)), "proa sizes --free",
                 "no symbols for debuggers, no tests of NumPy's"),
             Way(_larger_llvm(names), f"pip install 'llvmlite=={_SMALL_LLVM}.*'",
                 "no time: loops take as long with it; but a numba that is there may need a later one"),
             Way(compiled, "pip install --no-compile", "a module is compiled when it is first imported, and takes its "
                 "part then")]
    return sorted((way for way in found if way.bytes), key=lambda way: -way.bytes)


def _larger_llvm(names: list[str]) -> int:
    """By how much llvmlite's library, as it is now, is larger than that of the smallest that proa takes."""
    if "llvmlite" not in names or sys.version_info >= _NONE_FROM:
        return 0
    library = max((os.path.getsize(path) for path in files("llvmlite") if _LIBRARY.search(path)), default=0)
    if library < 140_000_000:  # it is the smallest
        return 0
    return library - (132_900_000 if library > 165_000_000 else 104_100_000)  # with its symbol table, or without


def savings(distribution: str) -> Iterator[Saving]:
    """What can be given back of a distribution."""
    if distribution not in _CHANGED:
        return
    kept: dict[bytes, str] = {}
    for path in sorted(filter(_LIBRARY.search, files(distribution)), key=lambda path: (-len(path), path)):
        if os.path.islink(path) or os.path.getsize(path) < _WORTH:
            continue
        with open(path, "rb") as file:
            content = file.read()
        same = kept.setdefault(hashlib.sha256(content).digest(), path)
        if same != path:
            yield Saving(distribution, path, len(content), f"a copy of {os.path.basename(same)}", same)
        elif len(content) - (elf.loaded_bytes(content) or len(content)) >= _WORTH:
            rest = len(content) - (elf.loaded_bytes(content) or 0)
            yield Saving(distribution, path, rest, "symbol tables, for debuggers")
    yield from _tests(distribution)


def _tests(distribution: str) -> Iterator[Saving]:
    """What its folders `tests` hold, but for what other modules import."""
    folders = _folders_of_tests(distribution)
    needed = _needed_of_tests(distribution) if folders else frozenset()
    for folder in folders:
        stays = frozenset(path for path in _inside(folder) if path in needed)
        goes = [path for path in _inside(folder) if path not in stays]
        if goes:
            yield Saving(distribution, folder, sum(map(os.path.getsize, goes)), "its tests", kept=stays)


def _inside(folder: str) -> list[str]:
    """The files in a folder and in those within it."""
    return [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]


def _needed_of_tests(distribution: str) -> frozenset[str]:
    """Modules in folders `tests` that others import, as `numpy.testing` of NumPy 2.2 does, with their bytecode."""
    root, needed = os.path.normpath(str(metadata.distribution(distribution).locate_file(""))), set[str]()

    def is_test(path: str) -> bool:
        return "tests" in os.path.relpath(path, root).split(os.sep)

    waiting = [path for path in files(distribution)
               if path.endswith(".py") and os.path.basename(path) != "conftest.py" and not is_test(path)]
    while waiting:
        path = waiting.pop()
        with open(path, encoding="utf-8", errors="replace") as file:
            imports = _IMPORTS.findall(file.read())
        for source, names, module in imports:
            name = source or module
            above = len(name) - len(name.lstrip("."))  # 1: beside it
            place = os.path.normpath(os.path.join(path, *[".."] * above)) if above else root
            stems = [place := os.path.join(place, part) for part in name.strip(".").split(".") if part]
            stems += [os.path.join(place, each.split()[0]) for each in names.split(",") if each.strip()]
            found = {file for stem in stems for file in (f"{stem}.py", os.path.join(stem, "__init__.py"))
                     if is_test(file) and file not in needed and os.path.isfile(file)}
            waiting += found
            needed |= found
    return frozenset(needed | {_bytecode(path) for path in needed})


def _folders_of_tests(distribution: str) -> list[str]:
    """The folders `tests` within a distribution's packages."""
    found = metadata.distribution(distribution)
    within = {file.parts[:file.parts.index("tests") + 1] for file in found.files or () if "tests" in file.parts[1:-1]
              and file.parts[0] not in ("..", "tests")}
    places = (os.path.normpath(str(found.locate_file(os.path.join(*parts)))) for parts in within)
    return sorted(place for place in places if os.path.isdir(place))

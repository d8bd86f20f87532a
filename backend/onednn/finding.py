"""Where a shared library of oneDNN may lie: beside the environment (where the package `onednn-cpu-gomp` puts it), and
beside the one whose packages it sees, in CONDA_PREFIX, LD_LIBRARY_PATH and the system's folders.
"""

from __future__ import annotations

import os
import re
import site
import sys
from collections.abc import Iterator

_SYSTEM = ("/usr/local/lib", "/usr/local/lib64", "/usr/lib64", "/usr/lib", "/opt/homebrew/lib",
           "/opt/homebrew/opt/onednn/lib")


def _folders() -> Iterator[str]:
    for name in (sys.prefix, *getattr(site, "PREFIXES", ()), os.environ.get("CONDA_PREFIX"), site.getuserbase()):
        if name:
            yield os.path.join(name, "lib")
    # `sysconfig` knows no other, and takes as long as loading the library; some bundled Pythons have no such function
    yield from getattr(site, "getsitepackages", list)()
    for variable in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        yield from filter(None, os.environ.get(variable, "").split(os.pathsep))
    yield from _SYSTEM
    yield from (os.path.join("/usr/lib", name) for name in _names("/usr/lib") if name.endswith("-linux-gnu"))


def _names(folder: str) -> list[str]:
    """What is in a folder; nothing where there is none, or it may not be read."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _number(path: str) -> tuple[int, ...]:
    """The version in a file's name, such as libdnnl.so.3.2."""
    return tuple(int(n) for n in re.findall(r"\d+", os.path.basename(path)))


def candidates(major: int) -> list[str]:
    """The libraries of a major version to try, the newest first; the last is for the system's loader to find."""
    fitting = re.compile(rf"libdnnl\.so\.{major}.*|libdnnl\.{major}.*dylib|dnnl\.dll")
    found = [os.path.join(folder, name) for folder in dict.fromkeys(_folders()) for name in _names(folder)
             if "dnnl" in name and fitting.fullmatch(name)]
    return [*sorted(found, key=lambda path: (_number(path), path), reverse=True), f"libdnnl.so.{major}"]

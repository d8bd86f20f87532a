"""Where a shared library of oneDNN may lie: beside the environment (where the package `onednn-cpu-gomp` puts it), in
CONDA_PREFIX, LD_LIBRARY_PATH and the system's folders.
"""

from __future__ import annotations

import os
import re
import site
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

_SYSTEM = ("/usr/local/lib", "/usr/local/lib64", "/usr/lib64", "/usr/lib", "/opt/homebrew/lib",
           "/opt/homebrew/opt/onednn/lib")


def _folders() -> Iterator[Path]:
    for name in (sysconfig.get_path("data"), sys.prefix, os.environ.get("CONDA_PREFIX"), site.getuserbase()):
        if name:
            yield Path(name) / "lib"
    for key in ("purelib", "platlib"):
        yield Path(sysconfig.get_path(key))
    for variable in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        for name in os.environ.get(variable, "").split(os.pathsep):
            if name:
                yield Path(name)
    for name in (*_SYSTEM, *map(str, Path("/usr/lib").glob("*-linux-gnu"))):
        yield Path(name)


def _number(path: Path) -> tuple[int, ...]:
    """The version in a file's name, such as libdnnl.so.3.2."""
    return tuple(int(n) for n in re.findall(r"\d+", path.name))


def candidates(major: int) -> list[str]:
    """The libraries of a major version to try, the newest first; the last is for the system's loader to find."""
    found = {path for folder in dict.fromkeys(_folders()) if folder.is_dir()
             for pattern in (f"libdnnl.so.{major}*", f"libdnnl.{major}*dylib", "dnnl.dll")
             for path in folder.glob(pattern)}
    return [*map(str, sorted(found, key=lambda path: (_number(path), str(path)), reverse=True)), f"libdnnl.so.{major}"]

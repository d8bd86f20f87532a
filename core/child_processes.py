"""Programs that are started from here, in which `import paddle` gives what it gives here."""

from __future__ import annotations

import os
import sys

_folders: list[str] = []


def add_to_path(folder: str) -> None:
    """A folder where programs that are started from here look for modules first.

    This process has it too, where the folders of PYTHONPATH stand: those that `multiprocessing` starts with a new
    Python get its path in place of their own.
    """
    if folder not in _folders:
        _folders.append(folder)
        if folder not in sys.path:
            sys.path.insert(1, folder)


def path() -> list[str]:
    """Those folders."""
    return list(_folders)


def environment() -> dict[str, str]:
    """This process's environment, with those folders in PYTHONPATH."""
    found = dict(os.environ)
    before = [folder for folder in found.get("PYTHONPATH", "").split(os.pathsep) if folder and folder not in _folders]
    if _folders:
        found["PYTHONPATH"] = os.pathsep.join([*_folders, *before])
    return found

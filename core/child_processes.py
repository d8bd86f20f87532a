"""The environment of programs that are started from here, in which `import paddle` gives what it gives here."""

from __future__ import annotations

import os

_folders: list[str] = []
variables: dict[str, str] = {}
"""What such programs find in their environment beside this process's own."""


def add_to_path(*folders: str) -> None:
    """Folders where programs that are started from here look for modules first."""
    _folders.extend(folder for folder in folders if folder not in _folders)


def path() -> list[str]:
    """Those folders."""
    return list(_folders)


def environment() -> dict[str, str]:
    """This process's environment, with those folders in PYTHONPATH."""
    found = {**os.environ, **variables}
    if _folders:
        path = [*_folders, *filter(None, [found.get("PYTHONPATH")])]
        found["PYTHONPATH"] = os.pathsep.join(path)
    return found

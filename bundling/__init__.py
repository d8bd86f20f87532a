"""Bundles of a program with its Python: what PyInstaller asks packages for, by the entry point `pyinstaller40`.

Knows folders only; what a bundle takes along says `hook-proa.py`, which PyInstaller itself runs.
"""

from __future__ import annotations

import os

__all__ = ["hook_folders"]


def hook_folders() -> list[str]:
    """The folders in which PyInstaller finds hooks for this package.

    >>> import os
    >>> from proa.bundling import hook_folders
    >>> sorted(name for name in os.listdir(hook_folders()[0]) if name.startswith("hook"))
    ['hook-proa.py']
    """
    return [os.path.dirname(os.path.abspath(__file__))]

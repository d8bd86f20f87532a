"""The compiled form of the common case, `_dispatch.c`, where it has been built; what it means stands in Python.

It is optional: who has no compiler loses nothing but time. `PROA_NATIVE=0` in the environment leaves it out.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType

_INTERFACE = 2  # of the code in C, with which it agrees

obstacle = ""
"""Why the compiled form is not in use; empty where it is."""


def _loaded() -> ModuleType | None:
    global obstacle
    if os.environ.get("PROA_NATIVE", "1").strip().lower() in ("0", "false", "off", "no"):
        obstacle = "off: PROA_NATIVE says so"
        return None
    try:
        found = importlib.import_module(f"{__package__}._dispatch")
    except ImportError as error:
        obstacle = "not built" if isinstance(error, ModuleNotFoundError) else f"cannot be used: {error}"
        return None
    if getattr(found, "INTERFACE", None) != _INTERFACE:
        obstacle = "built from other sources: install proa anew"
        return None
    return found


module: ModuleType | None = _loaded()


def give_up(why: str) -> None:
    """Leaves the compiled form out in this process."""
    global module, obstacle
    module, obstacle = None, why

"""Names that Paddle 2.0 to 2.4 had in `paddle.fluid` and 1.8 had not: those of the same module of `paddle.base`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from ..core.absent import refusal


def later(module: str) -> Callable[[str], Any]:
    """`__getattr__` for a module of this face: what is not in it is looked for where later Paddle moved its names."""
    within, _, path = module.partition(".fluid.")

    def __getattr__(name: str) -> Any:
        if not name.startswith("__"):
            found = getattr(importlib.import_module(f"{within}.base.{path}"), name, within)
            if found is not within:
                return found
        raise refusal(module, name)

    return __getattr__

"""What the modules of `nn.layer` are made of: names of layers, which `nn` has."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

_PUBLIC = __name__.rpartition(".layer.")[0]


def family(module: str, names: str, bases: dict[str, str] | None = None
           ) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a module that gives those of `names` that `nn` has.

    `bases` are base classes that are not public, but that programs derive from or ask `isinstance` of, each with the
    module of `nn.layers` that has it.
    """
    listed = names.split()

    def present() -> list[str]:
        public = importlib.import_module(_PUBLIC)
        return [name for name in listed if hasattr(public, name)]

    def get(name: str) -> Any:
        if name == "__all__":
            return present()
        if name in listed:
            return getattr(importlib.import_module(_PUBLIC), name)
        if bases and name in bases:
            return getattr(importlib.import_module(f"{_PUBLIC}.layers.{bases[name]}"), name)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return get, present

"""`paddle.fluid` as Paddle 2.0 to 2.4 had it: most of what `paddle.base` is now, and what remained of 1.x beside it.

Its layers are `paddle.nn`'s, and its functions compute at once where the process does.
"""

from __future__ import annotations

import importlib
import importlib.util
from contextlib import nullcontext
from types import ModuleType
from typing import Any

_ROOT = __name__.partition(".")[0]
#: Classes of `fluid.dygraph` that are those of `paddle.nn`.
_LAYERS = ("Layer", "LayerList", "ParameterList", "Sequential")


class _Joined(ModuleType):
    """A module of `paddle.fluid`: each name is that of the first of several modules that has it."""

    def __init__(self, name: str, path: str, modules: list[ModuleType]):
        super().__init__(name, modules[0].__doc__)
        self._path, self._modules = path, modules

    def __getattr__(self, name: str) -> Any:
        for module in () if name.startswith("__") else self._modules:
            found = getattr(module, name, self)
            if isinstance(found, ModuleType) and len(parts(f"{self._path}.{name}")) > 1:
                return importlib.import_module(f"{self.__name__}.{name}")  # which is joined too
            if found is not self:
                return found
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for module in self._modules for name in dir(module))})


def parts(path: str) -> list[str]:
    """Which modules of proa `paddle.fluid` + path is made of: '' is the package itself."""
    return [module for module in (f"{_ROOT}.base{path}", f"{_ROOT}.fluid{path}") if _is_there(module)]


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it
        return False


def joined(name: str, path: str) -> ModuleType:
    """The module that has the names of these."""
    module = _Joined(name, path, [importlib.import_module(part) for part in parts(path)])
    if path in ("", ".framework"):
        vars(module).update(_questions_of_mode())
    if path in ("", ".dygraph", ".dygraph.layers", ".dygraph.container"):
        nn: Any = importlib.import_module(f"{_ROOT}.nn")
        vars(module).update((layer, getattr(nn, layer)) for layer in _LAYERS if hasattr(module, layer))
    if path == ".dygraph":
        vars(module)["Flatten"] = importlib.import_module(f"{_ROOT}.nn").Flatten  # which 1.8 had not
    return module


def _questions_of_mode() -> dict[str, Any]:
    """What 2.3 and 2.4 asked `fluid.framework` while they had two dynamic modes: here is the later one alone."""
    mode: Any = importlib.import_module(f"{_ROOT}.static.building.mode")
    return {"_non_static_mode": mode.in_dynamic_mode, "_in_legacy_dygraph": lambda: False,
            "_in_eager_without_dygraph_check": lambda: True, "_enable_legacy_dygraph": lambda: None,
            "_disable_legacy_dygraph": lambda: None, "_test_eager_guard": lambda place=None: nullcontext()}


def begin() -> None:
    """From now on no value is without dimensions, and functions of the Fluid face follow the mode of the process."""
    mode: Any = importlib.import_module(f"{_ROOT}.fluid.mode")
    mode.follow()
    building: Any = importlib.import_module(f"{_ROOT}.static.building.mode")
    building.begin_as_paddle_2_4(importlib.import_module(f"{_ROOT}.dygraph.one_element").ONE_ELEMENT)

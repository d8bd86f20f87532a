"""What is loaded when it is first needed: the public names of a package, and what a lower level waits for.

A package lists its public names as ordinary imports under `if TYPE_CHECKING:`, where readers and checkers find them;
they are not run. `attach` reads that listing and gives the package's `__getattr__` (PEP 562), which imports a name when
it is first touched. (The package lazy_loader does this for listings in stubs, without `import X as Y`.)

Knows modules by their names only. Imports no array library: this runs before everything else.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from importlib.util import resolve_name
from typing import Any

from .absent import refusal
from .collection import staying
from .forks import unforked
from .module_files import module_of

_OF_THE_LISTING = {"TYPE_CHECKING", "annotations", "asked_of", "attach", "provide", "stand_at", "begin_with_ipython"}
"""What the modules of packages need themselves: completion does not offer it."""

Source = tuple[str, str | None]
"""Where a public name comes from: a module, and the name in it (None: the module itself)."""


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a package that lists its public names under `if TYPE_CHECKING:`.

    `__getattr__` also answers `__all__`, for `from package import *`: with every name of the listing but modules, which
    are no names of Paddle's `__all__` either. A script's own `io`, `layers` or `loss` stays what it is.
    """
    sources: dict[str, Source] = {}

    def known() -> dict[str, Source]:
        if not sources:
            sources.update(listing(package))
        return sources

    def load(name: str) -> Any:
        if name == "__all__":
            return sorted(name for name, (_, found) in known().items()
                          if found is not None and f"{package}.{name}" not in _moved)
        found = known().get(name)
        if found is None:
            module = module_of(package, name)
            if module is None:
                raise refusal(package, name)
            return module
        with unforked(), staying():
            module = importlib.import_module(found[0])
        value = module if found[1] is None else getattr(module, found[1])
        vars(sys.modules[package])[name] = value  # the next look finds it there
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *known()} - (_OF_THE_LISTING - known().keys()))

    return load, names


def beside(module: str) -> Callable[[str], Any]:
    """`__getattr__` for a module whose file is larger in Paddle: its other names are those of the package around it."""
    package = module.rpartition(".")[0]

    def __getattr__(name: str) -> Any:
        if not name.startswith("__"):
            found = vars(sys.modules[package]).get(name, package)
            if found is not package:
                return found
        raise refusal(module, name)

    return __getattr__


def listed(module: str) -> Callable[[], list[str]]:
    """`__dir__` for a public module: completion offers the names of its `__all__`, and modules that stand in it.

    What it is written with, `Any` or NumPy, is no name that it gives.
    """
    def names() -> list[str]:
        own = vars(sys.modules[module])
        inside = {name for name, value in own.items() if getattr(value, "__name__", None) == f"{module}.{name}"}
        return sorted({*own["__all__"], *inside,
                       *(name for name in own if name.startswith("__") and name.endswith("__"))})

    return names


def listing(package: str) -> dict[str, Source]:
    """The public names that the package's source lists, modules among them, read without running it."""
    import ast

    loader: Any = getattr(sys.modules[package].__spec__, "loader", None)
    source = loader.get_source(package) if hasattr(loader, "get_source") else None
    if source is None:
        raise ImportError(f"{package} reads its public names from the source of its __init__.py, which is not there. "
                          "An application that is frozen into one file must take that source along.", name=package)
    statements = [s for block in ast.parse(source).body if _is_listing(block) for s in block.body]
    return {alias.asname or alias.name: _source(_ancestor(package, statement.level), statement.module, alias.name)
            for statement in statements if isinstance(statement, ast.ImportFrom) for alias in statement.names}


def _ancestor(package: str, level: int) -> str:
    """The package that so many dots mean: one is the package itself."""
    return package.rsplit(".", level - 1)[0] if level > 1 else package


def _is_listing(statement: Any) -> bool:
    """True for `if TYPE_CHECKING:`."""
    return getattr(getattr(statement, "test", None), "id", None) == "TYPE_CHECKING"


def _source(package: str, module: str | None, name: str) -> Source:
    return (f"{package}.{name}", None) if module is None else (f"{package}.{module}", name)


class _Elsewhere:
    """Finds modules of a package, once nothing else has, where they stand under another name."""

    def __init__(self, places: dict[str, str]):
        self._places = places

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Where a module of one of these names is."""
        return ModuleSpec(fullname, self) if fullname in self._places else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> Any:
        """The module that it is."""
        module = importlib.import_module(self._places[spec.name])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: Any) -> None:
        """Leaves it as it was: it has run under its own name."""
        module.__spec__ = module.__spec__.loader_state


def stand_at(package: str, **places: str) -> None:
    """Lets `import package.name` give the modules of the package that stand at `places`, as its attributes do.

    A place that begins with dots is relative, as in an import statement of the package.
    """
    moved = {f"{package}.{name}": resolve_name(place, package) if place.startswith(".") else f"{package}.{place}"
             for name, place in places.items()}
    _moved.update(moved)
    sys.meta_path.append(_Elsewhere(moved))


_moved: dict[str, str] = {}
"""Modules that stand under another name: what is there and what it is."""
_awaited: dict[str, str] = {}


def provide(what: str, by: str) -> None:
    """Says which module to import when a lower level first needs `what`; on import that registers itself below."""
    _awaited[what] = by


def require(what: str) -> Any:
    """Imports the module that provides `what`, and gives it."""
    with unforked():
        return importlib.import_module(_awaited[what])

"""Which module declares each operator: `declared_in.txt`, a line a module, made by `python -m tests.ops.declared_list`.

Who finds an operator by its type, as the file of a model names it, would have to import every family. So the families
that the model uses are imported, and all of them only where the list does not lead to the operator.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Mapping

_OPERATORS = __name__.rpartition(".core.")[0]  # the package of all families
FILE = os.path.splitext(os.path.abspath(__file__))[0] + ".txt"


@functools.cache
def _modules() -> dict[str, str]:
    """Names of modules below the package of families, by the types of operators that they declare."""
    try:
        text = __loader__.get_data(FILE).decode()  # type: ignore[name-defined]  # in an archive, too
    except (OSError, AttributeError):  # an application that was frozen without the file
        return {}
    return {type: module for module, *types in map(str.split, text.splitlines()) for type in types}


def import_for(type: str) -> bool:
    """Imports the module that declares an operator of this type; False where none is known."""
    module = _modules().get(type)
    if module is not None:
        importlib.import_module(f"{_OPERATORS}.{module}")
    return module is not None


def module_being_imported() -> str:
    """The name of the module whose code has called, through whatever functions; empty outside of an import."""
    frame = sys._getframe(2)
    while frame.f_code.co_name != "<module>":
        if frame.f_back is None:
            return ""
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", ""))


def listed(modules: Mapping[str, str]) -> str:
    """The text of the list, of the modules of all operators by type."""
    head = _OPERATORS + "."
    found: dict[str, list[str]] = {}
    for type, module in sorted(modules.items()):
        if module.startswith(head):
            found.setdefault(module.removeprefix(head), []).append(type)
    return "".join(f"{module} {' '.join(found[module])}\n" for module in sorted(found))

"""Which module declares each operator, as an earlier process found it: a hint on disk.

Who finds an operator by its type, as the file of a model names it, would have to import every family. With the hint
the families that the model uses are imported, and all of them only where it does not lead to the operator.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Mapping

from ...backend.loops import cache
from ...core import flags

_OPERATORS = __name__.rpartition(".core.")[0]  # the package of all families
_WRITTEN_AS = 1  # of what is kept; another form gets another name


@functools.cache
def _key() -> str:
    place = os.path.abspath(__file__)
    return cache.key_of(f"operators {_WRITTEN_AS} {place} {importlib.util.MAGIC_NUMBER.hex()}")


@functools.cache
def _kept(folder: str) -> dict[str, str]:
    """Names of modules below the package of families, by the types of operators that they declare."""
    kept = cache.read(_key(), cache.PLAN)
    return {} if kept is None else marshal.loads(kept)  # the folder is this user's own


def import_for(type: str) -> bool:
    """Imports the module that declared an operator of this type in an earlier process; False where none is known."""
    module = _kept(str(cache.folder())).get(type) if flags.values["FLAGS_keep_plans"] else None
    if module is None:
        return False
    try:
        importlib.import_module(f"{_OPERATORS}.{module}")
    except ModuleNotFoundError:  # of another version, which had it elsewhere
        return False
    return True


def module_being_imported() -> str:
    """The name of the module whose code has called, through whatever functions; empty outside of an import."""
    frame = sys._getframe(2)
    while frame.f_code.co_name != "<module>":
        if frame.f_back is None:
            return ""
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", ""))


def keep(modules: Mapping[str, str]) -> None:
    """Keeps which module declares which operator, for later processes; `modules`: those of all operators, by type."""
    head = _OPERATORS + "."
    found = {type: module.removeprefix(head) for type, module in modules.items() if module.startswith(head)}
    if cache.folder() is not None and flags.values["FLAGS_keep_plans"] and found != _kept(str(cache.folder())):
        cache.write(_key(), marshal.dumps(found), cache.PLAN)
        _kept.cache_clear()

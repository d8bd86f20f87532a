"""A code object as a function that stands in for the one it came from.

Knows code objects and functions; knows nothing of syntax trees, so that code which is there already needs no parser.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import CellType, CodeType, FunctionType
from typing import Any


def bind(code: CodeType, original: FunctionType, injected: Mapping[str, Any]) -> FunctionType:
    """A function of `code` with everything else as `original` has it, its very cells included."""
    cells = dict(zip(original.__code__.co_freevars, original.__closure__ or (), strict=True))
    cells.update((name, CellType(value)) for name, value in injected.items())
    closure = tuple(cells[name] for name in code.co_freevars)
    function = FunctionType(code, original.__globals__, original.__name__, original.__defaults__, closure)
    _copy_attributes(original, function)
    return function


def _copy_attributes(original: FunctionType, function: FunctionType) -> None:
    annotate = getattr(original, "__annotate__", None)  # from Python 3.14 on: they are computed when they are asked for
    if annotate is None:
        function.__annotations__ = original.__annotations__
    else:
        setattr(function, "__annotate__", annotate)
    for name in ("__kwdefaults__", "__qualname__", "__module__", "__doc__", "__type_params__"):
        if hasattr(original, name):
            setattr(function, name, getattr(original, name))
    function.__dict__.update(original.__dict__)


def walk_code(code: CodeType) -> list[CodeType]:
    """A code object and those of the functions in it; what stands in a class body is left out."""
    found = [code]
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and constant.co_flags & 0x02:  # CO_NEWLOCALS: a function's, not a class's
            found += walk_code(constant)
    return found

"""Python's builtin functions where their argument may be symbolic.

Knows what is symbolic, nothing else of staging.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from . import staging
from .iteration import enumerate_, range_, zip_


def len_(value: Any) -> Any:
    """`len(value)`: of a symbolic tensor, the size of its first dimension."""
    return staging.length(value) if _has_length(value) else len(value)


def _has_length(value: Any) -> bool:
    return staging.is_symbolic(value) and len(value.shape) > 0


def shape_of(value: Any) -> Any:
    """`value.shape`: of a symbolic tensor a list, whose entries are symbolic where a size is not known."""
    return staging.sizes(value) if staging.is_symbolic(value) else value.shape


def int_(*args: Any, **kwargs: Any) -> Any:
    """`int(value)`: of a symbolic tensor, an int64 one."""
    return _cast(int, "int64", args, kwargs)


def float_(*args: Any, **kwargs: Any) -> Any:
    """`float(value)`: of a symbolic tensor, a float32 one."""
    return _cast(float, "float32", args, kwargs)


def bool_(*args: Any, **kwargs: Any) -> Any:
    """`bool(value)`: of a symbolic tensor, a bool one."""
    return _cast(bool, "bool", args, kwargs)


def _cast(kind: Callable[..., Any], dtype: str, args: tuple, kwargs: dict) -> Any:
    if len(args) == 1 and staging.is_symbolic(args[0]):
        return staging.cast(args[0], dtype)
    return kind(*args, **kwargs)


def print_(*values: Any, **options: Any) -> None:
    """`print(…)`: symbolic values are printed when the program runs."""
    if any(staging.is_symbolic(v) for v in values):
        staging.show(list(values))
    else:
        print(*values, **options)


OVERLOADS: dict[int, Callable[..., Any]] = {
    id(builtins.len): len_, id(builtins.range): range_, id(builtins.int): int_, id(builtins.float): float_,
    id(builtins.bool): bool_, id(builtins.print): print_, id(builtins.enumerate): enumerate_, id(builtins.zip): zip_}

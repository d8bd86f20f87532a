"""Python's builtin functions where their argument may be symbolic.

Knows what is symbolic, nothing else of staging.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import Any

from . import staging
from .where import here


class SymbolicRange:
    """`range` over bounds known only when the program runs; a `for` statement can loop over it."""

    def __init__(self, start: Any, stop: Any, step: Any):
        self.start = start
        self.stop = stop
        self.step = step

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(
            f"{here()}: a range whose bounds are tensors has no numbers to hand out while the program is built. "
            "Loop over it with a `for` statement: `for i in range(n):`.")

    def __len__(self) -> int:
        self.__iter__()
        return 0


def range_(*bounds: Any) -> Any:
    """`range(stop)` or `range(start, stop[, step])`."""
    if not any(staging.is_symbolic(b) for b in bounds):
        return range(*bounds)
    start, stop, step = (*((0,) if len(bounds) == 1 else ()), *bounds, *((1,) if len(bounds) < 3 else ()))
    return SymbolicRange(start, stop, step)


def len_(value: Any) -> Any:
    """`len(value)`: of a symbolic tensor, the size of its first dimension."""
    return staging.sizes(value)[0] if staging.is_symbolic(value) and value.shape else len(value)


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
    """`print(…)`: each symbolic value on a line of its own, behind the text before it, when the program runs."""
    if not any(staging.is_symbolic(v) for v in values):
        return print(*values, **options)
    said: list[str] = []
    for value in values:
        if staging.is_symbolic(value):
            staging.show(value, " ".join(said))
            said = []
        else:
            said.append(str(value))
    return print(*said, **options) if said else None


OVERLOADS: dict[int, Callable[..., Any]] = {
    id(builtins.len): len_, id(builtins.range): range_, id(builtins.int): int_, id(builtins.float): float_,
    id(builtins.bool): bool_, id(builtins.print): print_}

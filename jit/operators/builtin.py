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
    return staging.length(value) if staging.is_symbolic(value) else len(value)


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
    id(builtins.bool): bool_, id(builtins.print): print_}

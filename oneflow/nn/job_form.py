"""Modules whose names are functions in jobs: `MSELoss(input, target)` is a value, `MSELoss("sum")` a module."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from ...ops.array.full import is_value

_C = TypeVar("_C", bound=type)


def also_function(function: Callable[..., Any], values: int) -> Callable[[_C], _C]:
    """Decorates a class: called with values as the first `values` arguments of `function`, it is that function.

    What is made of a module is options, of which one may be a value, as the weights of `BCELoss(weight)`; so all of
    these arguments must be there. Classes that are derived from it are called as usual.

    >>> import proa as paddle
    >>> def scaled(x, factor=2.0):
    ...     return x * factor
    >>> @also_function(scaled, 1)
    ... class Scaled:
    ...     def __init__(self, factor=2.0):
    ...         self.factor = factor
    >>> float(Scaled(paddle.ones([1]), factor=3.0)), Scaled(3.0).factor
    (3.0, 3.0)
    """
    names = list(inspect.signature(function).parameters)[:values]

    def decorate(cls: _C) -> _C:
        made_before: Any = cls.__new__

        def __new__(kind: type, *args: Any, **kwargs: Any) -> Any:
            given = [*args[:values], *(kwargs.get(name) for name in names[len(args):])]
            if kind is cls and all(is_value(value) for value in given):
                return function(*args, **kwargs)
            return made_before(kind) if made_before is object.__new__ else made_before(kind, *args, **kwargs)

        cls.__new__ = __new__  # type: ignore[assignment]
        return cls

    return decorate

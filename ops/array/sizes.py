"""Shapes given as sizes one by one: `zeros(2, 3)`, `x.reshape(2, -1)`, `x.transpose(1, 0)`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def sizes_one_by_one(function: Callable) -> Callable:
    """The function, whose last positional arguments may be sizes, integers or tensors, instead of one list of them.

    Nothing else can be meant: what follows a shape is a dtype or a name, and no integer or tensor is either.

    >>> from proa.ops.array.sizes import sizes_one_by_one
    >>> @sizes_one_by_one
    ... def zeros(shape, dtype=None, name=None): return shape, dtype
    >>> zeros(2, 3, 4), zeros(2), zeros([2], "int64")
    (([2, 3, 4], None), (2, None), ([2], 'int64'))
    """
    first = next(n for n, name in enumerate(function.__code__.co_varnames) if name.startswith(("shape", "perm")))
    second = first + 1

    def with_sizes(*args: Any, **kwargs: Any) -> Any:
        if len(args) == second and not kwargs:  # the shape is the last of them
            return function(*args)
        if len(args) > second and _is_size(args[first]) and _is_size(args[second]):
            args = (*args[:first], list(args[first:]))
        return function(*args, **kwargs)

    with_sizes.__code__ = with_sizes.__code__.replace(co_name=function.__name__)  # by which errors name it
    return functools.wraps(function)(with_sizes)


def _is_size(value: Any) -> bool:
    return type(value) is int or getattr(value, "_is_proa_value", False)

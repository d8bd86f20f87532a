"""Lists and dicts that a call was given, and that what it made or changed holds from then on.

`box = Box(items)`, `pairs = zip(items, x)`, `view = d.items()`: who changes `items` later changes what these show. The
count of references tells. Knows Python values; does no staging.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from . import staging

_DEPTH = 3


def holding(function: Callable[..., Any], keeps: bool) -> Callable[..., Any]:
    """A function, and a note of the lists and dicts that something holds behind its call; its result too if that is
    kept under another name (`keeps`).
    """
    if not staging.is_staging():
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        given = list(_nested([*args, *kwargs.values(), getattr(function, "__self__", None)], _DEPTH))
        before = list(map(sys.getrefcount, given))
        result = function(*args, **kwargs)
        behind = list(map(sys.getrefcount, given))
        for each, first, last in zip(given, before, behind, strict=True):
            if last - (result is each and not keeps) > first:
                for held in _nested([each], _DEPTH):
                    staging.note_held(held)
        return result

    return call


def _nested(values: Any, depth: int) -> Iterator[Any]:
    """The lists, tuples and dicts among values, and in these."""
    for value in values:
        if isinstance(value, (list, tuple, dict)):
            yield value
            if depth:
                yield from _nested(value.values() if isinstance(value, dict) else value, depth - 1)

"""Lists and dicts in the state of a staged branch: each branch gets copies, so that neither sees the other's changes.

Behind the branch, what a branch has changed in place is changed in place, and what none has changed is what it was.
Knows nested structures; does no staging.
"""

from __future__ import annotations

from typing import Any

from ...core import nest
from .values import same, same_structure


def copied(value: Any) -> Any:
    """A value with the lists and dicts in it copied."""
    return nest.map_structure(lambda leaf: leaf, value) if type(value) in (list, dict, tuple) else value


def settled(before: Any, copies: tuple[Any, Any], left: tuple[Any, Any], merged: Any) -> Any:
    """The value behind a staged `if`: `before`, where the branches left the copies they were given, brought up to date.

    `copies` and `left`: what each branch was given and what it left in the variable.
    """
    if type(before) not in (list, dict, tuple) or any(c is not v for c, v in zip(copies, left, strict=True)):
        return merged
    if same_structure(before, merged) and all(map(same, nest.leaves(before), nest.leaves(merged))):
        return before
    if type(before) is list:
        before[:] = merged
    elif type(before) is dict:
        before.clear()
        before.update(merged)
    else:
        return merged
    return before

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


def settled(before: Any, kept: bool, new: Any) -> Any:
    """The value behind a staged statement: `before`, brought up to date, where the variable `kept` what it held."""
    if type(before) not in (list, dict, tuple) or not kept:
        return new
    if same_structure(before, new) and all(map(same, nest.leaves(before), nest.leaves(new))):
        return before
    if type(before) is list:
        before[:] = new
    elif type(before) is dict:
        before.clear()
        before.update(new)
    else:
        return new
    return before

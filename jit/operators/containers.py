"""Lists and dicts in the state of a staged branch: each branch gets copies, so that neither sees the other's changes.

Behind the branch, what a branch has changed in place is changed in place, and what none has changed is what it was.
Knows nested structures; does no staging.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import Any

from ...core import nest
from . import staging
from .values import same, same_structure

DICTS = (dict, OrderedDict, defaultdict)
_COPIED = (list, tuple, *DICTS)


def copied(value: Any) -> Any:
    """A value with the lists and dicts in it copied."""
    return nest.map_structure(lambda leaf: leaf, value) if type(value) in _COPIED else value


def lists_kept(before: Any, after: Any) -> Any:
    """What a branch or a turn leaves, a list of the program that it held before holding what the new one has."""
    if staging.is_list(before) and staging.is_list(after):
        staging.keep_list(before, after)
        return before
    if type(before) in DICTS and type(after) is type(before):
        for key in before.keys() & after.keys():
            after[key] = lists_kept(before[key], after[key])
    return after


def settled(before: Any, kept: bool, new: Any) -> Any:
    """The value behind a staged statement: `before`, brought up to date, where the variable `kept` what it held."""
    if type(before) not in _COPIED or not kept:
        return new
    if same_structure(before, new) and all(map(same, nest.leaves(before), nest.leaves(new))):
        return before
    if type(before) is list:
        before[:] = new
    elif type(before) in DICTS:
        before.clear()
        before.update(new)
    else:
        return new
    return before

"""Where a test has shown that a local name is not None, the name is noted to hold a value.

    if x is not None:               if x is not None:
        y = y + x                       x = __proa__.narrowed(x)
                                        y = y + x

Expects jumps to be lowered, so that what follows `if x is None: return` stands in the other branch. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.activity import scope_of
from ..pyct.statements import rewrite
from ..pyct.templates import quote
from .context import OPERATORS, Context
from .expressions import not_none


def convert(function: Any, _: Context) -> None:
    """Notes at the begin of the branches of a function which local names are not None there."""
    local = scope_of(function).local
    rewrite(function, lambda statement: _narrowed(statement, local))


def is_note(assignment: Any) -> bool:
    """Whether an assignment is what this converter has put in."""
    called = getattr(assignment.value, "func", None)
    if not isinstance(called, gast.Attribute) or called.attr != "narrowed":
        return False
    return getattr(called.value, "id", None) == OPERATORS


def _narrowed(statement: Any, local: set[str]) -> list[Any]:
    if isinstance(statement, gast.If):
        for holds, field in ((True, "body"), (False, "orelse")):
            names = sorted(not_none(statement.test, holds) & local)
            noted = [s for name in names for s in quote("name = __proa__.narrowed(name)", statement, name=name)]
            setattr(statement, field, noted + getattr(statement, field))
    return [statement]

"""A loop's `else` becomes an ordinary statement behind the loop.

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.statements import LOOPS, any_contains, blocks, rewrite
from ..pyct.templates import quote
from .context import Context


def convert(function: Any, context: Context) -> None:
    """Moves the `else` of every loop of the function."""
    rewrite(function, lambda statement: _moved(statement, context))


def _moved(statement: Any, context: Context) -> list[Any]:
    if not isinstance(statement, LOOPS) or not statement.orelse:
        return [statement]
    orelse, statement.orelse = statement.orelse, []
    if not any_contains(statement.body, (gast.Break,)):
        return [statement, *orelse]
    flag = context.namer.new("left_loop")
    statement.body = _flagged(statement.body, flag)
    (test,) = quote("if flag: pass", statement, flag=flag)
    test.orelse = orelse
    return [*quote("flag = False", statement, flag=flag), statement, test]


def _flagged(statements: list[Any], flag: str) -> list[Any]:
    new: list[Any] = []
    for statement in statements:
        if isinstance(statement, gast.Break):
            new += quote("flag = True", statement, flag=flag)
        for owner, field in blocks(statement):
            if field != "body" or not isinstance(statement, LOOPS):
                setattr(owner, field, _flagged(getattr(owner, field), flag))
        new.append(statement)
    return new

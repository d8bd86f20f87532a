"""A loop with `break` or `continue` becomes one without: a flag in its test, and branches in its body.

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.statements import any_contains, rewrite, yields
from ..pyct.templates import quote, quote_expression
from .context import Context
from .jumps import Lowering

_KINDS = (gast.Break, gast.Continue)


def convert(function: Any, context: Context) -> None:
    """Lowers the loops of a function, the innermost first; one that is left from within `finally` stays."""
    rewrite(function, lambda statement: _lowered(statement, context))


def _lowered(statement: Any, context: Context) -> list[Any]:
    if not isinstance(statement, (gast.For, gast.While)) or not any_contains(statement.body, _KINDS):
        return [statement]
    if yields(statement) or _leaves_finally(statement.body) or any_contains(statement.body, (gast.Return,)):
        return [statement]
    broken = context.namer.new("did_break") if any_contains(statement.body, (gast.Break,)) else None
    _lower_body(statement, broken, context)
    return [statement] if broken is None else [*quote("flag = False", statement, flag=broken), statement]


def _leaves_finally(statements: list[Any]) -> bool:
    finals = [t for s in statements for t in gast.walk(s) if isinstance(t, gast.Try)]
    return any(any_contains(t.finalbody, _KINDS) for t in finals)


def _lower_body(loop: Any, broken: str | None, context: Context) -> None:
    lowering = Lowering(_KINDS, lambda jump: _note(jump, broken), lambda: context.namer.new("did_jump"))
    body = lowering.close(loop.body, []) or [gast.copy_location(gast.Pass(), loop)]
    flag = quote("flag = False", body[0], flag=lowering.flag) if lowering.flag else []
    loop.body = flag + body
    if broken is not None:
        _guard(loop, broken)


def _note(jump: Any, broken: str | None) -> list[Any]:
    return quote("flag = True", jump, flag=broken) if isinstance(jump, gast.Break) else quote("pass", jump)


def _guard(loop: Any, broken: str) -> None:
    at = loop.iter if isinstance(loop, gast.For) else loop.test
    unbroken = quote_expression("not flag", at, flag=broken)
    if isinstance(loop, gast.For):
        loop.guard = unbroken
    elif isinstance(loop.test, gast.Constant) and loop.test.value:
        loop.test = unbroken
    else:
        loop.test = quote_expression("unbroken and test", at, unbroken=unbroken, test=loop.test)

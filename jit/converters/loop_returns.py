"""A `return` inside a loop leaves the loop first and returns behind it.

    while a:                        leaves = False
        if b: return x              while a:
                                        if b: leaves = True; break
                                    if leaves: return x

What is returned is computed behind the loop, so that a staged loop needs no variable for it. A return under `try` or
`with` stays, for its value may depend on the surroundings; so does one from a `for` over unknown things that calls
something, for leaving the loop ends a generator. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.statements import any_contains, blocks, rewrite
from ..pyct.templates import quote
from ..pyct.trees import copied
from .context import Context

_ACTIVE = (gast.Call, gast.Subscript, gast.Attribute, gast.NamedExpr, gast.ListComp, gast.SetComp, gast.DictComp,
           gast.GeneratorExp)


def convert(function: Any, context: Context) -> None:
    """Moves the returns of a function out of its loops, the innermost first."""
    rewrite(function, lambda statement: _moved(statement, context))


def _moved(statement: Any, context: Context) -> list[Any]:
    if not isinstance(statement, (gast.For, gast.While)):
        return [statement]
    left: dict[str, gast.Return] = {}
    endless = _is_endless(statement)
    statement.body = _leaving(statement.body, statement, left, context)
    before = [s for flag in left for s in quote("flag = False", statement, flag=flag)]
    behind = [s for flag, jump in left.items() for s in quote("if flag: jump", jump, flag=flag, jump=[jump])]
    if left and endless and not any_contains(statement.body, (gast.Return,)):  # the last flag is certain
        behind[-1] = behind[-1].body[0]
    return [*before, statement, *behind]


def _is_endless(loop: Any) -> bool:
    """Whether nothing but a return (or an exception) leaves the loop."""
    always = isinstance(loop, gast.While) and isinstance(loop.test, gast.Constant) and bool(loop.test.value)
    return always and not any_contains(loop.body, (gast.Break,))


def _leaving(statements: list[Any], loop: Any, left: dict[str, gast.Return], context: Context) -> list[Any]:
    new: list[Any] = []
    for statement in statements:
        if isinstance(statement, gast.Return) and _can_wait(statement, loop):
            flag = context.namer.new("leaves_loop")
            left[flag] = copied(statement)
            return new + quote("flag = True\nbreak", statement, flag=flag)
        if isinstance(statement, (gast.If, gast.Match)):
            for owner, field in blocks(statement):
                setattr(owner, field, _leaving(getattr(owner, field), loop, left, context))
        new.append(statement)
    return new


def _can_wait(jump: gast.Return, loop: Any) -> bool:
    if isinstance(loop, gast.While) or jump.value is None or _counts(loop.iter):
        return True
    return not any(isinstance(node, _ACTIVE) for node in gast.walk(jump.value))


def _counts(iterable: Any) -> bool:
    return isinstance(iterable, gast.Call) and isinstance(iterable.func, gast.Name) and iterable.func.id == "range"

"""`:=` in a test comes out of it: what binds a name cannot be put off into a `lambda`.

    while (n := f()) > 2:       while True:
        body                        if not (n := f()) > 2: break
                                    body

    if a and (n := f()): body   condition = a
                                if condition: condition = (n := f())
                                if condition: body

The second form also serves `return`, `assert` and assignments. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.statements import any_contains, rewrite
from ..pyct.templates import quote
from .context import Context
from .expressions import can_wait

_PARTS = {gast.If: "test", gast.Assert: "test", gast.Return: "value", gast.Assign: "value"}


def convert(function: Any, context: Context) -> None:
    """Takes the tests with `:=` in a function apart."""
    rewrite(function, _with_test_inside)
    rewrite(function, lambda statement: _split(statement, context))


def _with_test_inside(statement: Any) -> list[Any]:
    if not isinstance(statement, gast.While) or can_wait(statement.test):
        return [statement]
    if any_contains(statement.orelse, (gast.Break, gast.Continue)):
        return [statement]
    (leave,) = quote("if not test: break", statement.test, test=statement.test)
    (leave.body, statement.orelse) = [*statement.orelse, *leave.body], []
    (endless,) = quote("while True: pass", statement)
    endless.body = [leave, *statement.body]
    return [endless]


def _split(statement: Any, context: Context) -> list[Any]:
    field = _PARTS.get(type(statement), "")
    expression: Any = getattr(statement, field, None)
    inverted = isinstance(expression, gast.UnaryOp) and isinstance(expression.op, gast.Not)
    logic = expression.operand if inverted else expression
    if not isinstance(logic, gast.BoolOp) or can_wait(*logic.values[1:]):
        return [statement]
    name = context.namer.new("condition")
    template = "if name: name = value" if isinstance(logic.op, gast.And) else "if not name: name = value"
    before = quote("name = value", logic.values[0], name=name, value=logic.values[0])
    for value in logic.values[1:]:
        before += [s for made in quote(template, value, name=name, value=value) for s in _split(made, context)]
    (result,) = quote("not name" if inverted else "name", logic, name=name)
    setattr(statement, field, result.value)
    return [*before, statement]

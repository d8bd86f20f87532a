"""`and`, `or`, `not`, `in` and chained comparisons become calls that keep the order and the shortcuts of evaluation.

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.templates import quote_expression
from .context import OPERATORS, Context
from .expressions import ExpressionConverter, can_wait, surely_plain

_SYMBOLS = {gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">=", gast.Eq: "==", gast.NotEq: "!=",
            gast.Is: "is", gast.IsNot: "is not", gast.In: "in", gast.NotIn: "not in"}

_EQUALITIES = {gast.Eq: "__proa__.equal(left, right)", gast.NotEq: "__proa__.unequal(left, right)"}


_ASKING = ("if_stmt", "if_exp", "plain")  # operators that ask of their first argument whether it holds


def convert(function: Any, context: Context) -> Any:
    """Converts the logical expressions of a function."""
    return _Logical(_tests(function, context)).visit(function)


def _tests(function: Any, context: Context) -> set[int]:
    """The `and` and `or` of which only the truth is asked, by id; statements have become calls already."""
    found: set[int] = set()

    def walk(test: Any) -> None:
        if isinstance(test, gast.BoolOp):
            found.add(id(test))
            for value in test.values:
                walk(value)
        elif isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
            walk(test.operand)

    for node in gast.walk(function):
        walk(getattr(node, "test", None))
        walk(getattr(node, "guard", None))
        walk(node if isinstance(node, gast.UnaryOp) else None)
        for each in getattr(node, "ifs", ()):
            walk(each)
        if isinstance(node, gast.Call) and _operator(node.func) in _ASKING:
            walk(node.args[0])
        if isinstance(node, gast.FunctionDef) and node.name in context.tests:
            walk(node.body[-1].value)
    return found


def _operator(function: Any) -> str | None:
    """The name of one of our operators."""
    is_ours = isinstance(function, gast.Attribute) and isinstance(function.value, gast.Name)
    return function.attr if is_ours and function.value.id == OPERATORS else None


def _later(value: Any) -> Any:
    return quote_expression("lambda: value", value, value=value)


def _now(value: Any) -> Any:
    return quote_expression("__proa__.computed(value)", value, value=value)


class _Logical(ExpressionConverter):
    def __init__(self, tests: set[int]):
        self._tests = tests

    def visit_BoolOp(self, node: gast.BoolOp) -> Any:
        plain = surely_plain(node) or not can_wait(*node.values[1:])
        self.generic_visit(node)
        if plain:
            return node
        name = ("and" if isinstance(node.op, gast.And) else "or") + ("_" if id(node) in self._tests else "_value")
        call = quote_expression(f"__proa__.{name}(first)", node, first=node.values[0])
        call.args += [_later(v) for v in node.values[1:]]
        return call

    def visit_UnaryOp(self, node: gast.UnaryOp) -> Any:
        plain = surely_plain(node) or not isinstance(node.op, gast.Not)
        self.generic_visit(node)
        return node if plain else quote_expression("__proa__.not_(value)", node, value=node.operand)

    def visit_Compare(self, node: gast.Compare) -> Any:
        single = len(node.ops) == 1 and not isinstance(node.ops[0], (gast.In, gast.NotIn))
        plain = single or surely_plain(node) or not can_wait(*node.comparators[1:])
        binds = not can_wait(node.comparators[0])  # the first comparator is always computed
        self.generic_visit(node)
        if plain:
            return _equality(node) if single and type(node.ops[0]) in _EQUALITIES else node
        call = quote_expression("__proa__.compare(left)", node, left=node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            symbol = gast.copy_location(gast.Constant(value=_SYMBOLS[type(op)], kind=None), comparator)
            now = binds and comparator is node.comparators[0]
            call.args += [symbol, _now(comparator) if now else _later(comparator)]
        return call


def _equality(node: gast.Compare) -> Any:
    """`==` or `!=`, which may compare lists of sizes."""
    return quote_expression(_EQUALITIES[type(node.ops[0])], node, left=node.left, right=node.comparators[0])

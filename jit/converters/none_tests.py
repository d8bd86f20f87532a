"""`x is None` becomes a call, as only a run may know it; a name of which it is known is a value in what follows.

    y if x is None else y + x       y if __proa__.is_none(x) else y + __proa__.narrowed(x)

So in conditional expressions, and in what stands behind `and` and `or`. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.templates import quote_expression
from ..pyct.trees import Transformer, copied
from .context import Context
from .expressions import ExpressionConverter, compares_with_none, compares_with_truth, not_none


def convert(function: Any, _: Context) -> Any:
    """Converts the comparisons with None of a function."""
    return _NoneTests().visit(function)


class _NoneTests(ExpressionConverter):
    def visit_Compare(self, node: gast.Compare) -> Any:
        self.generic_visit(node)
        if not compares_with_none(node):
            return _of_two(node)
        template = "__proa__.is_none(value)" if isinstance(node.ops[0], gast.Is) else "__proa__.not_none(value)"
        return quote_expression(template, node, value=node.left)

    def visit_IfExp(self, node: gast.IfExp) -> Any:
        node.body = _Narrowed(not_none(node.test, True)).visit(node.body)
        node.orelse = _Narrowed(not_none(node.test, False)).visit(node.orelse)
        self.generic_visit(node)
        return node

    def visit_BoolOp(self, node: gast.BoolOp) -> Any:
        known: set[str] = set()
        values = []
        for value in node.values:
            found = not_none(value, isinstance(node.op, gast.And))
            values.append(_Narrowed(known).visit(value))
            known = known | found
        node.values = values
        self.generic_visit(node)
        return node


def _of_two(node: gast.Compare) -> Any:
    """`a is b` as a call, for which of two tensors a name stands only a run may know."""
    operator, operands = node.ops[0], [node.left, *node.comparators]
    if compares_with_truth(node):
        test = quote_expression("__proa__.is_truth(a, b)", node, a=operands[0], b=operands[1])
        return test if isinstance(operator, gast.Is) else quote_expression("__proa__.not_(test)", node, test=test)
    constant = any(isinstance(operand, gast.Constant) for operand in operands)
    if len(node.ops) > 1 or constant or not isinstance(operator, (gast.Is, gast.IsNot)):
        return node
    template = "__proa__.is_same(a, b)" if isinstance(operator, gast.Is) else "not __proa__.is_same(a, b)"
    return quote_expression(template, node, a=operands[0], b=operands[1])


class _Narrowed(Transformer):
    """The reads of some names as what is not None; functions in the expression have names of their own."""

    def __init__(self, names: set[str]):
        self._names = names

    def visit(self, node: Any) -> Any:
        return super().visit(node) if self._names else node

    def visit_Name(self, node: gast.Name) -> Any:
        if node.id not in self._names or not isinstance(node.ctx, gast.Load):
            return node
        return quote_expression("__proa__.narrowed(name)", node, name=copied(node))

    def _leave(self, node: Any) -> Any:
        return node

    visit_Lambda = visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _leave

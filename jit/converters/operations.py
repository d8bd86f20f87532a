"""`a + b`, `a += b`, `-a`, `a < b`, `a[0]` and `with a:` become calls: an object of the user's has methods for them.

What other converters have made calls of is left to them. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.templates import quote, quote_expression
from .context import Context
from .expressions import ExpressionConverter, symbol_of

_SIDES = {gast.Add: "+", gast.Sub: "-", gast.Mult: "*", gast.Div: "/", gast.FloorDiv: "//", gast.Mod: "%",
          gast.Pow: "**", gast.MatMult: "@", gast.BitAnd: "&", gast.BitOr: "|", gast.BitXor: "^", gast.LShift: "<<",
          gast.RShift: ">>"}
_ALONE = {gast.USub: "-", gast.UAdd: "+", gast.Invert: "~"}
_ORDER = {gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">="}


def convert(function: Any, _: Context) -> Any:
    """Converts the operators of a function, its items and its context managers."""
    return _Operations().visit(function)


class _Operations(ExpressionConverter):
    def visit_BinOp(self, node: gast.BinOp) -> Any:
        self.generic_visit(node)
        if _is_plain(node.left) and _is_plain(node.right):
            return node
        return quote_expression("__proa__.operate(left, symbol, right)", node, left=node.left, right=node.right,
                                symbol=_constant(_SIDES[type(node.op)], node))

    def visit_UnaryOp(self, node: gast.UnaryOp) -> Any:
        self.generic_visit(node)
        if _is_plain(node.operand) or type(node.op) not in _ALONE:
            return node
        return quote_expression("__proa__.operate_alone(symbol, value)", node, value=node.operand,
                                symbol=_constant(_ALONE[type(node.op)], node))

    def visit_Compare(self, node: gast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) > 1 or type(node.ops[0]) not in _ORDER:
            return node
        return quote_expression("__proa__.order(left, symbol, right)", node, left=node.left, right=node.comparators[0],
                                symbol=_constant(_ORDER[type(node.ops[0])], node))

    def visit_AugAssign(self, node: gast.AugAssign) -> Any:
        self.generic_visit(node)
        if not isinstance(node.target, gast.Name):
            return node
        return quote("name = __proa__.operate_in_place(name, symbol, value)", node, name=node.target.id,
                     symbol=symbol_of(node), value=node.value)

    def visit_Subscript(self, node: gast.Subscript) -> Any:
        self.generic_visit(node)
        node.value = quote_expression("__proa__.items_of(value)", node.value, value=node.value)
        return node

    def visit_With(self, node: gast.With) -> Any:
        self.generic_visit(node)
        for item in node.items:
            item.context_expr = quote_expression("__proa__.manager(value)", item.context_expr, value=item.context_expr)
        return node


def _is_plain(value: Any) -> bool:
    return isinstance(value, (gast.Constant, gast.List, gast.JoinedStr))


def _constant(value: str, at: gast.AST) -> Any:
    return gast.copy_location(gast.Constant(value=value, kind=None), at)

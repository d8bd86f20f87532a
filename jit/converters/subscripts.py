"""`a[i]`, read or changed, becomes a call where `i` may be symbolic, or `a` hold what only some branch has given it.

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.templates import quote, quote_expression
from .context import Context
from .expressions import ExpressionConverter, symbol_of


def convert(function: Any, _: Context) -> Any:
    """Converts what is done to items by an index that is computed, or by a key."""
    return _Subscripts().visit(function)


class _Subscripts(ExpressionConverter):
    def visit_Subscript(self, node: gast.Subscript) -> Any:
        self.generic_visit(node)
        if not isinstance(node.ctx, gast.Load) or _is_part(node.slice):
            return node
        return quote_expression("__proa__.item(value, index)", node, value=node.value, index=node.slice)

    def visit_Assign(self, node: gast.Assign) -> Any:
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, gast.Subscript) or _is_part(target.slice):
            return node
        return quote("__proa__.set_item(new, value, index)", node, new=node.value, value=target.value,
                     index=target.slice)

    def visit_AugAssign(self, node: gast.AugAssign) -> Any:
        """The item is read before its operand is computed, as Python does it."""
        self.generic_visit(node)
        target = node.target
        if not isinstance(target, gast.Subscript) or _is_part(target.slice):
            return node
        return quote("__proa__.augment_item(__proa__.begun_item(value, index), symbol, operand)", node,
                     value=target.value, index=target.slice, symbol=symbol_of(node), operand=node.value)


def _is_part(index: Any) -> bool:
    """Whether an index is a slice, a tuple or an integer as it stands."""
    if isinstance(index, gast.UnaryOp):
        index = index.operand
    is_number = isinstance(index, gast.Constant) and type(index.value) is int
    return is_number or isinstance(index, (gast.Slice, gast.Tuple))

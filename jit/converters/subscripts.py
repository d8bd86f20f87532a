"""`a[i]` becomes a call where `i` may be symbolic, or `a` hold what only some branch has given it.

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.templates import quote_expression
from .context import Context
from .expressions import ExpressionConverter


def convert(function: Any, _: Context) -> Any:
    """Converts the reads of items by an index that is computed, or by a key."""
    return _Subscripts().visit(function)


class _Subscripts(ExpressionConverter):
    def visit_Subscript(self, node: gast.Subscript) -> Any:
        self.generic_visit(node)
        if not isinstance(node.ctx, gast.Load) or _is_part(node.slice):
            return node
        return quote_expression("__proa__.item(value, index)", node, value=node.value, index=node.slice)


def _is_part(index: Any) -> bool:
    """Whether an index is a slice, a tuple or an integer as it stands."""
    if isinstance(index, gast.UnaryOp):
        index = index.operand
    is_number = isinstance(index, gast.Constant) and type(index.value) is int
    return is_number or isinstance(index, (gast.Slice, gast.Tuple))

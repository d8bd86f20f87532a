"""f-strings and `"…" % values` become calls: the values in them may be such that only the run knows.

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.templates import quote_expression
from .context import Context
from .expressions import ExpressionConverter


def convert(function: Any, _: Context) -> Any:
    """Converts what makes text in a function."""
    return _Texts().visit(function)


class _Texts(ExpressionConverter):
    def visit_JoinedStr(self, node: gast.JoinedStr) -> Any:
        self.generic_visit(node)
        if all(isinstance(part, gast.Constant) for part in node.values):
            return node
        call = quote_expression("__proa__.text()", node)
        call.args = node.values
        return call

    def visit_FormattedValue(self, node: gast.FormattedValue) -> Any:
        self.generic_visit(node)
        call = quote_expression("__proa__.shown(value)", node, value=node.value)
        conversion = "" if node.conversion < 0 else chr(node.conversion)
        if conversion or node.format_spec is not None:
            call.args += [_text(conversion, node), node.format_spec or _text("", node)]
        return call

    def visit_BinOp(self, node: gast.BinOp) -> Any:
        is_text = isinstance(node.left, gast.JoinedStr) or (
            isinstance(node.left, gast.Constant) and isinstance(node.left.value, str))
        self.generic_visit(node)
        if not is_text or not isinstance(node.op, gast.Mod):
            return node
        return quote_expression("__proa__.percent(form, values)", node, form=node.left, values=node.right)


def _text(value: str, at: gast.AST) -> Any:
    return gast.copy_location(gast.Constant(value=value, kind=None), at)

"""`a if test else b` becomes a call whose two values wait until the test is known.

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.templates import quote_expression
from .context import Context
from .expressions import ExpressionConverter, can_wait, surely_plain


def convert(function: Any, _: Context) -> Any:
    """Converts the conditional expressions of a function."""
    return _Conditionals().visit(function)


class _Conditionals(ExpressionConverter):
    def visit_IfExp(self, node: gast.IfExp) -> Any:
        self.generic_visit(node)
        if surely_plain(node.test):
            return node
        parts = {"test": node.test, "body": node.body, "orelse": node.orelse}
        if can_wait(node.body, node.orelse):
            return quote_expression("__proa__.if_exp(test, lambda: body, lambda: orelse)", node, **parts)
        node.test = quote_expression("__proa__.plain(test)", node.test, test=node.test)
        return node

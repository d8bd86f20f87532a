"""`x.shape` becomes a call: of a symbolic tensor, the sizes not yet known are values of the program.

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.templates import quote_expression
from .context import Context
from .expressions import ExpressionConverter


def convert(function: Any, _: Context) -> Any:
    """Converts the reads of attributes called `shape`."""
    return _Shapes().visit(function)


class _Shapes(ExpressionConverter):
    def visit_Attribute(self, node: gast.Attribute) -> Any:
        self.generic_visit(node)
        if node.attr != "shape" or not isinstance(node.ctx, gast.Load):
            return node
        return quote_expression("__proa__.shape_of(value)", node, value=node.value)

"""What converters of expressions share: where they go, and where they do not.

They go everywhere but into class bodies, decorators and annotations. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast


def _statements(made: Any) -> list[Any]:
    return made if isinstance(made, list) else [made]


class ExpressionConverter(gast.NodeTransformer):
    """Visits the expressions of a function and of the functions in it."""

    def visit_ClassDef(self, node: gast.ClassDef) -> Any:
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
        node.body = [made for s in node.body for made in _statements(self.visit(s))]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node: gast.AnnAssign) -> Any:
        node.value = node.value and self.visit(node.value)
        node.target = self.visit(node.target)
        return node

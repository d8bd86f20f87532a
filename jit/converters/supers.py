"""`super()` says which class and which object it means: in a generated inner function Python could not tell.

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.activity import parameters
from ..pyct.statements import SCOPES
from ..pyct.templates import quote_expression
from ..pyct.trees import Transformer
from .context import Context


def convert(function: Any, context: Context) -> None:
    """Fills in the arguments of `super()`, in methods."""
    names = parameters(function)
    if context.class_name is not None and names:
        visitor = _Supers(names[0])
        function.body = [visitor.visit(s) for s in function.body]


class _Supers(Transformer):
    def __init__(self, first: str):
        self._first = first

    def visit(self, node: Any) -> Any:
        return node if isinstance(node, SCOPES) else super().visit(node)

    def visit_Call(self, node: gast.Call) -> Any:
        is_super = isinstance(node.func, gast.Name) and node.func.id == "super"
        if is_super and not node.args and not node.keywords:
            return quote_expression("super(__class__, first)", node, first=self._first)
        return self.generic_visit(node)

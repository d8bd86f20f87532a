"""`[*d]`, `f(*d)`, `a, *b = d`, `{k: 1 for k in d}`: what Python goes over by itself is asked whether it may be.

All keys of a dict are asked for, of which a tensor may decide some. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.templates import quote_expression
from .context import Context
from .expressions import ExpressionConverter

_PLAIN = (gast.Tuple, gast.List, gast.ListComp, gast.Constant)  # where it is plain what there is to go over


def convert(function: Any, _: Context) -> Any:
    """Converts stars, assignments to several names, comprehensions and `yield from` of a function."""
    return _Walks().visit(function)


class _Walks(ExpressionConverter):
    def visit_Starred(self, node: gast.Starred) -> Any:
        self.generic_visit(node)
        if isinstance(node.ctx, gast.Load):
            node.value = _walked(node.value)
        return node

    def visit_Assign(self, node: gast.Assign) -> Any:
        self.generic_visit(node)
        if any(isinstance(target, (gast.Tuple, gast.List)) for target in node.targets):
            node.value = _walked(node.value)
        return node

    def visit_comprehension(self, node: gast.comprehension) -> Any:
        self.generic_visit(node)
        if not node.is_async:
            node.iter = _walked(node.iter)
        return node

    def visit_YieldFrom(self, node: gast.YieldFrom) -> Any:
        self.generic_visit(node)
        node.value = _walked(node.value)
        return node


def _walked(value: Any) -> Any:
    return value if isinstance(value, _PLAIN) else quote_expression("__proa__.walked(value)", value, value=value)

"""A call `f(x)` becomes `__proa__.converted(f)(x)`: what is called is converted on the way.

The arguments stay where they are, so that order, stars and tracebacks are Python's own. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.templates import quote_expression
from .context import OPERATORS, Context
from .expressions import ExpressionConverter

_NEEDS_NO_CONVERSION = {"super", "issubclass", "callable", "locals", "globals"}


def convert(function: Any, _: Context) -> Any:
    """Converts the calls of a function."""
    return _Calls().visit(function)


class _Calls(ExpressionConverter):
    def visit_Call(self, node: gast.Call) -> Any:
        self.generic_visit(node)
        if not _stays(node.func):
            node.func = quote_expression("__proa__.converted(function)", node.func, function=node.func)
        return node

    def visit_Raise(self, node: gast.Raise) -> Any:
        """The exception's own constructor is called as it stands."""
        for part in (node.exc, node.cause):
            if part is not None:
                self.generic_visit(part) if isinstance(part, gast.Call) else self.visit(part)
        return node


def _stays(function: Any) -> bool:
    """Calls of the operators themselves, of a constant's methods but `join`, and of what looks at its caller's names.
    """
    if isinstance(function, gast.Attribute):
        is_operator = isinstance(function.value, gast.Name) and function.value.id == OPERATORS
        return is_operator or isinstance(function.value, gast.Constant) and function.attr != "join"
    return isinstance(function, gast.Name) and function.id in _NEEDS_NO_CONVERSION

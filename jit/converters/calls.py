"""A call `f(x)` becomes `__proa__.converted(f)(x)`: what is called is converted on the way.

The arguments stay where they are, so that order, stars and tracebacks are Python's own. Where one is a list or dict,
perhaps, that the function changes in place, `__proa__.holding` looks whether something holds it behind the call. Knows
pyct alone.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

import gast

from ..pyct.templates import quote_expression
from .context import OPERATORS, Context
from .expressions import ExpressionConverter

_NEEDS_NO_CONVERSION = {"super", "issubclass", "callable", "locals", "globals"}
_VIEWS = {"keys", "values", "items"}
_OF_TEXT = ("join", "format")  # that take values which only the run may know


def convert(function: Any, context: Context) -> Any:
    """Converts the calls of a function."""
    return _Calls(context.changed).visit(function)


class _Calls(ExpressionConverter):
    def __init__(self, changed: set[str]):
        self._changed = changed
        self._bound: dict[Any, set[str]] = {}  # the names to which the result of a call is bound

    def visit_Assign(self, node: gast.Assign) -> Any:
        names = {target.id for target in node.targets if isinstance(target, gast.Name)}
        self._bound.update((call, names) for call in _calls_in(node.value))
        return self.generic_visit(node)

    def visit_Call(self, node: gast.Call) -> Any:
        given = {name for part in (*node.args, *node.keywords) for name in _names_in(part)} & self._changed
        is_view = isinstance(node.func, gast.Attribute) and node.func.attr in _VIEWS
        if is_view:
            given |= set(_names_in(node.func.value)) & self._changed
        is_kept = node in self._bound and not given <= self._bound[node]
        by_python = is_view or isinstance(node.func, gast.Name) and hasattr(builtins, node.func.id)
        is_asked = given and (is_kept or not by_python or getattr(node.func, "id", None) == "setattr")
        self.generic_visit(node)
        if not _stays(node.func):
            node.func = quote_expression("__proa__.converted(function)", node.func, function=node.func)
            if is_asked:
                keeps = gast.copy_location(gast.Constant(value=is_kept, kind=None), node)
                node.func = quote_expression("__proa__.holding(function, keeps)", node.func, function=node.func,
                                             keeps=keeps)
        return node

    def visit_Raise(self, node: gast.Raise) -> Any:
        """The exception's own constructor is called as it stands."""
        for part in (node.exc, node.cause):
            if part is not None:
                self.generic_visit(part) if isinstance(part, gast.Call) else self.visit(part)
        return node


def _calls_in(value: Any) -> Iterator[Any]:
    """The calls whose results a value is, or holds."""
    if isinstance(value, gast.Call):
        yield value
    for part in (*getattr(value, "elts", ()), *getattr(value, "values", ())):
        yield from _calls_in(part)


def _names_in(value: Any) -> Iterator[str]:
    """The names of what a value is, or holds, and of what calls in it are given."""
    if isinstance(value, gast.Name):
        yield value.id
    inner = [value.value] if isinstance(value, (gast.Starred, gast.keyword)) else []
    inner += [*value.args, *value.keywords] if isinstance(value, gast.Call) else []
    for part in (*getattr(value, "elts", ()), *getattr(value, "values", ()), *inner):
        yield from _names_in(part)


def _stays(function: Any) -> bool:
    """Calls of the operators, of a constant's methods but some of text, and of what looks at its caller's names."""
    if isinstance(function, gast.Attribute):
        is_operator = isinstance(function.value, gast.Name) and function.value.id == OPERATORS
        return is_operator or (
            isinstance(function.value, gast.Constant) and function.attr not in _OF_TEXT)
    return isinstance(function, gast.Name) and function.id in _NEEDS_NO_CONVERSION

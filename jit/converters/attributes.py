"""`a.b` becomes a call, so that properties are converted, and it is known which attributes the code reads.

What is called (`a.b(x)`) is left to others. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.source import private_name
from ..pyct.templates import quote, quote_expression
from .context import OPERATORS, Context
from .expressions import ExpressionConverter, symbol_of


def convert(function: Any, context: Context) -> Any:
    """Converts the reads of attributes of a function."""
    return _Attributes(context.class_name).visit(function)


_SETTERS = {"stop_gradient": "__proa__.set_stop_gradient(owner, value)", "name": "__proa__.set_name(owner, value)"}


class _Attributes(ExpressionConverter):
    def __init__(self, class_name: str | None):
        self._class_name = class_name

    def visit_Attribute(self, node: gast.Attribute) -> Any:
        self.generic_visit(node)
        if not isinstance(node.ctx, gast.Load) or _is_operator(node):
            return node
        return quote_expression("__proa__.attribute(owner, name)", node, owner=node.value, name=self._name(node))

    def visit_MatchValue(self, node: Any) -> Any:
        """A pattern stays as it is."""
        return node

    visit_MatchClass = visit_MatchMapping = visit_MatchValue

    def visit_Call(self, node: gast.Call) -> Any:
        if isinstance(node.func, gast.Attribute):
            node.func.value = self.visit(node.func.value)
        else:
            node.func = self.visit(node.func)
        node.args = [self.visit(a) for a in node.args]
        node.keywords = [self.visit(k) for k in node.keywords]
        return node

    def visit_Assign(self, node: gast.Assign) -> Any:
        """`x.stop_gradient = value` holds from there on; `x.name = value` is refused where x is a Program's value."""
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, gast.Attribute) or target.attr not in _SETTERS:
            return node
        return quote(_SETTERS[target.attr], node, owner=target.value, value=node.value)

    def visit_AugAssign(self, node: gast.AugAssign) -> Any:
        """`a.n += 1` counts; the attribute is read before its operand is computed, as Python does it."""
        target = node.target
        self.generic_visit(node)
        if not isinstance(target, gast.Attribute) or _is_operator(target):
            return node
        return quote("__proa__.augment(__proa__.begun(owner, name), symbol, value)", node, owner=target.value,
                     name=self._name(target), symbol=symbol_of(node), value=node.value)

    def _name(self, node: gast.Attribute) -> Any:
        """The attribute's name as a constant in code; of `self.__name` what the class makes of it."""
        return gast.copy_location(gast.Constant(value=private_name(node.attr, self._class_name), kind=None), node)


def _is_operator(node: gast.Attribute) -> bool:
    return isinstance(node.value, gast.Name) and node.value.id == OPERATORS

"""Syntax trees copied, walked and rewritten, in fewer calls than `copy` and `ast` make for the same.

Half of a conversion was spent there: every construct has its converter, and each of them walks the whole function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

_NODE = gast.AST
_PLACED = frozenset(("lineno", "col_offset", "end_lineno", "end_col_offset"))


def copied(tree: Any) -> Any:
    """A copy of a tree: of its nodes, and of the lists of them."""
    if isinstance(tree, _NODE):
        return _copied_node(tree, {})
    return [copied(each) for each in tree] if type(tree) is list else tree


def copied_at(tree: Any, at: Any) -> Any:
    """A copy of a tree with every node at the place of `at`."""
    return _copied_node(tree, {name: value for name, value in at.__dict__.items() if name in _PLACED})


def _copied_node(node: Any, place: dict[str, Any]) -> Any:
    kind: Any = type(node)
    made = kind.__new__(kind)
    parts = made.__dict__
    for name, value in node.__dict__.items():
        if isinstance(value, _NODE):
            value = _copied_node(value, place)
        elif type(value) is list:
            value = [_copied_node(each, place) if isinstance(each, _NODE) else each for each in value]
        parts[name] = value
    if place and "lineno" in kind._attributes:
        parts.update(place)
    return made


class _Methods:
    """What a class has for each kind of node, found once."""

    _methods: dict[type, Callable[..., Any]] = {}

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls._methods = {}

    def visit(self, node: Any) -> Any:
        """What the method for this kind of node makes of it."""
        kind = type(node)
        method = self._methods.get(kind)
        if method is None:
            method = self._methods[kind] = getattr(type(self), f"visit_{kind.__name__}", type(self).generic_visit)
        return method(self, node)

    def generic_visit(self, node: Any) -> Any:
        """Visits what the node is made of."""
        raise NotImplementedError

    def visit_Constant(self, node: Any) -> Any:
        """It is made of nothing."""
        return node


class Transformer(_Methods, gast.NodeTransformer):
    """`gast.NodeTransformer`; methods stand in classes alone. Operators and contexts of names are not visited."""

    def generic_visit(self, node: Any) -> Any:
        """The node with what the methods make of its parts."""
        parts = node.__dict__
        for name in node._fields:
            old = parts.get(name)
            if type(old) is list:
                old[:] = self._all(old)
            elif isinstance(old, _NODE) and old._fields:
                new = self.visit(old)
                if new is None:
                    delattr(node, name)
                elif new is not old:
                    setattr(node, name, new)
        return node

    def _all(self, nodes: list[Any]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, _NODE):
                node = self.visit(node)
                if node is None:
                    continue
                if not isinstance(node, _NODE):
                    found.extend(node)
                    continue
            found.append(node)
        return found


class Visitor(_Methods, gast.NodeVisitor):
    """`gast.NodeVisitor`; methods stand in classes alone. Operators and contexts of names are not visited."""

    def generic_visit(self, node: Any) -> Any:
        """Visits the parts of a node."""
        parts = node.__dict__
        for name in node._fields:
            part = parts.get(name)
            if type(part) is list:
                for each in part:
                    if isinstance(each, _NODE):
                        self.visit(each)
            elif isinstance(part, _NODE) and part._fields:
                self.visit(part)

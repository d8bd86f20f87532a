"""New code from quoted code, by templates whose placeholder names are replaced by trees; names that are still free.

Knows syntax only. Nodes of the template take the place (line and column) of the user's node they stand for; nodes
put in for a placeholder keep their own.
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Iterable
from typing import Any

import gast

from .trees import Transformer, copied_at

Replacement = Any  # str: another name; gast.expr; list of str (a tuple's elements, nonlocal's names) or of statements


def quote(template: str, at: gast.AST, **replacements: Replacement) -> list[Any]:
    """The statements of `template` with its placeholders replaced, placed at `at`.

    A placeholder is a name. Where it stands alone as a statement it may be replaced by a list of statements; inside
    a tuple display or after `nonlocal` or `global`, by a list.
    """
    return _Filler(replacements).visit(copied_at(_parse(template), at)).body


def quote_expression(template: str, at: gast.AST, **replacements: Replacement) -> Any:
    """The same for a template that is one expression."""
    (statement,) = quote(template, at, **replacements)
    return statement.value


@functools.lru_cache(maxsize=256)
def _parse(text: str) -> gast.Module:
    return gast.parse(textwrap.dedent(text))


class _Filler(Transformer):
    def __init__(self, replacements: dict[str, Replacement]):
        self._replacements = replacements

    def visit_Name(self, node: gast.Name) -> Any:
        new = self._replacements.get(node.id, node)
        if isinstance(new, str):
            node.id = new
            return node
        return new

    def visit_Expr(self, node: gast.Expr) -> Any:
        if isinstance(node.value, gast.Name) and isinstance(self._replacements.get(node.value.id), list):
            return self._replacements[node.value.id]
        return self.generic_visit(node)

    def visit_Tuple(self, node: gast.Tuple) -> Any:
        node.elts = [new for old in node.elts for new in self._elements(old, node)]
        return node

    def _elements(self, element: Any, near: gast.AST) -> list[Any]:
        filled = self.visit(element)
        if not isinstance(filled, list):
            return [filled]
        return [_name(e, near, element.ctx) if isinstance(e, str) else e for e in filled]

    def visit_FunctionDef(self, node: gast.FunctionDef) -> Any:
        node.name = self._replacements.get(node.name, node.name)
        return self.generic_visit(node)

    def _declaration(self, node: Any) -> Any:
        node.names = [new for old in node.names for new in self._names(old)]
        return node if node.names else None

    visit_Nonlocal = visit_Global = _declaration

    def _names(self, name: str) -> list[str]:
        new = self._replacements.get(name, name)
        return [new] if isinstance(new, str) else new


def _name(identifier: str, at: gast.AST, context: Any) -> Any:
    return gast.copy_location(gast.Name(id=identifier, ctx=context, annotation=None, type_comment=None), at)


def identifiers(tree: gast.AST) -> set[str]:
    """Every identifier that stands anywhere in the tree, in whatever role."""
    found: set[str] = set()
    for node in gast.walk(tree):
        for _, value in gast.iter_fields(node):
            values = value if isinstance(value, list) else [value]
            found.update(v for v in values if isinstance(v, str))
    return found


class Namer:
    """Hands out names that are not taken, and remembers what it gave."""

    def __init__(self, taken: Iterable[str] = ()):
        self._taken = set(taken)

    def new(self, stem: str) -> str:
        """`stem`, or `stem_1`, `stem_2`… when it is taken."""
        name, count = stem, 0
        while name in self._taken:
            count += 1
            name = f"{stem}_{count}"
        self._taken.add(name)
        return name

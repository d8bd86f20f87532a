"""Finding the reads of names that may have no value at that place.

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.activity import activity, scope_of
from ..pyct.cfg import Graph, Node
from ..pyct.trees import Visitor


def unbound_loads(graph: Graph, bound: dict[Node, set[str]], names: set[str]) -> set[Any]:
    """The Name nodes that read one of `names` where it is not surely bound."""
    found: set[Any] = set()
    for node in graph.nodes:
        finder = _Finder(names - bound[node])
        for code in node.code:
            finder.visit(code)
        found |= finder.found
    return found


class _Finder(Visitor):
    def __init__(self, names: set[str]):
        self._names = names
        self.found: set[Any] = set()

    def visit_Name(self, node: gast.Name) -> None:
        if isinstance(node.ctx, gast.Load) and node.id in self._names:
            self.found.add(node)

    def _function(self, node: Any) -> None:
        for part in (*getattr(node, "decorator_list", ()), node.args):
            self.visit(part)
        self._hiding(scope_of(node).local, node.body if isinstance(node.body, list) else [node.body])

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _function

    def _comprehension(self, node: Any) -> None:
        targets = activity([g.target for g in node.generators]).writes
        self._hiding(targets, list(gast.iter_child_nodes(node)))

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_ClassDef(self, node: gast.ClassDef) -> None:
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        self._hiding(activity(node.body).writes, node.body)

    def _hiding(self, names: set[str], nodes: list[Any]) -> None:
        inner = _Finder(self._names - names)
        for node in nodes:
            inner.visit(node)
        self.found |= inner.found

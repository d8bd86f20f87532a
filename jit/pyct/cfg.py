"""The control-flow graph of a function's body: which statement may run after which.

Errs on the safe side: an edge that cannot be taken is allowed, an edge that is missing is not. Statements under
`try` and `with` may stop half-way. A `for` loop may carry an expression in `node.guard`, tested before each
iteration. Knows statements and names, not what analyses make of them.
"""

from __future__ import annotations

from typing import Any

import gast

from .activity import Activity, activity


class Node:
    """A piece of code that runs as a whole: a simple statement, a test, a loop's target; or a mark, which is empty."""

    __slots__ = ("code", "activity", "successors", "predecessors")

    def __init__(self, code: list[Any], done: Activity):
        self.code = code
        self.activity = done
        self.successors: list[Node] = []
        self.predecessors: list[Node] = []


class Graph:
    """The nodes of a body, and where its compound statements begin, branch and end."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.tests: dict[Any, Node] = {}  # an if's or while's test, a for's decision to go on
        self.branches: dict[Any, list[Node]] = {}  # a mark at the start of each branch
        self.after: dict[Any, Node] = {}  # a mark behind the statement


def build(statements: list[Any]) -> Graph:
    """The graph of a function's body; the first node is its entry."""
    builder = _Builder()
    builder.mark()
    builder.visit_all(statements)
    return builder.graph


class _Builder(gast.NodeVisitor):
    def __init__(self) -> None:
        self.graph = Graph()
        self.ends: list[Node] = []  # the nodes that run into what comes next
        self.regions: list[list[Node]] = []  # nodes that may raise, for each `try` or `with` around
        self.loops: list[tuple[Node, list[Node]]] = []  # (where continue goes, the breaks)

    def add(self, *code: Any, deletes: frozenset[str] = frozenset()) -> Node:
        done = activity(code)
        done.deletes |= deletes
        node = Node([c for c in code if c is not None], done)
        self.graph.nodes.append(node)
        for end in self.ends:
            self.link(end, node)
        for region in self.regions:
            region.append(node)
        self.ends = [node]
        return node

    def mark(self) -> Node:
        return self.add()

    @staticmethod
    def link(source: Node, target: Node) -> None:
        source.successors.append(target)
        target.predecessors.append(source)

    def visit_all(self, statements: list[Any]) -> None:
        for statement in statements:
            self.visit(statement)

    def generic_visit(self, node: Any) -> None:
        self.add(node)

    def branch(self, statement: Any, body: list[Any], start: list[Node]) -> list[Node]:
        """Visits a branch that begins behind `start`, and returns its ends."""
        self.ends = start
        self.graph.branches.setdefault(statement, []).append(self.mark())
        self.visit_all(body)
        return self.ends

    def close(self, statement: Any, ends: list[Node]) -> None:
        self.ends = ends
        self.graph.after[statement] = self.mark()

    def jump(self, node: Any) -> Node:
        jump = self.add(node)
        self.ends = []
        return jump

    visit_Return = visit_Raise = jump

    def visit_Break(self, node: gast.Break) -> None:
        self.loops[-1][1].append(self.jump(node))

    def visit_Continue(self, node: gast.Continue) -> None:
        self.link(self.jump(node), self.loops[-1][0])

    def visit_If(self, node: gast.If) -> None:
        test = self.graph.tests[node] = self.add(node.test)
        ends = self.branch(node, node.body, [test])
        self.close(node, ends + self.branch(node, node.orelse, [test]))

    def visit_While(self, node: gast.While) -> None:
        self.loop(node, self.add(node.test), [])

    def visit_For(self, node: Any) -> None:
        self.add(node.iter)
        self.loop(node, self.add(getattr(node, "guard", None)), [node.target])

    visit_AsyncFor = visit_For

    def loop(self, node: Any, header: Node, targets: list[Any]) -> None:
        self.graph.tests[node] = header
        breaks: list[Node] = []
        self.loops.append((header, breaks))
        self.graph.branches[node] = [self.mark()]
        for target in targets:
            self.add(target)
        self.visit_all(node.body)
        for end in self.ends:
            self.link(end, header)
        self.loops.pop()
        self.close(node, self.branch(node, node.orelse, [header]) + breaks)

    def region(self, start: Node, statements: list[Any]) -> list[Node]:
        """Visits statements that may stop anywhere, and returns the nodes where they may."""
        stops = [start]
        self.regions.append(stops)
        self.visit_all(statements)
        self.regions.pop()
        return stops

    def visit_With(self, node: Any) -> None:
        start = self.add(*[part for item in node.items for part in (item.context_expr, item.optional_vars)])
        stops = self.region(start, node.body)
        self.close(node, self.ends + stops)  # a context manager may swallow what is raised

    visit_AsyncWith = visit_With

    def visit_Try(self, node: Any) -> None:
        anywhere = [self.mark()]
        self.regions.append(anywhere)
        stops = self.region(anywhere[0], node.body)
        self.visit_all(node.orelse)
        ends = list(self.ends)
        for handler in node.handlers:
            ends += self.handler(handler, stops)
        self.regions.pop()
        self.finish(node, ends, anywhere)

    visit_TryStar = visit_Try

    def handler(self, node: gast.ExceptHandler, stops: list[Node]) -> list[Node]:
        self.ends = list(stops)
        self.add(node.type, node.name)
        self.visit_all(node.body)
        if node.name is not None:
            self.add(deletes=frozenset([node.name.id]))
        return self.ends

    def finish(self, node: Any, ends: list[Node], anywhere: list[Node]) -> None:
        if not node.finalbody:
            return self.close(node, ends)
        self.ends = ends + anywhere
        self.visit_all(node.finalbody)
        for end in self.ends:  # a jump out of the try passes here too
            for target, breaks in self.loops:
                self.link(end, target)
                breaks.append(end)
        return self.close(node, self.ends)

    def visit_Match(self, node: gast.Match) -> None:
        before = self.add(node.subject)
        ends = []
        for case in node.cases:
            self.ends = [before]
            before = self.add(case.pattern, case.guard)
            self.visit_all(case.body)
            ends += self.ends
        self.close(node, [*ends, before])

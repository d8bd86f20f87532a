"""The backward walk that eager and static share: reverse accumulation over recorded applications.

A `Node` is one application of an operator. What leads from a value to where its gradient goes is an *edge*: the node
that made it (or an `Output` of the node, where it has several), or a `Leaf`. No edge (None) means no gradient.
Which form the gradients take (arrays, Tensors, Variables) is up to the trace the walk runs under.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..core.errors import GraphFreedError
from .operator import Operator

_sequence = itertools.count()
_order_of = operator.attrgetter("order")


class Leaf:
    """The end of the graph: a value that was not computed and wants a gradient.

    `cleared`: the gradient is zeros, which nobody has looked at: they are made when somebody does.
    """

    __slots__ = ("grad", "cleared", "hooks", "__weakref__")

    def __init__(self) -> None:
        self.grad: Any = None
        self.cleared = False
        self.hooks: dict[int, Callable] | None = None


class Node:
    """One application: its operator, where its inputs' gradients go, and what its gradient rule needs.

    `edges` has an entry a slot: an edge, None, or a list of these for a repeated slot. It refers to no output value,
    so that the graph lives exactly as long as the values that were computed last.
    """

    __slots__ = ("op", "attrs", "edges", "saved", "order", "hooks", "__weakref__")

    def __init__(self, op: Operator, attrs: dict[str, Any], edges: Sequence[Any], saved: tuple | None):
        self.op, self.attrs, self.edges, self.saved = op, attrs, edges, saved
        self.order = next(_sequence)
        self.hooks: dict[tuple[int, int | None], dict[int, Callable]] | None = None  # by result and position in it

    @property
    def is_single(self) -> bool:
        """True when the node itself is the edge of its only result."""
        return self.op.is_single

    def kept_arrays(self) -> list[Any]:
        """The values it saved that must not have been changed in place since."""
        arrays: list[Any] = []
        if not self.op.gradient or not self.saved:
            return arrays
        for index, *_ in self.op.gradient.values:
            value = self.saved[index]
            arrays.extend(value if isinstance(value, (list, tuple)) else [] if value is None else [value])
        return arrays

    def gradients(self, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        """The gradients of the input slots, from those of the results."""
        assert self.op.gradient is not None
        return self.op.gradient.run(gs, saved, self.attrs, self.edges)


class Output:
    """The edge of one result of a node with several; `position` counts in a repeated slot."""

    __slots__ = ("node", "index", "position")

    def __init__(self, node: Node, index: int, position: int | None = None):
        self.node, self.index, self.position = node, index, position

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Output) and (self.node, self.index, self.position) == (
            other.node, other.index, other.position)

    def __hash__(self) -> int:
        return hash((id(self.node), self.index, self.position))


Edge = Any  # Node | Output | Leaf


def edge_node(edge: Edge) -> Node | None:
    """The node an edge belongs to; None for a leaf."""
    if isinstance(edge, Output):
        return edge.node
    return edge if isinstance(edge, Node) else None


def _flat_edges(edges: Iterable[Any]) -> Iterable[Edge]:
    for edge in edges:
        if type(edge) is list:
            yield from (e for e in edge if e is not None)
        elif edge is not None:
            yield edge


def next_order() -> int:
    """A number that is larger than the order of every node so far, and smaller than that of any to come."""
    return next(_sequence)


def reachable_nodes(roots: Iterable[Edge], since: int = 0) -> list[Node]:
    """The nodes of an order of at least `since` that the roots were computed from, the last first."""
    stack = [node for node in map(edge_node, roots) if node is not None and node.order >= since]
    seen = set(stack)
    while stack:
        for edge in stack.pop().edges:
            kind = type(edge)
            if edge is None or kind is Leaf:
                continue
            for one in edge if kind is list else (edge,):
                node = one if kind is Node else edge_node(one)
                if node is not None and node not in seen and node.order >= since:
                    seen.add(node)
                    stack.append(node)
    return sorted(seen, key=_order_of, reverse=True)


def _leading_to(nodes: list[Node], targets: set[Edge]) -> list[Node]:
    """Those of the nodes through which a gradient flows to a target."""
    useful: set[Node] = set()
    for node in reversed(nodes):
        if any(edge in targets or edge_node(edge) in useful for edge in _flat_edges(node.edges)):
            useful.add(node)
    return [node for node in nodes if node in useful]


class Walk:
    """One backward pass. `run` gives the gradients of the leaves and of the targets, by edge.

    `read_saved(node)` turns what a node saved into values of the current trace; `retain` keeps it for another pass.
    The pass ends at nodes of an order below `since`, as it does at leaves.
    """

    def __init__(self, read_saved: Callable[[Node], tuple], retain: bool,
                 targets: Iterable[Edge] | None = None, since: int = 0):
        self.read_saved = read_saved
        self.retain = retain
        self.since = since
        self.targets = None if targets is None else set(targets)
        self.of_nodes: dict[Node, list[Edge]] = {}  # the targets that are results of nodes, not leaves
        for target in self.targets or ():
            node = edge_node(target)
            if node is not None:
                self.of_nodes.setdefault(node, []).append(target)
        self.pending: dict[Any, Any] = {}
        self.found: dict[Edge, Any] = {}

    def run(self, roots: Sequence[tuple[Edge, Any]]) -> dict[Edge, Any]:
        """Walks back from the roots, each an edge and the gradient it starts with."""
        for edge, gradient in roots:
            self._add(edge, gradient)
        nodes = reachable_nodes((edge for edge, _ in roots), self.since)
        if self.targets is not None:
            useful = set(_leading_to(nodes, self.targets))
            nodes = [node for node in nodes if node in useful or node in self.of_nodes]
        else:
            useful = None
        for node in nodes:
            gs = self._take(node) if node.hooks or node in self.of_nodes else self._pop(node)
            if gs is not None and (useful is None or node in useful):
                self._step(node, gs)
        if self.targets is not None:
            return {e: g for e, g in self.pending.items() if e in self.targets} | self.found
        return self.pending

    def _pop(self, node: Node) -> list[Any] | None:
        """The finished gradients of a node's results; None when none arrived."""
        gs = self.pending.pop(node, None)
        return gs if gs is None or not node.op.is_single else [gs]

    def _take(self, node: Node) -> list[Any] | None:
        """The finished gradients of a node's results, hooks applied; None when none arrived."""
        gs = self._pop(node)
        if gs is None:
            return None
        if node.hooks:
            for (index, position), hooks in node.hooks.items():
                if position is None:
                    gs[index] = run_hooks(hooks, gs[index]) if gs[index] is not None else None
                elif gs[index] is not None and position in gs[index]:
                    gs[index][position] = run_hooks(hooks, gs[index][position])
        self._keep_targets(node, gs)
        return gs

    def _keep_targets(self, node: Node, gs: list[Any]) -> None:
        for target in self.of_nodes.get(node, ()):
            index, position = (0, None) if target is node else (target.index, target.position)
            gradient = gs[index]
            if gradient is not None and position is not None:
                gradient = gradient.get(position)
            if gradient is not None:
                self.found[target] = gradient

    def _step(self, node: Node, gs: list[Any]) -> None:
        if node.saved is None:
            raise GraphFreedError(
                f"The backward pass reached {node.op.type!r}, whose saved values an earlier pass has freed. "
                f"Call that earlier pass with retain_graph=True."
            )
        gradients = node.gradients(gs, self.read_saved(node))
        if not self.retain:
            node.saved = None
        pending = self.pending
        for edge, gradient in zip(node.edges, gradients, strict=True):
            if edge is None or gradient is None:
                continue
            kind = type(edge)
            if kind is list:
                for one, part in zip(edge, gradient, strict=True):
                    if one is not None and part is not None:
                        self._add(one, part)
            elif kind is Output:
                self._add(edge, gradient)
            else:
                pending[edge] = pending[edge] + gradient if edge in pending else gradient

    def _add(self, edge: Edge, gradient: Any) -> None:
        pending = self.pending
        if type(edge) is not Output:
            pending[edge] = pending[edge] + gradient if edge in pending else gradient
            return
        gs = pending.get(edge.node)
        if gs is None:
            gs = pending[edge.node] = [None] * len(edge.node.op.results)
        if edge.position is None:
            gs[edge.index] = gradient if gs[edge.index] is None else gs[edge.index] + gradient
        else:
            parts = gs[edge.index] = gs[edge.index] or {}
            parts[edge.position] = parts[edge.position] + gradient if edge.position in parts else gradient


def run_hooks(hooks: dict[int, Callable], gradient: Any) -> Any:
    """The gradient after each hook; a hook that returns None leaves it as it is."""
    for hook in list(hooks.values()):
        replaced = hook(gradient)
        if replaced is not None:
            gradient = replaced
    return gradient

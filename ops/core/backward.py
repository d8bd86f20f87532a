"""The backward walk that eager and static share: reverse accumulation over recorded applications, node by node.

A `Node` is one application: of an operator (`operator_node.py`), of a PyLayer, of a recomputed function, of a converted
one. The walk knows no more of it than the base class says. What leads from a value to where its gradient goes is an
*edge*: the node that made it (or an `Output` of the node, where it has several), or a `Leaf`. No edge (None) means no
gradient. Which form the gradients take (arrays, Tensors, Variables) is up to the trace the walk runs under.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from ...backend import float_errors
from ...core.errors import GraphFreedError
from . import native

next_order: Callable[[], int] = itertools.count().__next__
"""A number that is larger than the order of every node so far, and smaller than that of any to come."""

_order_of = operator.attrgetter("order")
_first = operator.itemgetter(0)
Edge = Any  # Node | Output | Leaf


class Leaf:
    """The end of the graph: a value that was not computed and wants a gradient.

    `cleared`: the gradient is zeros, which nobody has looked at: they are made when somebody does. `hooks` may give
    another gradient in place of the one that a pass has found; `observers` are told when `grad` has what a pass adds.
    `trace` is that whose values `grad` and what observers compute are; None for leaves of Programs.
    """

    __slots__ = ("grad", "cleared", "hooks", "observers", "trace", "__weakref__")

    def __init__(self, trace: Any = None) -> None:
        self.trace = trace
        self.grad: Any = None
        self.cleared = False
        self.hooks: dict[int, Callable[[Any], Any]] | None = None
        self.observers: dict[int, Callable[[], Any]] | None = None

    next_functions: tuple[Any, ...] = ()

    def name(self) -> str:
        """What PaddlePaddle calls the end of the graph."""
        return "GradNodeAccumulation"


class Node:
    """One application: where its inputs' gradients go, and how they are made of those of its results.

    `edges` has an entry a slot: an edge, None, or a list of these for a repeated slot. It refers to no output value,
    so that the graph lives exactly as long as the values that were computed last. `saved` is what `gradients` needs,
    None once a pass has freed it. A subclass says what it is called, how many results it has, and what its gradients
    are.
    """

    __slots__ = ("edges", "saved", "order", "hooks", "__weakref__")

    is_single = False  # the node itself is the edge of its only result; of others, each result's is an `Output`
    flows_within = False  # whether results may have been computed from others within the node

    def __init__(self, edges: Sequence[Any], saved: tuple | None):
        self.edges, self.saved = edges, saved
        self.order = next_order()
        self.hooks: dict[tuple[int, int | None], dict[int, Callable]] | None = None  # by result and position in it

    @property
    def type(self) -> str:
        """What messages and profiles call it: an operator's type, a PyLayer's name."""
        raise NotImplementedError

    @property
    def count(self) -> int:
        """How many results it has, a repeated one counting once."""
        raise NotImplementedError

    def name(self) -> str:
        """What PaddlePaddle calls such a node: `MatmulGradNode` for an application of matmul_v2."""
        short = self.type.removeprefix("elementwise_").removeprefix("reduce_").removesuffix("_v2").rstrip("2")
        return "".join(part[:1].upper() + part[1:] for part in short.split("_")) + "GradNode"

    @property
    def next_functions(self) -> list[Node | Leaf]:
        """Where the gradients of its inputs go: to the nodes that made these, and to leaves."""
        return [edge_node(edge) or edge for edge in _flat_edges(self.edges)]

    def gradients(self, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        """The gradients of the input slots, from those of the results (None where nothing used one) and what it saved.

        Of a repeated result it is given a dict by position, and of a repeated slot it gives a list.
        """
        raise NotImplementedError

    def whole(self, index: int, gs: Sequence[Any], read_saved: Callable[[Node], tuple]) -> Any:
        """The gradient of a result: its own, unless others of the results were computed from it within the node."""
        return gs[index]

    def last_first(self, places: Iterable[tuple[int, int | None]]) -> Iterable[tuple[int, int | None]]:
        """The places of results, in an order in which none was computed from one before it."""
        return places

    def kept_arrays(self) -> Iterable[Any]:
        """The arrays it saved that must not have been changed in place since."""
        return ()

    def leaf_arrays(self) -> Iterable[Any]:
        """Those of them that are values of leaves."""
        return ()

    def connected(self, connect: Callable[[Any, Edge], Any]) -> tuple:
        """What it saved, each value as `connect(value, edge)` makes it one with a gradient, for a recorded pass."""
        assert self.saved is not None
        return self.saved


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


def edge_node(edge: Edge) -> Node | None:
    """The node an edge belongs to; None for a leaf."""
    if isinstance(edge, Output):
        return edge.node
    return edge if isinstance(edge, Node) else None


def _place(edge: Edge) -> tuple[int, int | None]:
    return (edge.index, edge.position) if type(edge) is Output else (0, None)


def _flat_edges(edges: Iterable[Any]) -> Iterable[Edge]:
    for edge in edges:
        if type(edge) is list:
            yield from (e for e in edge if e is not None)
        elif edge is not None:
            yield edge


def reachable_nodes(roots: Iterable[Edge], since: int = 0) -> list[Node]:
    """The nodes of an order of at least `since` that the roots were computed from, the last first."""
    return _reach(roots, since, {})


def _reach(roots: Iterable[Edge], since: int, watched: dict[Leaf, None]) -> list[Node]:
    """As `reachable_nodes`; the leaves there that have hooks or observers come to `watched`."""
    if native.module is not None:
        return sorted(native.module.reach(roots, since, watched), key=_order_of, reverse=True)
    stack: list[Node] = []
    seen: set[Node] = set()
    edges: Iterable[Any] = roots
    while True:
        for edge in edges:
            if edge is None:
                continue
            for one in edge if type(edge) is list else (edge,):
                kind = type(one)
                if kind is Leaf:
                    if one.hooks or one.observers:
                        watched[one] = None
                    continue
                node = one.node if kind is Output else one
                if node is not None and node not in seen and node.order >= since:
                    seen.add(node)
                    stack.append(node)
        if not stack:
            return sorted(seen, key=_order_of, reverse=True)
        edges = stack.pop().edges


def _leading_to(nodes: list[Node], targets: set[Edge]) -> list[Node]:
    """Those of the nodes through which a gradient flows to a target."""
    leading: list[Node] = []
    reached: set[Any] = set(targets)  # the targets, and the nodes that lead to them
    disjoint = reached.isdisjoint
    for node in reversed(nodes):
        edges = node.edges
        try:
            leads = not disjoint(edges)
        except TypeError:  # among them is the list of a repeated slot
            leads = not disjoint(_flat_edges(edges))
        if leads or _is_of(edges, reached):
            leading.append(node)
            reached.add(node)
    return leading[::-1]


def _is_of(edges: Iterable[Any], nodes: set[Any]) -> bool:
    """Whether one of several results of a node among these is among the edges."""
    for edge in edges:
        kind = type(edge)
        if kind is Output and edge.node in nodes or kind is list and _is_of(edge, nodes):
            return True
    return False


def total(gradient: Any, other: Any) -> Any:
    """The sum of two gradients."""
    told = float_errors.begin()
    try:
        return gradient + other
    finally:
        float_errors.end(told)


class Walk:
    """One backward pass. `run` gives the gradients of the leaves and of the targets, by edge.

    `read_saved(node)` turns what a node saved into values of the current trace; `retain` keeps it for another pass.
    The pass ends at nodes of an order below `since`, as it does at leaves. `finish(leaf, gradient)`, where it is given,
    gets the gradient of a leaf that has hooks or observers as soon as nothing more can be added to it, the last leaf
    that was used first; `run` does not give that one. Nothing goes on from the edges that are `blocked`.
    """

    def __init__(self, read_saved: Callable[[Node], tuple], retain: bool, targets: Iterable[Edge] | None = None,
                 since: int = 0, finish: Callable[[Leaf, Any], None] | None = None, blocked: Collection[Edge] = ()):
        self.read_saved = read_saved
        self.retain = retain
        self.since = since
        self.finish = finish
        self.blocked: dict[Node, list[tuple]] = {}  # the places of the results that are constants, by node
        self.targets: set[Edge] | None = None
        self.of_nodes: dict[Node, list[Edge]] = {}  # the targets that are results of nodes, not leaves
        self.pending: dict[Any, Any] = {}
        self.found: dict[Edge, Any] = {}
        if blocked or targets is not None:
            self._limit(blocked, targets)

    def _limit(self, blocked: Collection[Edge], targets: Iterable[Edge] | None) -> None:
        for edge in blocked:
            node = edge_node(edge)
            if node is not None:
                self.blocked.setdefault(node, []).append(_place(edge))
        self.targets = None if targets is None else set(targets)
        for target in self.targets or ():
            node = edge_node(target)
            if node is not None:
                self.of_nodes.setdefault(node, []).append(target)
        if self.targets and sum(map(len, self.of_nodes.values())) == len(self.targets):
            # No leaf among them: what was computed before the first of them leads to none.
            self.since = max(self.since, min(map(_order_of, self.of_nodes)))

    def run(self, roots: Sequence[tuple[Edge, Any]]) -> dict[Edge, Any]:
        """Walks back from the roots, each an edge and the gradient it starts with."""
        for edge, gradient in roots:
            self._add(edge, gradient)
        watched: dict[Leaf, None] = {}
        nodes = _reach(list(map(_first, roots)), self.since, watched)
        completed = self._completed(nodes, watched) if watched and self.finish is not None else None
        useful = None
        if self.targets is not None:
            useful = set(_leading_to(nodes, {*self.targets, *(node for node in self.of_nodes if node.flows_within)}))
            nodes = [node for node in nodes if node in useful or node in self.of_nodes]
        if completed is None and not self.blocked and type(self) is Walk and native.module is not None:
            native.module.walk(self, nodes, useful)
            nodes = []
        for node in nodes:
            self._visit(node, useful)
            if completed is not None and node in completed:
                self._finish(completed[node])
        if self.targets is not None:
            return {e: g for e, g in self.pending.items() if e in self.targets} | self.found
        return self.pending

    def _visit(self, node: Node, useful: set[Node] | None) -> None:
        """Goes on from a node to which all gradients have come."""
        is_plain = not (node.hooks or node in self.of_nodes or node in self.blocked)
        gs = self._pop(node) if is_plain else self._take(node)
        if gs is not None and (useful is None or node in useful):
            self._step(node, gs)

    def _completed(self, nodes: list[Node], watched: dict[Leaf, None]) -> dict[Node, list[Leaf]]:
        """By the last node that may add to their gradients, the watched leaves; finishes those to which none does."""
        completed: dict[Node, list[Leaf]] = {}
        for node in reversed(nodes):
            leaves = [edge for edge in _flat_edges(node.edges) if type(edge) is Leaf and edge in watched]
            if leaves:
                completed[node] = list(dict.fromkeys(reversed(leaves)))
                for leaf in completed[node]:
                    del watched[leaf]
        self._finish(watched)
        return completed

    def _finish(self, leaves: Iterable[Leaf]) -> None:
        assert self.finish is not None
        for leaf in leaves:
            gradient = self.pending.pop(leaf, None)
            if gradient is not None:
                self.finish(leaf, gradient)

    def _pop(self, node: Node) -> list[Any] | None:
        """The finished gradients of a node's results; None when none arrived."""
        gs = self.pending.pop(node, None)
        if gs is not None and node.is_single:
            gs = [gs]
        if gs is None or node not in self.blocked:
            return gs
        for index, position in self.blocked[node]:
            if position is None:
                gs[index] = None
            elif gs[index]:
                gs[index].pop(position, None)
        return gs if any(g is not None and (type(g) is not dict or g) for g in gs) else None

    def _take(self, node: Node) -> list[Any] | None:
        """The finished gradients of a node's results, hooks applied; None when none arrived."""
        gs = self._pop(node)
        if gs is None:
            return None
        targets = {_place(target): target for target in self.of_nodes.get(node, ())}
        blocked = self.blocked.get(node, ())
        for place in node.last_first({**(node.hooks or {}), **targets, **dict.fromkeys(blocked)}):
            found = self._finished(node, place, gs, place in blocked)
            if found is not None and place in targets:
                self.found[targets[place]] = found
        return gs

    def _finished(self, node: Node, place: tuple[int, int | None], gs: list[Any], is_constant: bool) -> Any:
        """The gradient of one result, its hooks applied, which `gs` then has; None where none arrived."""
        index, position = place
        hooks = (node.hooks or {}).get(place)
        if position is not None:
            parts = gs[index] or {}
            if hooks and position in parts:
                parts[position] = run_hooks(hooks, parts[position])
            return parts.get(position)
        own = gs[index]
        whole = node.whole(index, gs, self._saved)
        if is_constant:
            gs[index] = None if whole is own else -whole
            return None
        found = whole if whole is None or not hooks else run_hooks(hooks, whole)
        if whole is own:
            gs[index] = found
        elif found is not whole:  # what flows on from there within the node is `whole - own`
            rest = total(found, -whole)
            gs[index] = rest if own is None else total(rest, own)
        return found

    def _saved(self, node: Node) -> tuple:
        if node.saved is None:
            raise GraphFreedError(
                f"The backward pass reached {node.type!r}, whose saved values an earlier pass has freed. "
                f"Call that earlier pass with retain_graph=True."
            )
        return self.read_saved(node)

    def _step(self, node: Node, gs: list[Any]) -> None:
        gradients = self._gradients(node, gs)
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
                pending[edge] = total(pending[edge], gradient) if edge in pending else gradient

    def _gradients(self, node: Node, gs: list[Any]) -> Any:
        return node.gradients(gs, self._saved(node))

    def _add(self, edge: Edge, gradient: Any) -> None:
        pending = self.pending
        if type(edge) is not Output:
            pending[edge] = total(pending[edge], gradient) if edge in pending else gradient
            return
        gs = pending.get(edge.node)
        if gs is None:
            gs = pending[edge.node] = [None] * edge.node.count
        if edge.position is None:
            gs[edge.index] = gradient if gs[edge.index] is None else total(gs[edge.index], gradient)
        else:
            parts = gs[edge.index] = gs[edge.index] or {}
            parts[edge.position] = total(parts[edge.position], gradient) if edge.position in parts else gradient


def run_hooks(hooks: dict[int, Callable], gradient: Any) -> Any:
    """The gradient after each hook; a hook that returns None leaves it as it is."""
    for hook in list(hooks.values()):
        replaced = hook(gradient)
        if replaced is not None:
            gradient = replaced
    return gradient

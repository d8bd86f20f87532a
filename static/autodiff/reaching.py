"""Which values gradients reach: through a graph's edges, and through the rounds of a loop or the block of a branch.

A round takes a gradient to what it carries only where it comes from one that is asked for: an attribute that a branch
gives another value beside the result has none from the result.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import Any

from ...ops.core.backward import Leaf, Node, Output, edge_node

#: The edges to which the gradients of some results of a node go; None for all that it has.
Through = Callable[[Node, set[tuple[int, int | None]]], Iterable[Any] | None]


def reached_leaves(roots: Iterable[Any], through: Through) -> set[Leaf]:
    """The leaves to which gradients of these edges go."""
    return {edge for edge in reached_edges(roots, through) if isinstance(edge, Leaf)}


def reached_edges(roots: Iterable[Any], through: Through) -> set[Any]:
    """All edges to which gradients of these go, themselves included."""
    edges: set[Any] = set()
    results: dict[Node, set[tuple[int, int | None]]] = {}
    queue: list[tuple[int, Node]] = []
    _follow(roots, edges, results, queue)
    while queue:  # all that leads to a node has been followed before it
        _, node = heapq.heappop(queue)
        found = through(node, results.pop(node))
        _follow(node.edges if found is None else found, edges, results, queue)
    return edges


def _follow(edges: Iterable[Any], met: set[Any], results: dict[Node, set[tuple[int, int | None]]],
            queue: list[tuple[int, Node]]) -> None:
    for edge in edges:
        if isinstance(edge, (list, tuple)):
            _follow(edge, met, results, queue)
            continue
        if edge is not None:
            met.add(edge)
        if not isinstance(edge, Leaf) and (node := edge_node(edge)) is not None:
            if node not in results:
                results[node] = set()
                heapq.heappush(queue, (-node.order, node))
            results[node].add((edge.index, edge.position) if isinstance(edge, Output) else (0, None))

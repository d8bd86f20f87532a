"""Which names are live, which are surely bound, and which share their value, at each place of a function.

A name is live where its present value may still be read; it is surely bound where every way that leads there binds
it; it shares its value where another name, or a list or dict, may have been given that on some way there. Works on the
graph of cfg.py; knows nothing of what a caller does with the answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .cfg import Graph, Node


def live_names(graph: Graph, always: Iterable[str] = ()) -> dict[Node, set[str]]:
    """The names live before each node; those of `always` are live everywhere."""
    kept = set(always)
    live: dict[Node, set[str]] = {node: set(kept) for node in graph.nodes}
    pending = list(graph.nodes)
    while pending:
        node = pending.pop()
        new = (live_after(node, live) - node.activity.writes) | node.activity.reads | kept
        if new != live[node]:
            live[node] = new
            pending.extend(node.predecessors)
    return live


def live_after(node: Node, live: dict[Node, set[str]]) -> set[str]:
    """The names live behind a node."""
    return set().union(*(live[s] for s in node.successors))


def bound_names(graph: Graph, at_entry: Iterable[str], unbound: dict[Node, set[str]]) -> dict[Node, set[str]]:
    """The names surely bound before each node; `unbound` adds to what a node unbinds."""
    every: Any = set(at_entry).union(*(n.activity.writes for n in graph.nodes))
    bound = {node: set(every) for node in graph.nodes}
    bound[graph.nodes[0]] = set(at_entry)
    pending = list(graph.nodes)
    while pending:
        node = pending.pop(0)
        after = bound_after(node, bound) - unbound.get(node, set())
        for successor in node.successors:
            if not bound[successor] <= after:
                bound[successor] &= after
                pending.append(successor)
    return bound


def bound_after(node: Node, bound: dict[Node, set[str]]) -> set[str]:
    """The names surely bound behind a node."""
    return (bound[node] | node.activity.writes) - node.activity.deletes


def shared_names(graph: Graph, every: set[str]) -> dict[Node, set[str]]:
    """The names of `every` that may share their value before each node.

    A name that is bound to a new list or dict shares it with nobody. Those of which no node says where they come to
    share their value (a loop's own) do so everywhere.
    """
    anywhere = every.difference(*(node.activity.aliased for node in graph.nodes))
    shared = {node: set(anywhere) for node in graph.nodes}
    pending = list(graph.nodes)
    while pending:
        node = pending.pop(0)
        after = shared[node] - (node.activity.makes - anywhere) | node.activity.aliased & every
        for successor in node.successors:
            if not after <= shared[successor]:
                shared[successor] |= after
                pending.append(successor)
    return shared

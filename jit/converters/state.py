"""Which names each `if`, `while` and `for` of a function hands on: the state that staging it must know.

A name is handed on when the statement writes it and its value is still read: behind the statement (an output), or
in a branch before it is written there, or in the next turn of a loop. Names that functions capture, globals and
nonlocals are always read. Knows pyct alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast

from ..pyct.activity import Activity, Scope, activity, rebinding, scope_of
from ..pyct.cfg import Graph, Node, build
from ..pyct.flow import bound_after, bound_names, live_after, live_names, shared_names
from ..pyct.statements import any_contains, yields
from .expressions import can_wait, surely_plain
from .loads import unbound_loads
from .narrowing import is_note

_JUMPS = (gast.Return, gast.Break, gast.Continue)


@dataclass
class State:
    """What one statement hands on, and what each of its branches shares with the code around it."""

    outputs: list[str]  # names whose value behind the statement is read
    restored: list[str]  # names a branch changes that are read in a branch, but not behind it
    attributes: dict[str, Any]  # written `self.x`: always outputs
    shared: list[set[str]]  # for each branch, the names that are not its own
    held: list[str] = field(default_factory=list)  # names whose value someone else may hold too
    kept: list[str] = field(default_factory=list)  # names that a loop only looks at, and does not change
    unbound: set[str] = field(default_factory=set)  # those that may have no value yet before the statement

    @property
    def names(self) -> list[str]:
        """The variables, outputs first."""
        return self.outputs + self.restored


@dataclass
class Plan:
    """The states of a function's statements, and the reads that must be checked for names without a value."""

    scope: Scope
    states: dict[Any, State]
    checked: set[Any]  # Name nodes
    used: set[Any]  # those that are an error where the name is None, and it may be
    unbindable: set[str]  # names that may come to hold "no value"
    attributes: set[str]  # attributes that may, `self.x`


def convertible(statement: Any) -> bool:
    """Whether a statement is worth staging, and can be: no jump or `yield` leaves it, no test binds a name."""
    if yields(statement):
        return False
    if isinstance(statement, gast.If):
        return not surely_plain(statement.test) and not any_contains(statement.body + statement.orelse, _JUMPS)
    if isinstance(statement, gast.While) and not can_wait(statement.test):
        return False
    leaves = any_contains(statement.body, _JUMPS) or statement.orelse
    return isinstance(statement, (gast.For, gast.While)) and not leaves


def plan(function: Any) -> Plan:
    """Analyses a function whose jumps are lowered already."""
    scope = scope_of(function)
    done = activity(function.body)
    graph = build(function.body)
    always = done.captured | _recursive(graph, done, scope) | scope.globals | scope.nonlocals
    live = live_names(graph, always)
    changing = rebinding(function)
    others = scope.parameters | done.aliased | done.given
    shared = shared_names(graph, done.aliased)
    states = {s: _state(s, graph, live, changing, scope.local, others) for s in graph.tests if convertible(s)}
    own = _own_names(states, graph)
    bound = bound_names(graph, scope.parameters, own)
    maybe_none = _maybe_none(graph, scope.local - done.captured, scope.parameters, own)
    for statement, state in states.items():
        test = graph.tests[statement]
        within = (test.activity, *map(activity, _branches(statement)))
        held = (scope.parameters | shared[test]).union(*(each.aliased for each in within))
        state.held = sorted(text for text in held if text.partition("[")[0] in state.names)
        state.unbound = (set(state.names) & scope.local) - bound_after(graph.tests[statement], bound)
    unbindable = _unbindable(states, done)
    attributes = set().union(*(s.attributes for s in states.values()))
    checked = unbound_loads(graph, bound, unbindable)
    return Plan(scope, states, checked, maybe_none if states else set(), unbindable, attributes)


def _recursive(graph: Graph, done: Activity, scope: Scope) -> set[str]:
    """The functions that read their own name, where it may be another value's: what is called may read it at any time.

    One that is bound once has its own name for as long as it lives, wherever that is.
    """
    return {name for name in done.recursive
            if name in scope.parameters or sum(name in node.activity.writes for node in graph.nodes) > 1}


def _unbindable(states: dict[Any, State], done: Activity) -> set[str]:
    return done.deletes.union(*(s.unbound for s in states.values())) if states else set()


def _maybe_none(graph: Graph, names: set[str], at_entry: set[str], own: dict[Node, set[str]]) -> set[Any]:
    """The Name nodes that use a name set to None, which may be None still, as what None cannot be: `x + name`."""
    nones = {node: found for node in graph.nodes if (found := _set_to_none(node.code) & names)}
    if not nones:
        return set()
    every = set().union(*nones.values())
    bound = bound_names(graph, at_entry, {n: own.get(n, set()) | nones.get(n, set()) for n in graph.nodes})
    operands = {id(part) for node in graph.nodes for code in node.code for each in gast.walk(code)
                for part in _operands(each)}
    return {name for name in unbound_loads(graph, bound, every) if id(name) in operands}


def _set_to_none(code: list[Any]) -> set[str]:
    nones = (n for n in code
             if isinstance(n, gast.Assign) and isinstance(n.value, gast.Constant) and n.value.value is None)
    return {target.id for n in nones for target in n.targets if isinstance(target, gast.Name)}


def _operands(node: Any) -> list[Any]:
    """The parts of an expression that are an error where they are None."""
    if isinstance(node, gast.BinOp):
        return [node.left, node.right]
    if isinstance(node, (gast.Attribute, gast.Subscript)):
        return [node.value]
    return [node.operand] if isinstance(node, gast.UnaryOp) and not isinstance(node.op, gast.Not) else []


def _state(statement: Any, graph: Graph, live: dict[Node, set[str]], changing: dict[str, set[str]],
           local: set[str], aliased: set[str]) -> State:
    done = [activity(body) for body in _branches(statement)]
    writes = [(d.writes | d.deletes).union(*(changing[n] for n in d.reads & changing.keys())) for d in done]
    assigned = set().union(*writes)
    writes = [w | d.mutates & local for w, d in zip(writes, done, strict=True)]
    written = set().union(*writes)
    test, is_if = graph.tests[statement], isinstance(statement, gast.If)
    inside = live_after(test, live) if is_if else live[test]  # a loop's test is read again after each turn
    behind = live[graph.after[statement]] if is_if else inside
    changed = set().union(*(d.mutates for d in done)) & local & inside & aliased  # others may hold the same list
    outputs = sorted(written & behind | changed)
    restored = sorted(written & inside - behind - changed)
    attributes = {text: node for d in done for text, node in d.attributes.items() if text.split(".")[0] not in assigned}
    kept = [] if is_if else sorted(_only_narrowed(statement) - set().union(*(d.mutates | d.captured for d in done)))
    shared = [w & {*outputs, *restored} for w in writes]
    return State(outputs, restored, attributes, shared, kept=[name for name in kept if name in (*outputs, *restored)])


def _only_narrowed(loop: Any) -> set[str]:
    """The names to which a loop gives no other value than what they hold where they are not None (narrowing.py)."""
    nodes = [node for branch in _branches(loop) for statement in branch for node in gast.walk(statement)]
    notes = [node.targets[0] for node in nodes if isinstance(node, gast.Assign) and is_note(node)]
    if not notes:
        return set()
    own = set(map(id, notes))
    stored = {node.id for node in nodes if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load)
              and id(node) not in own}
    return {name.id for name in notes} - stored


def _branches(statement: Any) -> list[list[Any]]:
    if isinstance(statement, gast.For):
        return [[statement.target, *statement.body]]
    return [statement.body, statement.orelse] if isinstance(statement, gast.If) else [statement.body]


def _own_names(states: dict[Any, State], graph: Graph) -> dict[Node, set[str]]:
    """Names that a branch keeps to itself have no value where it begins, and none behind the statement."""
    own: dict[Node, set[str]] = {}
    for statement, state in states.items():
        bodies = zip(_branches(statement), state.shared, strict=True)
        writes = [activity(body).writes - shared for body, shared in bodies]
        own.update(zip(graph.branches[statement], writes, strict=False))
        own[graph.after[statement]] = set().union(*writes)
    return own

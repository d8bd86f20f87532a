"""What a piece of code does with names: which it reads, writes, deletes, and which functions made in it capture.

Knows Python's scoping rules; knows nothing of the order in which statements run (see cfg.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from .trees import Visitor

_MUTATORS = {"append", "extend", "insert", "pop", "remove", "clear", "reverse", "sort", "update", "setdefault",
             "popitem"}
RETURN_VALUE = "return_value__"  # with which names begin that hold what a function returns: it reads them no more
_MADE_HERE = (gast.List, gast.Dict, gast.Set, gast.Constant, gast.BinOp, gast.Compare, gast.ListComp, gast.DictComp)
_EXISTING = (gast.Name, gast.Attribute, gast.Subscript)  # expressions whose values others hold
FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)


@dataclass
class Activity:
    """The names of one function's scope that a piece of its code touches."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    deletes: set[str] = field(default_factory=set)
    captured: set[str] = field(default_factory=set)  # read or written by a function that may run at any later time
    recursive: set[str] = field(default_factory=set)  # functions that read their own name, which is captured as well
    walrus: set[str] = field(default_factory=set)  # the writes that `:=` does
    handlers: set[str] = field(default_factory=set)  # names bound by `except … as`, which Python deletes by itself
    mutates: set[str] = field(default_factory=set)  # lists and dicts, perhaps, that it changes in place
    aliased: set[str] = field(default_factory=set)  # names, and `d['k']`, whose value another holds too
    makes: set[str] = field(default_factory=set)  # names bound to a list or dict that is made there
    given: set[str] = field(default_factory=set)  # names bound to what somebody else may hold: of a call, a loop's item
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    attributes: dict[str, gast.Attribute] = field(default_factory=dict)  # written `a.b.c`, by its text


@dataclass(frozen=True)
class Scope:
    """The names of a function: those it binds, and those it declares to be someone else's."""

    parameters: set[str]
    local: set[str]
    globals: set[str]
    nonlocals: set[str]
    handlers: set[str]


def activity(code: gast.AST | Iterable[gast.AST | None]) -> Activity:
    """The activity of a node, or of several."""
    collector = _Collector()
    for node in [code] if isinstance(code, gast.AST) else code:
        if node is not None:
            collector.visit(node)
    return collector.found


def body_of(function: Any) -> list[Any]:
    """The body of a function as a list, a lambda's too."""
    return [function.body] if isinstance(function, gast.Lambda) else function.body


def parameters(function: Any) -> list[str]:
    """The names of a function's parameters, in order."""
    a = function.args
    named = [*a.posonlyargs, *a.args, *([a.vararg] if a.vararg else []), *a.kwonlyargs, *([a.kwarg] if a.kwarg else [])]
    return [p.id for p in named]


def scope_of(function: Any) -> Scope:
    """The names a function binds and declares."""
    done = activity(body_of(function))
    own = set(parameters(function))
    local = (own | done.writes | done.deletes) - done.globals - done.nonlocals
    return Scope(own, local, done.globals, done.nonlocals, done.handlers)


def free_names(function: Any) -> set[str]:
    """The names a function uses and does not bind itself."""
    done = activity(body_of(function))
    return (done.reads | done.captured | done.recursive | done.writes | done.deletes) - scope_of(function).local


def rebinding(function: Any) -> dict[str, set[str]]:
    """The functions defined anywhere in a function, by name, that change its variables when they are called."""
    inner = [n for s in body_of(function) for n in gast.walk(s) if isinstance(n, gast.FunctionDef)]
    scopes = {n.name: scope_of(n) for n in inner}
    calls = {n.name: activity(n.body).reads & scopes.keys() for n in inner}
    changed = {name: set(scope.nonlocals) for name, scope in scopes.items()}
    for _ in inner:  # one function may call another
        changed = {n: names.union(*(changed[c] for c in calls[n])) for n, names in changed.items()}
    return {name: names for name, names in changed.items() if names}


def changed_in_place(function: Any) -> set[str]:
    """The names of what a function, and those in it, change in place: `a.append(x)`, `a[0] = x`, `a += [x]`."""
    nodes = [node for each in body_of(function) for node in gast.walk(each)]
    targets = [node.target for node in nodes if isinstance(node, gast.AugAssign)]
    added = {target.id for target in targets if isinstance(target, gast.Name)}
    inner = [node for node in nodes if isinstance(node, FUNCTIONS)]
    return added.union(*(activity(body_of(each)).mutates for each in (function, *inner)))


def _taken_apart(target: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    """What is assigned to what: tuples on both sides item by item."""
    both = [getattr(side, "elts", ()) for side in (target, value)]
    if len(both[0]) == len(both[1]) > 0 and not any(isinstance(item, gast.Starred) for item in (*both[0], *both[1])):
        for pair in zip(*both, strict=True):
            yield from _taken_apart(*pair)
    else:
        yield target, value


def _ways(value: Any) -> Iterator[Any]:
    """The expressions of which a value is one: both of `a if test else b`, each of `a or b`, both of `(a := b)`."""
    if isinstance(value, gast.IfExp):
        yield from (*_ways(value.body), *_ways(value.orelse))
    elif isinstance(value, gast.BoolOp):
        yield from (way for each in value.values for way in _ways(each))
    elif isinstance(value, gast.NamedExpr):
        yield from (value.target, *_ways(value.value))
    elif isinstance(value, gast.Starred):
        yield from _ways(value.value)
    else:
        yield value


class _Collector(Visitor):
    def __init__(self) -> None:
        self.found = Activity()

    def visit_Name(self, node: gast.Name) -> None:
        if isinstance(node.ctx, gast.Load):
            self.found.reads.add(node.id)
        elif isinstance(node.ctx, gast.Del):
            self.found.deletes.add(node.id)
            self.found.reads.add(node.id)
        else:
            self.found.writes.add(node.id)

    def visit_Attribute(self, node: gast.Attribute) -> None:
        text = dotted(node)
        if text and not isinstance(node.ctx, gast.Load):
            self.found.attributes[text] = node
        self.visit(node.value)

    def visit_Assign(self, node: gast.Assign) -> None:
        if not all(isinstance(t, gast.Name) and t.id.startswith(RETURN_VALUE) for t in node.targets):
            self._hold(node.value)
        several = len(node.targets) > 1  # they are one object, a new one too
        for target, value in (pair for t in node.targets for pair in _taken_apart(t, node.value)):
            if isinstance(target, gast.Name) and (several or any(isinstance(v, _EXISTING) for v in _ways(value))):
                self.found.aliased.add(target.id)
            elif isinstance(target, gast.Name) and isinstance(value, (gast.List, gast.Dict)):
                self.found.makes.add(target.id)
        if isinstance(node.value, gast.Subscript) and isinstance(node.value.slice, gast.Constant):
            whole = dotted(node.value.value)
            if whole is not None and any(isinstance(t, gast.Name) for t in node.targets):
                self.found.aliased.add(f"{whole}[{node.value.slice.value!r}]")
        if not isinstance(node.value, _MADE_HERE):
            self.found.given |= {n.id for t in node.targets for n in gast.walk(t) if isinstance(n, gast.Name)
                                 and isinstance(n.ctx, gast.Store)}
        self.generic_visit(node)

    def _hold(self, value: gast.AST) -> None:
        """Another holds the names that a value may be, and those that are in the lists, tuples and dicts it makes."""
        for way in _ways(value):
            if isinstance(way, gast.Name):
                self.found.aliased.add(way.id)
            elif isinstance(way, gast.Attribute) and isinstance(way.value, gast.Name):  # `add = items.append`
                self.found.aliased.add(way.value.id)
            elif isinstance(way, gast.BinOp):  # `[items] * 2`
                self._hold_in_displays(way.left, way.right)
            for part in (*getattr(way, "elts", ()), *getattr(way, "values", ())):
                self._hold(part)

    def _hold_in_displays(self, *values: gast.AST) -> None:
        for value in values:
            if not isinstance(value, gast.Name):
                self._hold(value)

    def visit_For(self, node: gast.For) -> None:
        names = {n.id for n in gast.walk(node.target) if isinstance(n, gast.Name)}
        self.found.given |= names
        if not isinstance(node.iter, gast.Call):
            self.found.aliased |= names
        self.generic_visit(node)

    def visit_Subscript(self, node: gast.Subscript) -> None:
        if not isinstance(node.ctx, gast.Load):
            self._mutate(node.value)
        self.generic_visit(node)

    def visit_Call(self, node: gast.Call) -> None:
        if isinstance(node.func, gast.Attribute) and node.func.attr in _MUTATORS:
            self._mutate(node.func.value)
            for value in node.args:
                self._hold(value)
        self.generic_visit(node)

    def _mutate(self, node: gast.AST) -> None:
        """The variable in which `a`, `a[i]`, `a[i][j]`… is held."""
        while isinstance(node, gast.Subscript):
            node = node.value
        if isinstance(node, gast.Name):
            self.found.mutates.add(node.id)

    def visit_AugAssign(self, node: gast.AugAssign) -> None:
        if isinstance(node.target, gast.Name):
            self.found.reads.add(node.target.id)
        self._hold_in_displays(node.value)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: gast.NamedExpr) -> None:
        self.found.walrus.add(node.target.id)
        if any(isinstance(way, _EXISTING) for way in _ways(node.value)):
            self._hold(node)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: Any) -> None:
        self.found.writes.add(node.name)
        self._visit_all(node.decorator_list)
        self._function(node, node.name)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: gast.Lambda) -> None:
        self._function(node)

    def _function(self, node: Any, own: str = "") -> None:
        self._visit_all([*node.args.defaults, *node.args.kw_defaults, getattr(node, "returns", None)])
        self._visit_all([getattr(p, "annotation", None) for p in gast.walk(node.args) if isinstance(p, gast.Name)])
        free = free_names(node)
        self.found.recursive |= free & {own}
        self.found.captured |= free - {own}
        self.found.reads |= free - {own}

    def visit_ClassDef(self, node: gast.ClassDef) -> None:
        self.found.writes.add(node.name)
        self._visit_all([*node.decorator_list, *node.bases, *node.keywords])
        inner = activity(node.body)
        self.found.reads |= inner.reads
        self.found.captured |= inner.captured | inner.recursive  # of a method's name, the function's around the class

    def _comprehension(self, node: Any) -> None:
        self._hold(node.value if isinstance(node, gast.DictComp) else node.elt)
        self._hold_in_displays(*(each.iter for each in node.generators))
        inner = _Collector()
        inner.generic_visit(node)
        targets = inner.found.writes - inner.found.walrus
        self.found.reads |= inner.found.reads - targets
        self.found.captured |= inner.found.captured - targets
        self.found.writes |= inner.found.walrus
        self.found.walrus |= inner.found.walrus
        if isinstance(node, gast.GeneratorExp):  # runs later, and may never, but for what it goes over
            first, *others = node.generators
            later = _Collector()
            later._visit_all([node.elt, *first.ifs, *others])
            self.found.captured |= later.found.reads - targets

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_alias(self, node: gast.alias) -> None:
        self.found.writes.add(node.asname or node.name.split(".")[0])

    def visit_ExceptHandler(self, node: gast.ExceptHandler) -> None:
        if node.name is not None:
            self.found.handlers.add(node.name.id)
        self.generic_visit(node)

    def _pattern(self, node: Any) -> None:
        name = node.rest if isinstance(node, gast.MatchMapping) else node.name
        if name is not None:
            self.found.writes.add(name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = visit_MatchMapping = _pattern

    def visit_Global(self, node: gast.Global) -> None:
        self.found.globals |= set(node.names)

    def visit_Nonlocal(self, node: gast.Nonlocal) -> None:
        self.found.nonlocals |= set(node.names)

    def _visit_all(self, nodes: Iterable[gast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)


def dotted(node: gast.AST) -> str | None:
    """The text of `a.b.c`, or None when the node is anything else."""
    if isinstance(node, gast.Name):
        return node.id
    base = dotted(node.value) if isinstance(node, gast.Attribute) else None
    return f"{base}.{node.attr}" if base else None

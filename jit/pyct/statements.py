"""Blocks of statements: finding them, searching them for jumps, rewriting them.

Stays inside one function: the bodies of functions and classes defined in it are not entered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gast

LOOPS = (gast.For, gast.AsyncFor, gast.While)
SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)
_FRAME_READERS = {"locals", "vars", "dir", "eval", "exec"}
_OF_OBJECTS = {"vars", "dir"}  # given an object they look at that instead


def blocks(statement: Any) -> Iterator[tuple[Any, str]]:
    """Where the statement lists of a compound statement are: (node, field)."""
    if isinstance(statement, SCOPES):
        return
    for field in ("body", "orelse", "finalbody"):
        if isinstance(getattr(statement, field, None), list):
            yield statement, field
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part, "body"


def rewrite(node: Any, change: Callable[[Any], list[Any]]) -> None:
    """Replaces every statement of a function's body, innermost first, by what `change` makes of it."""
    node.body = _rewritten(node.body, change)


def _rewritten(statements: list[Any], change: Callable[[Any], list[Any]]) -> list[Any]:
    for statement in statements:
        for owner, field in blocks(statement):
            setattr(owner, field, _rewritten(getattr(owner, field), change))
    return [new for statement in statements for new in change(statement)]


def contains(statement: Any, kinds: tuple[type, ...], finals: bool = True) -> bool:
    """Whether one of the jumps `kinds` leaves the statement; a loop keeps its own break and continue.

    With `finals=False` those in `finally` are not counted.
    """
    if isinstance(statement, kinds):
        return True
    return any(contains(inner, _leaving(statement, field, kinds), finals)
               for owner, field in blocks(statement) if finals or field != "finalbody"
               for inner in getattr(owner, field))


def _leaving(statement: Any, field: str, kinds: tuple[type, ...]) -> tuple[type, ...]:
    if field == "body" and isinstance(statement, LOOPS):
        return tuple(k for k in kinds if k not in (gast.Break, gast.Continue))
    return kinds


def any_contains(statements: list[Any], kinds: tuple[type, ...], finals: bool = True) -> bool:
    """The same for a list."""
    return any(contains(s, kinds, finals) for s in statements)


def always_jumps(statements: list[Any]) -> bool:
    """Whether what follows the statements can never be reached (as far as can be seen easily)."""
    return any(isinstance(s, (gast.Return, gast.Raise, gast.Break, gast.Continue)) or _both_jump(s) for s in statements)


def _both_jump(statement: Any) -> bool:
    return isinstance(statement, gast.If) and always_jumps(statement.body) and always_jumps(statement.orelse)


def own_functions(node: Any) -> Iterator[Any]:
    """The functions defined with `def` directly in a function's body, at any depth of its statements."""
    for statement in node.body:
        if isinstance(statement, gast.FunctionDef):
            yield statement
        yield from _in_blocks(statement)


def _in_blocks(statement: Any) -> Iterator[Any]:
    for owner, field in blocks(statement):
        for inner in getattr(owner, field):
            if isinstance(inner, gast.FunctionDef):
                yield inner
            yield from _in_blocks(inner)


def is_generator(function: Any) -> bool:
    """Whether a function yields."""
    return any(yields(s) for s in function.body)


def yields(node: Any) -> bool:
    """Whether a `yield` or `await` stands in a piece of a function's own code."""
    if isinstance(node, (gast.Yield, gast.YieldFrom, gast.Await)):
        return True
    return not isinstance(node, SCOPES) and any(yields(c) for c in gast.iter_child_nodes(node))


def looks_at_its_names(function: Any) -> bool:
    """Whether a function calls what sees the names of its frame: its statements cannot move into other frames."""
    calls = (n for s in function.body for n in gast.walk(s)
             if isinstance(n, gast.Call) and isinstance(n.func, gast.Name))
    called = [call.func.id for call in calls if not (call.args and call.func.id in _OF_OBJECTS)]
    return not _FRAME_READERS.isdisjoint(called)


def split_docstring(statements: list[Any]) -> tuple[list[Any], list[Any]]:
    """A body's docstring, if it has one, and the rest."""
    first = statements[0] if statements else None
    is_text = isinstance(first, gast.Expr) and isinstance(first.value, gast.Constant) and type(first.value.value) is str
    return (statements[:1], statements[1:]) if is_text else ([], statements)

"""What `try` surrounds is watched, where a handler may catch an error that only a run of the program would raise.

    try: y = f(x)               try:
    except ValueError: …            with __proa__.attempt(lambda: (ValueError,)):
                                        y = f(x)
                                except ValueError: …

`with suppress(ValueError):` is such a `try` too; a handler that only raises an error itself needs none of it. Expects
jumps to be lowered, and control flow not to be. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.statements import rewrite
from ..pyct.templates import quote, quote_expression
from ..pyct.trees import copied
from .context import Context
from .expressions import can_wait

_TEMPLATE = """
with __proa__.attempt(lambda: kinds):
    body
"""


def convert(function: Any, _: Context) -> None:
    """Wraps the bodies of the function's statements that catch errors."""
    rewrite(function, _watched)


def _watched(statement: Any) -> list[Any]:
    if isinstance(statement, (gast.Try, gast.TryStar)) and statement.handlers:
        caught = [handler.type for handler in statement.handlers if not _fails_too(handler)]
        if caught:
            statement.body = _watched_body(statement, caught)
    elif isinstance(statement, gast.With):
        kinds = [kind for item in statement.items for kind in _suppressed(item.context_expr)]
        if kinds:
            statement.body = _watched_body(statement, kinds)
    return [statement]


def _fails_too(handler: Any) -> bool:
    """Whether a handler does nothing but raise another error: a run then fails by the first."""
    return all(isinstance(statement, gast.Raise) for statement in handler.body)


def _suppressed(manager: Any) -> list[Any]:
    """What `contextlib.suppress(ValueError)` names, however it is imported."""
    name = getattr(manager, "func", None)
    is_suppress = getattr(name, "id", None) == "suppress" or getattr(name, "attr", None) == "suppress"
    return list(manager.args) if is_suppress else []


def _watched_body(statement: Any, caught: list[Any]) -> list[Any]:
    return quote(_TEMPLATE, _first_line(statement), kinds=_kinds(statement, caught), body=statement.body)


def _first_line(statement: Any) -> Any:
    """A place in the statement's first line: errors name it, and Python names the last line of a call."""
    at = gast.copy_location(gast.Pass(), statement)
    at.end_lineno, at.end_col_offset = statement.lineno, statement.col_offset + len("try")
    return at


def _kinds(statement: Any, caught: list[Any]) -> Any:
    """A tuple of what is caught; BaseException for what is not named, or cannot be asked twice."""
    elements = [kind if kind is not None and can_wait(kind) else quote_expression("__proa__.everything", statement)
                for kind in caught]
    return gast.copy_location(gast.Tuple(elts=copied(elements), ctx=gast.Load()), statement)

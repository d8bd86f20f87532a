"""What `try` surrounds is watched, where a handler may catch an error that only a run of the program would raise.

    try: y = f(x)               try:
    except ValueError: …            with __proa__.attempt(lambda: (ValueError,)):
                                        y = f(x)
                                except ValueError: …

Expects jumps to be lowered, and control flow not to be. Knows pyct alone.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from ..pyct.statements import rewrite
from ..pyct.templates import quote, quote_expression
from .context import Context
from .plain import can_wait

_TEMPLATE = """
with __proa__.attempt(lambda: kinds):
    body
"""


def convert(function: Any, _: Context) -> None:
    """Wraps the bodies of the function's `try` statements that have handlers."""
    rewrite(function, _watched)


def _watched(statement: Any) -> list[Any]:
    if isinstance(statement, (gast.Try, gast.TryStar)) and statement.handlers:
        statement.body = quote(_TEMPLATE, _first_line(statement), kinds=_kinds(statement), body=statement.body)
    return [statement]


def _first_line(statement: Any) -> Any:
    """A place in the statement's first line: errors name it, and Python names the last line of a call."""
    at = gast.copy_location(gast.Pass(), statement)
    at.end_lineno, at.end_col_offset = statement.lineno, statement.col_offset + len("try")
    return at


def _kinds(statement: Any) -> Any:
    """A tuple of what the handlers name; of one that names nothing, or cannot be asked twice, BaseException."""
    elements = [handler.type if handler.type is not None and can_wait(handler.type) else
                quote_expression("__proa__.everything", handler) for handler in statement.handlers]
    return gast.copy_location(gast.Tuple(elts=copy.deepcopy(elements), ctx=gast.Load()), statement)

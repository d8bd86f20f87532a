"""Annotations of local variables go: a variable that control flow shares with inner functions may not have one.

Python does not evaluate them in functions, so nothing is lost. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.statements import rewrite
from ..pyct.templates import quote
from .context import Context


def convert(function: Any, _: Context) -> None:
    """Turns `x: int = 1` into `x = 1`; a bare `x: int` still makes x a name of the function's own."""
    rewrite(function, _bare)


def _bare(statement: Any) -> list[Any]:
    if not isinstance(statement, gast.AnnAssign) or not isinstance(statement.target, gast.Name):
        return [statement]
    if statement.value is None:
        return quote("if False: name = None", statement, name=statement.target)
    return quote("target = value", statement, target=statement.target, value=statement.value)

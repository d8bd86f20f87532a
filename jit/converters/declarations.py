"""`global` and `nonlocal` move to the top of their function: the statements they stand among will move.

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.statements import rewrite, split_docstring
from .context import Context


def convert(function: Any, _: Context) -> None:
    """Hoists the declarations of a function."""
    hoisted: list[Any] = []

    def take(statement: Any) -> list[Any]:
        if not isinstance(statement, (gast.Global, gast.Nonlocal)):
            return [statement]
        hoisted.append(statement)
        return []

    rewrite(function, _keeping_blocks_filled(take))
    docstring, rest = split_docstring(function.body)
    function.body = [*docstring, *hoisted, *rest] or hoisted


def _keeping_blocks_filled(take: Any) -> Any:
    def change(statement: Any) -> list[Any]:
        kept = take(statement)
        return kept or [gast.copy_location(gast.Pass(), statement)]

    return change

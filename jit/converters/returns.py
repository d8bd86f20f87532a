"""A function that returns from within `if`, `with` or a loop returns at its end alone.

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.activity import RETURN_VALUE
from ..pyct.statements import any_contains, split_docstring
from ..pyct.templates import quote, quote_expression
from .context import Context
from .jumps import Lowering


def convert(function: Any, context: Context) -> None:
    """Lowers the returns of a function, unless the only one is its last statement."""
    docstring, body = split_docstring(function.body)
    if not any_contains([s for s in body if not isinstance(s, gast.Return)], (gast.Return,), finals=False):
        return
    value = context.namer.new(RETURN_VALUE)
    lowering = Lowering((gast.Return,), lambda jump: _keep(jump, value), lambda: context.namer.new("did_return"))
    closed = lowering.close(body, quote("value = None", body[-1], value=value))
    flag = quote("flag = False", body[0], flag=lowering.flag) if lowering.flag else []
    function.body = [*docstring, *flag, *closed, *quote("return value", body[-1], value=value)]


def _keep(jump: gast.Return, value: str) -> list[Any]:
    returned = jump.value or quote_expression("None", jump)
    return quote("value = returned", jump, value=value, returned=returned)

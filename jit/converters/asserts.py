"""`assert` is also told to the program, where its test is a tensor not yet known.

The statement itself stays, so that what fails in plain Python fails in the user's own line. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.statements import rewrite
from ..pyct.templates import quote_expression
from .context import Context
from .expressions import can_wait

_TEMPLATE = "__proa__.assert_stmt(test, lambda: message)"


def convert(function: Any, _: Context) -> None:
    """Wraps the tests of the function's asserts."""
    rewrite(function, _wrapped)


def _wrapped(statement: Any) -> list[Any]:
    if isinstance(statement, gast.Assert):
        message = statement.msg if statement.msg and can_wait(statement.msg) else quote_expression("None", statement)
        statement.test = quote_expression(_TEMPLATE, statement.test, test=statement.test, message=message)
    return [statement]

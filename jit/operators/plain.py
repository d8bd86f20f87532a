"""Operators for what is left to Python: nothing to do, and tests that Python must be able to decide.

Knows what is symbolic, nothing else of staging.
"""

from __future__ import annotations

from typing import Any

from ..errors import ConversionError
from . import staging
from .where import here


def nothing(*_: Any) -> tuple[()]:
    """An empty branch; also the reader and writer of an empty state."""
    return ()


def plain(test: Any) -> Any:
    """A test that decides over a statement which cannot be staged; raises ConversionError if it is symbolic."""
    if staging.is_symbolic(test):
        raise ConversionError(
            here(), "a tensor decides here, but the statement cannot become part of a program: a `return`, `break` or "
            "`continue` leaves it from within `finally`, or a branch of it binds a name with `:=`.",
            "Move the jump out of `finally`, or give the name its value with `=` in a statement of its own.")
    return test

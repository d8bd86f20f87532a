"""`assert`: Python's own, unless its test is symbolic.

Knows no tensor; staging does the check.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import staging
from .where import here


def assert_stmt(test: Any, message: Callable[[], Any]) -> Any:
    """The test for Python's `assert`; a symbolic one is left to the program, and passes."""
    if not staging.is_symbolic(test):
        return test
    said = message()
    staging.check(test, None if said is None else str(said), here())
    return True

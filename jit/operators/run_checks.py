"""What is checked when the program runs: assertions, errors of the user's, values that a run may lack.

Within a block that a symbolic condition decides about, only where that holds.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from ...ops.core.trace import current_trace
from ...ops.program.print_assert import assert_value
from .staging import as_bool, is_symbolic, logical_not, logical_or, number


@contextlib.contextmanager
def only_where(condition: Any) -> Iterator[None]:
    """Within the block, what is checked when the program runs is checked only where a symbolic condition holds."""
    _conditions.held.append(as_bool(condition))
    try:
        yield
    finally:
        _conditions.held.pop()


def is_conditional() -> bool:
    """Whether what is checked now is checked in some runs only."""
    return bool(_conditions.held)


class _Conditions(threading.local):
    def __init__(self) -> None:
        self.held: list[Any] = []


_conditions = _Conditions()


def check(test: Any, message: str | None, where: str | None) -> None:
    """A run-time check that a symbolic test holds: an AssertionError with the message and the user's place."""
    said = message or "the assertion does not hold"
    for condition in _conditions.held:
        test = logical_or(logical_not(condition), test if is_symbolic(test) else number(test, "bool"))
    assert_value(test, message=said if where is None else f"{where}: {said}")


def check_or_raise(test: Any, error: Exception, where: str) -> None:
    """The same for an error of the user's: what runs the program raises that in place of the AssertionError."""
    said = f"{type(error).__name__}: {error}"
    check(test, said, where)
    current_trace().main.raised[f"{where}: {said}"] = error


def check_present(test: Any, message: str) -> None:
    """The same for what a run may lack, though the function as it was written might not ask for it."""
    check(test, message, None)
    current_trace().main.lacking.add(message)

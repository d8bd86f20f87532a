"""`assert`, `match`, and statements that are left to Python, whose tests Python must be able to decide.

Knows what is symbolic, nothing else of staging.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core import nest
from ..errors import ConversionError, here
from . import run_checks, staging
from .partial import Partial


def nothing(*_: Any) -> tuple[()]:
    """An empty branch; also the reader and writer of an empty state."""
    return ()


def plain(test: Any) -> Any:
    """A test that decides over a statement which cannot be staged; raises ConversionError if it is symbolic."""
    if staging.is_symbolic(test):
        raise ConversionError(
            here(), "a tensor decides here, but the statement cannot become part of a program: a `return`, `break` or "
            "`continue` leaves it from within `finally`, a `yield` stands in it, or a branch binds a name with `:=`.",
            "Move the jump out of `finally`, put what a generator yields into a list, or give the name its value with "
            "`=` in a statement of its own.")
    return test


def assert_stmt(test: Any, message: Callable[[], Any]) -> Any:
    """The test for Python's `assert`; a symbolic one is left to the program, and passes."""
    if not staging.is_symbolic(test):
        return test
    said = message()
    run_checks.check(test, None if said is None else str(said), here())
    return True


def subject(value: Any) -> Any:
    """What a `match` with numbers in its patterns looks at; ConversionError for a list with symbolic numbers."""
    if isinstance(value, (list, tuple)) and any(staging.is_symbolic(v) and not v.shape for v in value):
        raise ConversionError(
            here(), "this `match` compares numbers, such as sizes, that are known only when the program runs.",
            "Use `if`, which becomes part of the program, or sizes that are known (no None in the InputSpec).")
    return value


def subject_of_classes(value: Any) -> Any:
    """What a `match` with classes in its patterns looks at; ConversionError for what holds symbolic values."""
    if any(staging.is_symbolic(leaf) or type(leaf) is Partial for leaf in nest.leaves(value)):
        raise ConversionError(
            here(), "this `match` asks for the class of a tensor or a number, `case int():`, that is known only when "
            "the program runs.", "Use `if isinstance(…)`, or match what Python knows.")
    return value


def subject_of_sequences(value: Any) -> Any:
    """What a `match` with sequences in its patterns looks at; ConversionError for a list of the program."""
    if any(map(staging.is_list, nest.leaves(value))):
        raise ConversionError(
            here(), "this `match` asks for the length of a list that is known only when the program runs.",
            "Use `if len(…)`, which becomes part of the program.")
    return value

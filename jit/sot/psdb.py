"""`paddle.jit.sot.psdb`: what a function says of its own translation, for looking into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.core.trace import in_to_static_mode
from ..convert.ignoring import not_to_static
from ..errors import ConversionError, here


@not_to_static
def assert_true(condition: Any) -> None:
    """AssertionError unless the condition holds."""
    assert condition, "psdb.assert_true(condition): the condition does not hold."


@not_to_static
def breakgraph() -> None:
    """Ends a Program here. A function is one Program here or none: what calls this runs as it was written."""
    fallback()


@not_to_static
def fallback() -> None:
    """Has the function that calls this run as it was written."""
    if in_to_static_mode():
        raise ConversionError(here(), "psdb.fallback() asks for it.", "Leave it out to have the function converted.")


def check_no_breakgraph(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a function that becomes one Program. Whether it did, FallbackWarning says; the function is given back."""
    return fn


check_no_fallback = check_no_breakgraph


def in_sot() -> bool:
    """Whether the function that asks is being made into a Program."""
    return in_to_static_mode()

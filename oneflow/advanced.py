"""`flow.advanced`: a blob taken apart into one a device, and put together: on one device, lists of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .distribute import cast_to_current_logical_view

__all__ = ["cast_to_current_logical_view", "distribute_add", "distribute_clone", "distribute_concat", "distribute_map",
           "distribute_split"]


def distribute_clone(x: Any, name: str | None = None) -> tuple[Any, ...]:
    """The blob of each device: x alone."""
    return (x,)


def distribute_split(x: Any, axis: int = 0, name: str | None = None) -> tuple[Any, ...]:
    """The part of each device: x alone."""
    return (x,)


def distribute_add(xs: Sequence[Any], name: str | None = None) -> Any:
    """The sum of what the devices have: what the only one has."""
    return _only("distribute_add", xs)


def distribute_concat(xs: Sequence[Any], axis: int = 0, name: str | None = None) -> Any:
    """What the devices have, one behind the other: what the only one has."""
    return _only("distribute_concat", xs)


def distribute_map(xs: Any, f: Callable[..., Any], axis: int = 0) -> Any:
    """What `f` makes of the parts of each device, put together: what it makes of all."""
    return f(*xs) if isinstance(xs, (list, tuple)) else f(xs)


def _only(what: str, xs: Sequence[Any]) -> Any:
    if len(xs) != 1:
        raise ValueError(f"{what}(xs): there is one device, and must be one blob. Received {len(xs)}.")
    return xs[0]

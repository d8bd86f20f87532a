"""`flow.distribute`: how blobs are divided among devices. On one device, every way is the same."""

from __future__ import annotations

import contextlib
import threading
from typing import Any


class Distribute:
    """A way of dividing a blob."""


class BroadcastDistribute(Distribute):
    """Every device has all of it."""

    def __repr__(self) -> str:
        return "broadcast()"


class AutoDistribute(Distribute):
    """OneFlow chooses."""

    def __repr__(self) -> str:
        return "auto()"


class SplitDistribute(Distribute):
    """Every device has a part, along an axis."""

    def __init__(self, axis: int):
        self.axis = axis

    def __repr__(self) -> str:
        return f"split({self.axis})"


def split(axis: int) -> SplitDistribute:
    """Divided along an axis; TypeError for what is no int."""
    if not isinstance(axis, int):
        raise TypeError(f"distribute.split(axis): must be an int. Received {axis!r}.")
    return SplitDistribute(axis)


def broadcast() -> BroadcastDistribute:
    """The same on every device."""
    return BroadcastDistribute()


def auto() -> AutoDistribute:
    """As OneFlow chooses."""
    return AutoDistribute()


def assert_is_valid_distribute(distribute: Any) -> None:
    """Raises TypeError for what none of these functions gave."""
    if not isinstance(distribute, Distribute):
        raise TypeError("distribute: must be flow.distribute.split(axis), broadcast() or auto(). Received "
                        f"{distribute!r}.")


class _Views(threading.local):
    def __init__(self) -> None:
        self.mirrored = [False]


_views = _Views()


class _View(contextlib.AbstractContextManager[None]):
    """Within the block, blobs lie so."""

    is_mirrored = False

    def __enter__(self) -> None:
        _views.mirrored.append(self.is_mirrored)

    def __exit__(self, *error: object) -> None:
        _views.mirrored.pop()


class ConsistentView(_View):
    """Within the block all devices together hold a blob: on one device, each is whole."""


class MirroredView(_View):
    """Within the block each device has blobs of its own: on one device, it is as the other view."""

    is_mirrored = True


def mirrored_view_is_on() -> bool:
    """Whether the innermost view is the mirrored one."""
    return _views.mirrored[-1]


consistent_strategy, mirrored_strategy = ConsistentView, MirroredView


def mirrored_strategy_enabled() -> bool:
    """Whether the block around is one of `mirrored_strategy`."""
    return mirrored_view_is_on()


def consistent_strategy_enabled() -> bool:
    """Whether the block around is none of `mirrored_strategy`."""
    return not mirrored_view_is_on()


def parallel_cast(input: Any, name: str | None = None, distribute: Any = None, gradient_distribute: Any = None) -> Any:
    """The blob itself: on one device every way of dividing it is the same."""
    for given in (distribute, gradient_distribute):
        if given is not None:
            assert_is_valid_distribute(given)
    return input


def hierarchical_parallel_cast(input: Any, nd_sbp: Any, grad_mode: str | None = None, grad_nd_sbp: Any = None,
                               name: str | None = None) -> Any:
    """The blob itself, as `parallel_cast`."""
    return input


def cast_to_current_logical_view(x: Any) -> Any:
    """The blob itself, as `parallel_cast`."""
    return x

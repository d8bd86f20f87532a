"""What became of converted functions, for who asks: each Program that is made, and each call that has none.

Knows nothing of how either comes about.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

_listeners: list[Callable[[Account], None]] = []


@dataclass
class Account:
    """Of one function for arguments of one kind: its Program, or why it runs as it was written; or what happened."""

    function: Callable[..., Any]
    where: str
    arguments: dict[str, Any]
    program: Any = None  # the ConcreteProgram
    instead_of: list[str] = field(default_factory=list)  # what had changed since the Programs before were made
    reason: str | None = None
    event: str = ""  # "decorated", "called", "called within another" or "called as written" (to_static is switched off)


@contextlib.contextmanager
def accounts() -> Iterator[list[Account]]:
    """The accounts of what happens within the block, in order."""
    found: list[Account] = []
    _listeners.append(found.append)
    try:
        yield found
    finally:
        _listeners.remove(found.append)


def account(make: Callable[[], Account]) -> None:
    """Tells those who listen; `make` is called where there are any."""
    for listener in list(_listeners):
        listener(make())

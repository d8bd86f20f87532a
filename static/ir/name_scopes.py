"""Name scopes: paths that operations are given while Programs are built, as `/encoder/attention_1/`.

They are the attribute `op_namescope` of what is appended within; names of variables are not changed.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

ATTRIBUTE = "op_namescope"
OUTSIDE = "/"


class _Scope:
    """One scope, and how many of each prefix were opened in it: the second `s` of a scope is called `s_1`."""

    def __init__(self, path: str):
        self.path = path
        self.opened: dict[str, int] = {}

    def child(self, prefix: str) -> _Scope:
        count = self.opened.get(prefix, 0)
        self.opened[prefix] = count + 1
        return _Scope(f"{self.path}{prefix}{f'_{count}' if count else ''}/")


class _Current(threading.local):
    def __init__(self) -> None:
        self.scope = _Scope(OUTSIDE)


_current = _Current()


def current_path() -> str:
    """The path of this thread's scope; "/" outside of all."""
    return _current.scope.path


@contextlib.contextmanager
def scope(prefix: str) -> Iterator[None]:
    """Within the block operations are in a scope of this prefix, below the one around it."""
    if not prefix or not isinstance(prefix, str):
        raise ValueError(f"name_scope(prefix): must be a text that is not empty. Received {prefix!r}.")
    outer = _current.scope
    _current.scope = outer.child(prefix)
    try:
        yield
    finally:
        _current.scope = outer

"""Hooks by number, and the handle by which one is taken away again."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

_keys = itertools.count()


class HookHandle:
    """What registering a hook returns: `remove()` takes the hook away."""

    def __init__(self, hooks: dict[int, Callable], key: int):
        self._hooks, self._key = hooks, key

    def remove(self) -> bool:
        """Takes the hook away; False when it was gone already."""
        return self._hooks.pop(self._key, None) is not None


def check_hook(hook: Any) -> None:
    """TypeError for what cannot be called, where it is registered and not in the middle of a pass."""
    if not callable(hook):
        raise TypeError(f"a hook must be a function, or something else that can be called. Received {hook!r}.")


def add_hook(hooks: dict[int, Callable], hook: Callable) -> HookHandle:
    """Puts a hook behind those that are there already."""
    check_hook(hook)
    key = next(_keys)
    hooks[key] = hook
    return HookHandle(hooks, key)


class HookRemoveHelper(HookHandle):
    """A handle for a hook that is put under its number, `hooks[handle._hook_id] = hook`, by whoever makes it."""

    def __init__(self, hooks: dict[int, Callable]):
        super().__init__(hooks, next(_keys))

    @property
    def _hook_id(self) -> int:
        return self._key

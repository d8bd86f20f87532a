"""Functions that `jit.save` calls before it saves, as packages register them to note what is saved, and how."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_hooks: list[Callable[[Any, Any, dict[str, Any]], Any]] = []


class HookRemoveHelper:
    """What removes a function again."""

    def __init__(self, hook: Callable[..., Any]):
        self._hook = hook

    def remove(self) -> None:
        """Takes the function away; nothing where it is not registered."""
        _remove_save_pre_hook(self._hook)


def _register_save_pre_hook(hook: Callable[[Any, Any, dict[str, Any]], Any]) -> HookRemoveHelper:
    """Lets every `jit.save` call `hook(layer, input_spec, configs)` first; once, however often it is registered."""
    if hook not in _hooks:
        _hooks.append(hook)
    return HookRemoveHelper(hook)


def _remove_save_pre_hook(hook: Callable[..., Any]) -> None:
    if hook in _hooks:
        _hooks.remove(hook)


def _clear_save_pre_hooks() -> None:
    _hooks.clear()


def _run_save_pre_hooks(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of (layer, path, input_spec, …), calling these functions before."""
    @functools.wraps(function)
    def called(layer: Any, path: str, input_spec: Any = None, **configs: Any) -> Any:
        call_save_hooks(layer, input_spec, configs)
        return function(layer, path, input_spec, **configs)

    return called


def call_save_hooks(layer: Any, input_spec: Any, configs: dict[str, Any]) -> None:
    """Calls the functions in the order in which they were registered."""
    for hook in list(_hooks):
        hook(layer, input_spec, configs)

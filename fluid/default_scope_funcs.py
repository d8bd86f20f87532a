"""`fluid.default_scope_funcs`: a stack of scopes for each thread, and variables of the innermost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ..core.lazy import listed
from ..static.run.scope import Scope, ScopeVariable

__all__ = ["enter_local_scope", "find_var", "get_cur_scope", "leave_local_scope", "scoped_function", "var"]
__dir__ = listed(__name__)


class _Thread(threading.local):
    def __init__(self) -> None:
        self.scopes: list[Scope] = []


_thread = _Thread()


def get_cur_scope() -> Scope:
    """The innermost scope of this thread, made when there is none.

    >>> from proa.fluid.default_scope_funcs import find_var, get_cur_scope, scoped_function, var
    >>> made = var("x")
    >>> scoped_function(lambda: print(find_var("x") is made))
    True
    """
    if not _thread.scopes:
        _thread.scopes.append(Scope())
    return _thread.scopes[-1]


def enter_local_scope() -> None:
    """Begins a scope inside the innermost one."""
    _thread.scopes.append(get_cur_scope().new_scope())


def leave_local_scope() -> None:
    """Ends the innermost scope; IndexError where there is none."""
    _thread.scopes.pop()


def var(name: str) -> ScopeVariable:
    """The variable of this name, made in the innermost scope when no scope has it."""
    return get_cur_scope().var(name)


def find_var(name: str) -> ScopeVariable | None:
    """The variable of this name in the innermost scope or those around it, or None."""
    return get_cur_scope().find_var(name)


def scoped_function(func: Callable[[], Any]) -> None:
    """Calls a function in a scope of its own."""
    enter_local_scope()
    try:
        func()
    finally:
        leave_local_scope()

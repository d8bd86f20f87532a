"""`fluid.executor`: what runs Programs, and scopes."""

from __future__ import annotations

from typing import Any

from ..base.executor import as_numpy
from ..static.run.executor import Executor
from ..static.run.from_dataset import FetchHandler
from ..static.run.scope import Scope, global_scope, scope_guard


def _fetch_var(name: str, scope: Scope | None = None, return_numpy: bool = True) -> Any:
    """The value that a scope holds under a name; ValueError where it holds none."""
    found = (scope or global_scope()).find_var(name)
    if found is None or found.array is None:
        raise ValueError(f"_fetch_var(name): the scope holds no value of {name!r}. Only persistable variables are kept "
                         "behind a run; fetch others.")
    return as_numpy(found.get_tensor()) if return_numpy else found.get_tensor()


__all__ = ["Executor", "FetchHandler", "as_numpy", "global_scope", "scope_guard"]

"""`fluid.executor`: what runs Programs, and scopes."""

from ..static.run.executor import Executor
from ..static.run.scope import global_scope, scope_guard

__all__ = ["Executor", "global_scope", "scope_guard"]

"""`fluid.executor`: what runs Programs, and scopes."""

from ..static.run.executor import Executor
from ..static.run.from_dataset import FetchHandler
from ..static.run.scope import global_scope, scope_guard

__all__ = ["Executor", "FetchHandler", "global_scope", "scope_guard"]

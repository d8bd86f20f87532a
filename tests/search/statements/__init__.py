"""Statements of generated programs: control flow on tensors and on Python values, changes in place, state, gradients.

Each writes lines into a body and leaves new values in its scope; what a branch or a loop changes are names that were
there before it, which keep their shapes.
"""

from . import (
    branches,
    calls,
    containers,
    functions,
    gradients,
    held_state,
    in_place,
    in_place_methods,
    indexed,
    iterators,
    loops,
    python_forms,
    state,
    static_control,
    views,
)
from .registry import write

__all__ = ["write"]

"""Statements of generated programs: control flow on tensors and on Python values, changes in place, state, gradients.

Each writes lines into a body and leaves new values in its scope; what a branch or a loop changes are names that were
there before it, which keep their shapes.
"""

from . import branches, containers, functions, gradients, in_place, loops, state
from .registry import write

__all__ = ["write"]

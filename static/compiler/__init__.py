"""From a Program to a Python function: prune to what is asked for, then straight-line code over kernels."""

from typing import TYPE_CHECKING

from ...core.lazy import attach

if TYPE_CHECKING:
    from .compile import compile_plan
    from .plan import Plan
else:
    __getattr__, __dir__ = attach(__name__)

__all__ = ["Plan", "compile_plan"]

"""From a Program to a Python function: prune to what is asked for, then straight-line code over kernels."""

from .plan import Plan, compile_plan

__all__ = ["Plan", "compile_plan"]

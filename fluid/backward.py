"""`fluid.backward`: gradients of a Program, as operations."""

from ..static.backward import append_backward, gradients

__all__ = ["append_backward", "gradients"]

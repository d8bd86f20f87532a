"""`fluid.backward`: gradients of a Program, as operations."""

from ..core.lazy import listed
from ..static.backward import append_backward, gradients

__all__ = ["append_backward", "gradients"]
__dir__ = listed(__name__)

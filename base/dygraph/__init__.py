"""`paddle.base.dygraph`: eager mode by the path and with the names of older code."""

from . import base
from .base import enabled, grad, guard, no_grad, to_variable

__all__ = ["enabled", "grad", "guard", "no_grad", "to_variable"]

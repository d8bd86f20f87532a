"""`fluid.wrapped_decorator`: decorators that keep what a function says of itself."""

from ..base.wrapped_decorator import signature_safe_contextmanager, wrap_decorator
from ..core.lazy import listed

__all__ = ["signature_safe_contextmanager", "wrap_decorator"]
__dir__ = listed(__name__)

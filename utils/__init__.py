"""`paddle.utils`: names that do not repeat."""

from . import unique_name

__all__ = ["unique_name"]

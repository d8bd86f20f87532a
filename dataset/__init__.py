"""`paddle.dataset`: what is left of the older datasets, for code that takes helpers from there."""

from . import common

__all__ = ["common"]

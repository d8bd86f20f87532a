"""`paddle.dataset`: what is left of the older datasets, for code that takes helpers from there."""

from ..core.absent import asked_of
from . import common

__getattr__ = asked_of(__name__)
__all__ = ["common"]

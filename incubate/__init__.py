"""`paddle.incubate`: what there is of it re-exports what lives elsewhere."""

from . import distributed

__all__ = ["distributed"]

"""`paddle.incubate`: what there is of it re-exports what lives elsewhere."""

from . import autograd, distributed

__all__ = ["autograd", "distributed"]

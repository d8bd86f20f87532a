"""`paddle.static.nn.loss`: losses by Paddle's path."""

from .sampled import nce

__all__ = ["nce"]

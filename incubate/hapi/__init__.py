"""`paddle.incubate.hapi` as 1.8 has it: what later stands in `paddle.io` and `paddle.vision`."""

from . import distributed, vision

__all__ = ["distributed", "vision"]

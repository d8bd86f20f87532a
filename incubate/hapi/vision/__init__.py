"""`paddle.incubate.hapi.vision`."""

from . import transforms

__all__ = ["transforms"]

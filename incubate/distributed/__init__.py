"""`paddle.incubate.distributed`."""

from . import fleet

__all__ = ["fleet"]

"""Training on several devices and with little memory: what there is of `paddle.distributed`."""

from . import fleet

__all__ = ["fleet"]

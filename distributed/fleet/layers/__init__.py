"""`paddle.distributed.fleet.layers`: layers that are divided among processes."""

from . import mpu

__all__ = ["mpu"]

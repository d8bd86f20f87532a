"""What there is of `paddle.distributed.fleet`: recomputation, in `utils`."""

from . import utils

__all__ = ["utils"]

"""`paddle.distributed.fleet.utils`: recompute."""

from ..recomputation import recompute

__all__ = ["recompute"]

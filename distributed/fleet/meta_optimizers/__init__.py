"""`paddle.distributed.fleet.meta_optimizers`: optimizers around optimizers, for many processes."""

from . import dygraph_optimizer

__all__ = ["dygraph_optimizer"]

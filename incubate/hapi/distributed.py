"""`paddle.incubate.hapi.distributed`."""

from ...io import DistributedBatchSampler

__all__ = ["DistributedBatchSampler"]

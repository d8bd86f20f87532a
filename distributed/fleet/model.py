"""`paddle.distributed.fleet.model`: models for many processes."""

from .fleet import distributed_model
from .meta_parallel import PipelineParallel, SegmentParallel, ShardingParallel, TensorParallel

__all__ = ["PipelineParallel", "SegmentParallel", "ShardingParallel", "TensorParallel", "distributed_model"]

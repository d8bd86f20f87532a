"""`paddle.distributed.fleet.meta_parallel`: parts of models for many processes; for one they are whole."""

from ....core.absent import asked_of
from . import parallel_layers, sharding
from .parallel_layers import (
    ColumnParallelLinear,
    LayerDesc,
    ParallelCrossEntropy,
    PipelineLayer,
    RNGStatesTracker,
    RowParallelLinear,
    SharedLayerDesc,
    VocabParallelEmbedding,
    get_rng_state_tracker,
    model_parallel_random_seed,
)
from .wrappers import PipelineParallel, SegmentParallel, ShardingParallel, TensorParallel

__all__ = ["ColumnParallelLinear", "LayerDesc", "ParallelCrossEntropy", "PipelineLayer", "PipelineParallel",
           "RNGStatesTracker", "RowParallelLinear", "SegmentParallel", "ShardingParallel", "SharedLayerDesc",
           "TensorParallel", "VocabParallelEmbedding", "get_rng_state_tracker", "model_parallel_random_seed",
           "parallel_layers", "sharding"]
__getattr__ = asked_of(__name__)

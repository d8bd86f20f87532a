"""`paddle.distributed.fleet.meta_parallel.parallel_layers`: layers, and models as lists of layers."""

from ...layers.mpu.mp_layers import (
    ColumnParallelLinear,
    ParallelCrossEntropy,
    RowParallelLinear,
    VocabParallelEmbedding,
)
from ...layers.mpu.random import RNGStatesTracker, get_rng_state_tracker, model_parallel_random_seed
from . import mp_layers, pp_layers, random
from .pp_layers import LayerDesc, PipelineLayer, SharedLayerDesc

__all__ = ["ColumnParallelLinear", "LayerDesc", "ParallelCrossEntropy", "PipelineLayer", "RNGStatesTracker",
           "RowParallelLinear", "SharedLayerDesc", "VocabParallelEmbedding", "get_rng_state_tracker", "mp_layers",
           "model_parallel_random_seed", "pp_layers", "random"]

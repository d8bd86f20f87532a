"""`paddle.distributed.fleet.layers.mpu`: layers whose matrices are divided among processes; for one they are whole."""

from . import mp_ops
from .mp_layers import ColumnParallelLinear, ParallelCrossEntropy, RowParallelLinear, VocabParallelEmbedding
from .random import RNGStatesTracker, get_rng_state_tracker, model_parallel_random_seed

__all__ = ["ColumnParallelLinear", "ParallelCrossEntropy", "RNGStatesTracker", "RowParallelLinear",
           "VocabParallelEmbedding", "get_rng_state_tracker", "model_parallel_random_seed", "mp_ops"]

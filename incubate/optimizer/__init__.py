"""`paddle.incubate.optimizer`: optimizers around optimizers, L-BFGS where it was first, and `functional`."""

from ...core.absent import asked_of
from ...optimizer.gradient_merge import GradientMergeOptimizer
from ...optimizer.lbfgs import LBFGS
from ...optimizer.lookahead import LookAhead
from ...optimizer.model_average import ModelAverage
from . import functional
from .lars_momentum import LarsMomentumOptimizer
from .recompute import RecomputeOptimizer

__all__ = ["GradientMergeOptimizer", "LBFGS", "LarsMomentumOptimizer", "LookAhead", "ModelAverage",
           "RecomputeOptimizer"]
__getattr__ = asked_of(__name__)

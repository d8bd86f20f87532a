"""`paddle.incubate.optimizer`: optimizers around optimizers, L-BFGS where it was first, and `functional`."""

from ...optimizer.lbfgs import LBFGS
from ...optimizer.lookahead import LookAhead
from ...optimizer.model_average import ModelAverage
from . import functional

__all__ = ["LBFGS", "LookAhead", "ModelAverage", "functional"]

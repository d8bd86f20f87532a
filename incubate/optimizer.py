"""`paddle.incubate.optimizer`: optimizers around optimizers, and L-BFGS where it was first."""

from ..optimizer.lbfgs import LBFGS
from ..optimizer.lookahead import LookAhead
from ..optimizer.model_average import ModelAverage

__all__ = ["LBFGS", "LookAhead", "ModelAverage"]

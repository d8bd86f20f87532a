"""`paddle.incubate.optimizer`: optimizers around optimizers."""

from ..optimizer.lookahead import LookAhead
from ..optimizer.model_average import ModelAverage

__all__ = ["LookAhead", "ModelAverage"]

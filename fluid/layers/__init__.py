"""The layers of Paddle 1.x: functions that append operators to the default Program; under `dygraph.guard`, compute."""

from typing import TYPE_CHECKING

from ...core.lazy import attach

if TYPE_CHECKING:
    from . import io, nn
    from .io import data
    from .nn import bilinear_tensor_product, embedding, fc
else:
    __getattr__, __dir__ = attach(__name__)

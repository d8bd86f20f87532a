"""`fluid.contrib`: what others contributed to 1.x."""

from typing import TYPE_CHECKING

from ...core.lazy import attach

if TYPE_CHECKING:
    from . import layers, memory_usage_calc, mixed_precision, reader
    from .memory_usage_calc import memory_usage
    from .reader import distributed_batch_reader
else:
    __getattr__, __dir__ = attach(__name__)

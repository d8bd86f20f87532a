"""`fluid.contrib.mixed_precision.fp16_lists`: which operators take 16 bits."""

from ....static.amp.lists import AutoMixedPrecisionLists

__all__ = ["AutoMixedPrecisionLists"]

"""`fluid.contrib.mixed_precision`: mixed precision for a Program that is written."""

from . import decorator, fp16_lists, fp16_utils
from .decorator import decorate
from .fp16_lists import AutoMixedPrecisionLists

__all__ = ["AutoMixedPrecisionLists", "decorate", "decorator", "fp16_lists", "fp16_utils"]

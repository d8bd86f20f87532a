"""`fluid.contrib.mixed_precision.fp16_utils`: casting Programs, by 1.x's path."""

from ....static.amp.fp16_utils import cast_model_to_fp16, cast_parameters_to_fp16, fp16_guard
from .fp16_lists import AutoMixedPrecisionLists

__all__ = ["AutoMixedPrecisionLists", "cast_model_to_fp16", "cast_parameters_to_fp16", "fp16_guard"]

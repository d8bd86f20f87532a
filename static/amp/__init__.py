"""Mixed precision in Programs: an optimizer that casts its Program and scales the loss. `paddle.static.amp`."""

from .decorator import OptimizerWithMixedPrecision, decorate
from .lists import AutoMixedPrecisionLists, CustomOpLists
from .rewriting import cast_model_to_fp16, fp16_guard

__all__ = ["AutoMixedPrecisionLists", "CustomOpLists", "cast_model_to_fp16", "decorate", "fp16_guard"]

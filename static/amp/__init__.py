"""Mixed precision in Programs: an optimizer that casts its Program and scales the loss. `paddle.static.amp`."""

from . import amp_nn, bf16, debugging, fp16_lists, fp16_utils
from .decorator import OptimizerWithMixedPrecision, decorate
from .fp16_utils import cast_parameters_to_fp16
from .lists import AutoMixedPrecisionLists, CustomOpLists
from .rewriting import cast_model_to_fp16, fp16_guard

__all__ = ["AutoMixedPrecisionLists", "CustomOpLists", "amp_nn", "bf16", "cast_model_to_fp16",
           "cast_parameters_to_fp16", "debugging", "decorate", "fp16_guard", "fp16_lists", "fp16_utils"]

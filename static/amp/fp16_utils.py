"""`paddle.static.amp.fp16_utils`: casting Programs, by Paddle's path."""

from __future__ import annotations

from typing import Any

from .lists import AutoMixedPrecisionLists
from .rewriting import cast_model_to_fp16, fp16_guard


def cast_parameters_to_fp16(place: Any, program: Any, scope: Any = None, to_fp16_var_names: Any = None,
                            dest_type: Any = "float16", rewrite_master_weight: bool = False,
                            master_weights: Any = None) -> None:
    """Nothing: parameters stay in float32 here, are their own master weights, and are cast where they are used.

    >>> import proa as paddle
    >>> paddle.static.amp.cast_parameters_to_fp16(paddle.CPUPlace(), paddle.static.Program())
    """


__all__ = ["AutoMixedPrecisionLists", "cast_model_to_fp16", "cast_parameters_to_fp16", "fp16_guard"]

"""`paddle.static.amp.bf16`: mixed precision with bfloat16, by Paddle's path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...core.absent import asked_of
from ...core.dtype import bfloat16
from .decorator import decorate
from .fp16_utils import cast_parameters_to_fp16 as cast_parameters_to_bf16
from .lists import AutoMixedPrecisionLists
from .rewriting import cast_model_to_fp16
from .rewriting import fp16_guard as bf16_guard


class AutoMixedPrecisionListsBF16(AutoMixedPrecisionLists):
    """Which operators compute in bfloat16 and which in float32: the usual ones, changed.

    >>> import proa as paddle
    >>> lists = paddle.static.amp.bf16.AutoMixedPrecisionListsBF16(custom_fp32_list={"conv2d"})
    >>> "conv2d" in lists.fp32_list, "matmul_v2" in lists.bf16_list
    (True, True)
    """

    def __init__(self, custom_bf16_list: Iterable[str] | None = None, custom_fp32_list: Iterable[str] | None = None,
                 custom_fp32_varnames: Iterable[str] | None = None):
        super().__init__(custom_bf16_list, custom_fp32_list, custom_fp32_varnames, "bfloat16")

    @property
    def bf16_list(self) -> set[str]:
        """What computes in bfloat16."""
        return self.white_list

    @property
    def fp32_list(self) -> set[str]:
        """What computes in float32."""
        return self.black_list

    @property
    def fp32_varnames(self) -> frozenset[str]:
        """What reads or writes these variables computes in float32."""
        return self.black_varnames


def convert_float_to_uint16(in_list: Any) -> np.ndarray:
    """The bits of the numbers as bfloat16, as an array of uint16.

    >>> from proa.static.amp.bf16 import convert_float_to_uint16
    >>> hex(convert_float_to_uint16([1.0])[0])
    '0x3f80'
    """
    return np.asarray(in_list, "float32").astype(bfloat16.dtype).view(np.uint16)


def cast_model_to_bf16(program: Any, startup_prog: Any = None, amp_lists: AutoMixedPrecisionLists | None = None,
                       use_bf16_guard: bool = True) -> None:
    """Rewrites a Program so that its operators compute in bfloat16; see `cast_model_to_fp16`."""
    cast_model_to_fp16(program, amp_lists or AutoMixedPrecisionListsBF16(), use_bf16_guard, "bfloat16")


def rewrite_program_bf16(main_prog: Any, amp_lists: AutoMixedPrecisionLists | None = None) -> None:
    """Rewrites a Program so that the operators of the list `bf16_list` compute in bfloat16."""
    cast_model_to_fp16(main_prog, amp_lists or AutoMixedPrecisionListsBF16(), False, "bfloat16", "O1")


def decorate_bf16(optimizer: Any, amp_lists: AutoMixedPrecisionLists | None = None, use_pure_bf16: bool = False,
                  use_bf16_guard: bool | None = None) -> Any:
    """An optimizer whose `minimize` trains a Program in mixed precision with bfloat16; see `decorate`."""
    return decorate(optimizer, amp_lists or AutoMixedPrecisionListsBF16(), use_pure_fp16=use_pure_bf16,
                    use_fp16_guard=use_bf16_guard, use_bf16=True)


__all__ = ["AutoMixedPrecisionListsBF16", "bf16_guard", "cast_model_to_bf16", "cast_parameters_to_bf16",
           "convert_float_to_uint16", "decorate_bf16", "rewrite_program_bf16"]
__getattr__ = asked_of(__name__)

"""PTQConfig: what measures activations and weights."""

from __future__ import annotations

import copy
from typing import Any

from .ptq_quantizer import (
    SUPPORT_ACT_QUANTIZERS,
    SUPPORT_WT_QUANTIZERS,
    BaseQuantizer,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
)


class PTQConfig:
    """The quantizers of a layer: of its input, its result and its weight, each a copy.

    >>> import proa as paddle
    >>> from proa.quantization import AbsmaxQuantizer, PTQConfig
    >>> PTQConfig(AbsmaxQuantizer(), AbsmaxQuantizer(quant_bits=4)).wt_quantizer.quant_bits
    4
    """

    def __init__(self, activation_quantizer: BaseQuantizer, weight_quantizer: BaseQuantizer):
        for what, quantizer, kinds in (("activation_quantizer", activation_quantizer, SUPPORT_ACT_QUANTIZERS),
                                       ("weight_quantizer", weight_quantizer, SUPPORT_WT_QUANTIZERS)):
            if not isinstance(quantizer, tuple(kinds)):
                raise TypeError(f"PTQConfig({what}): must be one of {[kind.__name__ for kind in kinds]}, made. "
                                f"Received {quantizer!r}.")
        self.in_act_quantizer = copy.deepcopy(activation_quantizer)
        self.out_act_quantizer = copy.deepcopy(activation_quantizer)
        self.wt_quantizer = copy.deepcopy(weight_quantizer)
        self.enable_in_act_quantizer = False
        self.quant_hook_handle: Any = None


default_ptq_config = PTQConfig(KLQuantizer(), PerChannelAbsmaxQuantizer())

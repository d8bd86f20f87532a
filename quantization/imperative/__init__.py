"""Paddle 2.x's older way of quantizing: ImperativeQuantAware trains with rounding, ImperativePTQ measures.

Both write models for inference with fake quantization operators and the scales of what they give, as engines for whole
numbers read them. `paddle.quantization.QAT` and `PTQ` are the newer way.
"""

from . import fuse_utils, ptq, ptq_config, ptq_quantizer, ptq_registry, qat, utils
from .ptq import ImperativePTQ
from .ptq_config import PTQConfig, default_ptq_config
from .ptq_quantizer import (
    SUPPORT_ACT_QUANTIZERS,
    SUPPORT_WT_QUANTIZERS,
    AbsmaxQuantizer,
    BaseQuantizer,
    HistQuantizer,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
)
from .ptq_registry import PTQRegistry
from .qat import ImperativeQuantAware

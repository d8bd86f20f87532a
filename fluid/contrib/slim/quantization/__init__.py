"""`fluid.contrib.slim.quantization`: passes over an `IrGraph`, quantization by samples and of weights alone.

Packages of Paddle 2.0 to 2.4 import here, too, what quantizes networks that run eagerly.
"""

from typing import TYPE_CHECKING

from .....core.lazy import attach

if TYPE_CHECKING:
    from .....quantization.imperative import (
        SUPPORT_ACT_QUANTIZERS,
        SUPPORT_WT_QUANTIZERS,
        AbsmaxQuantizer,
        BaseQuantizer,
        HistQuantizer,
        ImperativePTQ,
        ImperativeQuantAware,
        KLQuantizer,
        PerChannelAbsmaxQuantizer,
        PTQConfig,
        PTQRegistry,
        default_ptq_config,
    )
    from .....static.quantization import (
        AddQuantDequantForInferencePass,
        AddQuantDequantPassV2,
        PostTrainingQuantizationProgram,
        QuantizationTransformPassV2,
        QuantWeightPass,
    )
    from . import imperative, mobile, post_training_quantization, quantization_pass
    from .post_training_quantization import PostTrainingQuantization, WeightQuantization
    from .quantization_pass import (
        AddQuantDequantPass,
        ConvertToInt8Pass,
        OutScaleForInferencePass,
        OutScaleForTrainingPass,
        QuantizationFreezePass,
        QuantizationTransformPass,
        TransformForMobilePass,
    )
else:
    __getattr__, __dir__ = attach(__name__)

"""`fluid.contrib.slim.quantization`: passes over an `IrGraph`, and quantization by samples and of weights alone."""

from typing import TYPE_CHECKING

from .....core.lazy import attach

if TYPE_CHECKING:
    from . import mobile, post_training_quantization, quantization_pass
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

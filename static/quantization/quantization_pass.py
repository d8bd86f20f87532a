"""The passes by the module that PaddlePaddle has them in, which PaddleSlim imports."""

from .inference_passes import (
    AddQuantDequantForInferencePass,
    ConvertToInt8Pass,
    OutScaleForInferencePass,
    QuantizationFreezePass,
    QuantWeightPass,
)
from .training_passes import (
    AddQuantDequantForResidual,
    AddQuantDequantPass,
    AddQuantDequantPassV2,
    OutScaleForTrainingPass,
    QuantizationTransformPass,
    QuantizationTransformPassV2,
)

__all__ = [
    "AddQuantDequantForInferencePass", "AddQuantDequantForResidual", "AddQuantDequantPass", "AddQuantDequantPassV2",
    "ConvertToInt8Pass", "OutScaleForInferencePass", "OutScaleForTrainingPass", "QuantWeightPass",
    "QuantizationFreezePass", "QuantizationTransformPass", "QuantizationTransformPassV2",
]

"""The passes by the module that PaddlePaddle has them in, which PaddleSlim imports."""

from .passes import (
    AddQuantDequantForInferencePass,
    AddQuantDequantForResidual,
    AddQuantDequantPass,
    AddQuantDequantPassV2,
    ConvertToInt8Pass,
    OutScaleForInferencePass,
    OutScaleForTrainingPass,
    QuantizationFreezePass,
    QuantizationTransformPass,
    QuantizationTransformPassV2,
    QuantWeightPass,
)

__all__ = [
    "AddQuantDequantForInferencePass", "AddQuantDequantForResidual", "AddQuantDequantPass", "AddQuantDequantPassV2",
    "ConvertToInt8Pass", "OutScaleForInferencePass", "OutScaleForTrainingPass", "QuantWeightPass",
    "QuantizationFreezePass", "QuantizationTransformPass", "QuantizationTransformPassV2",
]

"""Programs that compute with whole numbers: by samples, or trained so. The names of `paddle.static.quantization`."""

from . import post_training_quantization, quant_config, quanter, quantization_pass, utils
from .inference_passes import (
    AddQuantDequantForInferencePass,
    ConvertToInt8Pass,
    OutScaleForInferencePass,
    QuantizationFreezePass,
    QuantWeightPass,
)
from .post_training import PostTrainingQuantization, PostTrainingQuantizationProgram
from .quanter import convert, quant_aware
from .training_passes import (
    AddQuantDequantPass,
    AddQuantDequantPassV2,
    OutScaleForTrainingPass,
    QuantizationTransformPass,
    QuantizationTransformPassV2,
)
from .weights import WeightQuantization

__all__ = [
    "AddQuantDequantForInferencePass", "AddQuantDequantPass", "AddQuantDequantPassV2", "ConvertToInt8Pass",
    "OutScaleForInferencePass", "OutScaleForTrainingPass", "PostTrainingQuantization",
    "PostTrainingQuantizationProgram", "QuantWeightPass", "QuantizationFreezePass", "QuantizationTransformPass",
    "QuantizationTransformPassV2", "WeightQuantization", "convert", "quant_aware",
]

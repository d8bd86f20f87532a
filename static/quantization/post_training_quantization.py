"""Quantization by samples and of weights alone by the module that PaddlePaddle has it in."""

from .post_training import PostTrainingQuantization, PostTrainingQuantizationProgram
from .weights import WeightQuantization

__all__ = ["PostTrainingQuantization", "PostTrainingQuantizationProgram", "WeightQuantization"]

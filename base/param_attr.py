"""`paddle.base.param_attr`: what parameters are to be, by the path of older code."""

from ..core.param_attr import ParamAttr
from ..regularizer import WeightDecayRegularizer
from ..static.building.weight_norm import WeightNormParamAttr

__all__ = ["ParamAttr", "WeightDecayRegularizer", "WeightNormParamAttr"]

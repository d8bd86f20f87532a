"""`paddle.base.param_attr`: attributes of parameters by the path under which older code reaches them."""

from ..core.param_attr import ParamAttr
from ..static.building.weight_norm import WeightNormParamAttr

__all__ = ["ParamAttr", "WeightNormParamAttr"]

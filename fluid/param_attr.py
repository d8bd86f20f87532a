"""What a layer is told of a parameter that it makes, with the arguments of Paddle 1.x."""

from __future__ import annotations

from typing import Any

from ..core import param_attr as base
from ..core.lazy import listed
from ..static.building import weight_norm
from .later_names import later


class ParamAttr(base.ParamAttr):
    """As `paddle.ParamAttr`, with 1.x's order of arguments; `gradient_clip` clips the gradient of this parameter alone.

    >>> import proa.fluid as fluid
    >>> fluid.ParamAttr("w", learning_rate=0.5)
    ParamAttr(name='w', learning_rate=0.5, trainable=True)
    """

    def __init__(self, name: str | None = None, initializer: Any = None, learning_rate: float = 1.0,
                 regularizer: Any = None, trainable: bool = True, do_model_average: bool = True,
                 gradient_clip: Any = None):
        super().__init__(name, initializer, learning_rate, regularizer, trainable, do_model_average)
        self.gradient_clip = gradient_clip


class WeightNormParamAttr(weight_norm.WeightNormParamAttr):
    """As `paddle.static.WeightNormParamAttr`, with 1.x's arguments."""

    def __init__(self, dim: int | None = None, name: str | None = None, initializer: Any = None,
                 learning_rate: float = 1.0, regularizer: Any = None, trainable: bool = True,
                 do_model_average: bool = False, gradient_clip: Any = None):
        super().__init__(dim, name, initializer, learning_rate, regularizer, trainable, do_model_average)
        self.gradient_clip = gradient_clip


__all__ = ["ParamAttr", "WeightNormParamAttr"]
__dir__ = listed(__name__)
__getattr__ = later(__name__)

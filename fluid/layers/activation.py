"""Activations with parameters, and softmax."""

from __future__ import annotations

from typing import Any

from ...core.dtype import convert_dtype
from ..initializer import Constant
from ..layer_helper import LayerHelper
from ..mode import face


@face
def softmax(input: Any, use_cudnn: bool = False, name: str | None = None, axis: int = -1) -> Any:
    """exp(x) over its sum along an axis.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.softmax(fluid.data("x", [None, 4])).shape
    (-1, 4)
    """
    return LayerHelper("softmax", name=name).apply("softmax", input, axis=axis)


@face
def log_softmax(input: Any, axis: int | None = None, dtype: Any = None, name: str | None = None) -> Any:
    """log(softmax(x)), in another dtype where that is asked for."""
    helper = LayerHelper("log_softmax", name=name)
    if dtype is not None:
        input = helper.apply("cast", input, in_dtype=input.dtype, out_dtype=convert_dtype(dtype))
    return helper.apply("log_softmax", input, axis=-1 if axis is None else axis)




@face
def elu(x: Any, alpha: float = 1.0, name: str | None = None) -> Any:
    """x above 0, else alpha * (exp(x) - 1)."""
    return LayerHelper("elu", name=name).apply("elu", x, alpha=alpha)


@face
def relu6(x: Any, threshold: float = 6.0, name: str | None = None) -> Any:
    """x between 0 and the threshold."""
    return LayerHelper("relu6", name=name).apply("relu6", x, threshold=threshold)


@face
def selu(x: Any, scale: float | None = None, alpha: float | None = None, name: str | None = None) -> Any:
    """scale * x above 0, else scale * alpha * (exp(x) - 1) (Klambauer et al., 2017)."""
    attrs = {key: value for key, value in (("scale", scale), ("alpha", alpha)) if value is not None}
    return LayerHelper("selu", name=name).apply("selu", x, **attrs)


@face
def stanh(x: Any, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None) -> Any:
    """scale_b * tanh(scale_a * x)."""
    return LayerHelper("stanh", name=name).apply("stanh", x, scale_a=scale_a, scale_b=scale_b)


@face
def hard_sigmoid(x: Any, slope: float = 0.2, offset: float = 0.5, name: str | None = None) -> Any:
    """slope * x + offset between 0 and 1."""
    return LayerHelper("hard_sigmoid", name=name).apply("hard_sigmoid", x, slope=slope, offset=offset)


@face
def swish(x: Any, beta: float = 1.0, name: str | None = None) -> Any:
    """x * sigmoid(beta * x)."""
    return LayerHelper("swish", name=name).apply("swish", x, beta=beta)


@face
def hard_swish(x: Any, threshold: float = 6.0, scale: float = 6.0, offset: float = 3.0,
               name: str | None = None) -> Any:
    """x * (x + offset, between 0 and the threshold) / scale."""
    return LayerHelper("hard_swish", name=name).apply("hard_swish", x, threshold=threshold, scale=scale,
                                                      offset=offset)


@face
def mish(x: Any, threshold: float = 20, name: str | None = None) -> Any:
    """x * tanh(softplus(x))."""
    return LayerHelper("mish", name=name).apply("mish", x, threshold=float(threshold))


@face
def brelu(x: Any, t_min: float = 0.0, t_max: float = 24.0, name: str | None = None) -> Any:
    """x between t_min and t_max."""
    return LayerHelper("brelu", name=name).apply("brelu", x, t_min=t_min, t_max=t_max)


@face
def leaky_relu(x: Any, alpha: float = 0.02, name: str | None = None) -> Any:
    """x above 0, else alpha * x."""
    return LayerHelper("leaky_relu", name=name).apply("leaky_relu", x, alpha=alpha)


@face
def soft_relu(x: Any, threshold: float = 40.0, name: str | None = None) -> Any:
    """log(1 + exp(x)), x being brought between -threshold and threshold."""
    return LayerHelper("soft_relu", name=name).apply("soft_relu", x, threshold=threshold)


@face
def prelu(x: Any, mode: str, param_attr: Any = None, name: str | None = None) -> Any:
    """x above 0, else a trained factor times x: one factor for "all", each "channel" or each "element"."""
    shapes = {"all": [1], "channel": [1, *x.shape[1:2], 1, 1], "element": [1, *x.shape[1:]]}
    if mode not in shapes:
        raise ValueError(f"prelu(mode): must be one of {', '.join(shapes)}. Received {mode!r}.")
    helper = LayerHelper("prelu", name=name)
    alpha = helper.parameter(param_attr, shapes[mode], "float32", default_initializer=Constant(0.25))
    return helper.apply("prelu", x, alpha, mode=mode)


@face
def maxout(x: Any, groups: int, name: str | None = None, axis: int = 1) -> Any:
    """The largest of each `groups` neighbouring channels."""
    return LayerHelper("maxout", name=name).apply("maxout", x, groups=groups, axis=3 if axis == -1 else axis)


__all__ = ["brelu", "elu", "hard_sigmoid", "hard_swish", "leaky_relu", "log_softmax", "maxout", "mish", "prelu",
           "relu6", "selu", "soft_relu", "softmax", "stanh", "swish"]

"""`fluid.layers.ops`: functions of one operand, each applied by the operator of its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..layer_helper import LayerHelper
from ..mode import face
from .random import uniform_random


def _unary(type: str) -> Callable[..., Any]:
    def layer(x: Any, name: str | None = None) -> Any:
        return LayerHelper(type, name=name).apply(type, x)

    layer.__name__ = layer.__qualname__ = type
    layer.__doc__ = f"The operator `{type}` on x."
    return face(layer)


sigmoid, logsigmoid, exp, tanh, atan = map(_unary, ("sigmoid", "logsigmoid", "exp", "tanh", "atan"))
tanh_shrink, sqrt, rsqrt, abs, ceil = map(_unary, ("tanh_shrink", "sqrt", "rsqrt", "abs", "ceil"))
floor, cos, acos, asin, sin = map(_unary, ("floor", "cos", "acos", "asin", "sin"))
round, reciprocal, square, softplus, softsign = map(_unary, ("round", "reciprocal", "square", "softplus", "softsign"))
relu, log, sign, erf, log1p = map(_unary, ("relu", "log", "sign", "erf", "log1p"))


def _given(**attributes: Any) -> dict[str, Any]:
    """Attributes that were given, the others being the operator's own."""
    return {name: value for name, value in attributes.items() if value is not None}


@face
def softshrink(x: Any, alpha: float | None = None) -> Any:
    """x moved towards 0 by alpha (0.5)."""
    return LayerHelper("softshrink").apply("softshrink", x, **_given(**{"lambda": alpha}))


@face
def hard_shrink(x: Any, threshold: float | None = None) -> Any:
    """x, or 0 where it is within the threshold (0.5) of 0."""
    return LayerHelper("hard_shrink").apply("hard_shrink", x, **_given(threshold=threshold))


@face
def thresholded_relu(x: Any, threshold: float | None = None) -> Any:
    """x, or 0 where it is not above the threshold (1)."""
    return LayerHelper("thresholded_relu").apply("thresholded_relu", x, **_given(threshold=threshold))


@face
def cumsum(x: Any, axis: int | None = None, exclusive: bool | None = None, reverse: bool | None = None) -> Any:
    """Sums of the elements up to each, along an axis, by default the last one."""
    return LayerHelper("cumsum").apply("cumsum", x, **_given(axis=axis, exclusive=exclusive, reverse=reverse))


@face
def gelu(x: Any, approximate: bool = False) -> Any:
    """x times the probability that a standard normal value is below it."""
    return LayerHelper("gelu").apply("gelu", x, approximate=approximate)


__all__ = ["abs", "acos", "asin", "atan", "ceil", "cos", "cumsum", "erf", "exp", "floor", "gelu", "hard_shrink", "log",
           "log1p", "logsigmoid", "reciprocal", "relu", "round", "rsqrt", "sigmoid", "sign", "sin", "softplus",
           "softshrink", "softsign", "sqrt", "square", "tanh", "tanh_shrink", "thresholded_relu", "uniform_random"]

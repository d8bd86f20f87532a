"""Initializers scaled by how many inputs and outputs meet in a unit: Xavier and Kaiming."""

from __future__ import annotations

import math
from typing import Any

from ...ops.random.default_initial_values import fans
from ...ops.random.sampling import gaussian, uniform
from .initializer import Initializer, sizes

_GAINS = {"sigmoid": 1.0, "linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "conv3d": 1.0, "conv_transpose1d": 1.0,
          "conv_transpose2d": 1.0, "conv_transpose3d": 1.0, "conv1d_transpose": 1.0, "conv2d_transpose": 1.0,
          "conv3d_transpose": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that keeps a signal's variance through a nonlinearity; `param` is the slope of 'leaky_relu'.

    >>> import proa as paddle
    >>> paddle.nn.initializer.calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else float(param)) ** 2))
    if nonlinearity not in _GAINS:
        known = ", ".join(sorted([*_GAINS, "leaky_relu"]))
        raise ValueError(f"calculate_gain: one of {known}. Received {nonlinearity!r}.")
    return _GAINS[nonlinearity]


class _Scaled(Initializer):
    """Zero-centred with a variance that depends on the shape."""

    is_uniform = False

    def variance(self, shape: tuple[int, ...]) -> float:
        """The variance of an element."""
        raise NotImplementedError

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        if self.is_uniform:
            limit = math.sqrt(3.0 * self.variance(shape))
            return uniform(sizes(shape), dtype, -limit, limit, self.seed)
        return gaussian(sizes(shape), 0.0, math.sqrt(self.variance(shape)), self.seed, dtype)


class XavierNormal(_Scaled):
    """Normal with variance gain² · 2 / (fan_in + fan_out) (Glorot and Bengio, 2010).

    >>> import proa as paddle
    >>> start = paddle.nn.initializer.XavierNormal()
    >>> w = paddle.nn.Linear(20, 40, weight_attr=start).weight
    >>> w.shape
    [20, 40]
    """

    def __init__(self, fan_in: float | None = None, fan_out: float | None = None,
                 name: str | None = None, *, gain: float = 1.0):
        self.fan_in, self.fan_out, self.gain = fan_in, fan_out, gain

    def variance(self, shape: tuple[int, ...]) -> float:
        """The variance of an element."""
        fan_in, fan_out = fans(shape)
        fan_in = fan_in if self.fan_in is None else self.fan_in  # type: ignore[assignment]
        fan_out = fan_out if self.fan_out is None else self.fan_out  # type: ignore[assignment]
        return self.gain**2 * 2.0 / (fan_in + fan_out)


class XavierUniform(XavierNormal):
    """Uniform between ± gain · sqrt(6 / (fan_in + fan_out)): what most layers' weights begin with.

    `fan_in` and `fan_out`: in place of those that the parameter's shape tells. Glorot and Bengio, Understanding the
    difficulty of training deep feedforward neural networks, 2010.

    >>> import proa as paddle
    >>> start = paddle.nn.initializer.XavierUniform()
    >>> w = paddle.nn.Linear(20, 40, weight_attr=start).weight
    >>> w.abs().max().item() <= (6 / 60) ** 0.5
    True
    """

    is_uniform = True


class KaimingNormal(_Scaled):
    """Normal with variance gain² / fan_in (He et al., Delving Deep into Rectifiers, 2015).

    >>> import proa as paddle
    >>> start = paddle.nn.initializer.KaimingNormal()
    >>> w = paddle.nn.Linear(20, 40, weight_attr=start).weight
    >>> w.shape
    [20, 40]
    """

    def __init__(self, fan_in: float | None = None, negative_slope: float = 0.0, nonlinearity: str = "relu"):
        self.fan_in, self.negative_slope, self.nonlinearity = fan_in, negative_slope, nonlinearity

    def variance(self, shape: tuple[int, ...]) -> float:
        """The variance of an element."""
        fan_in = fans(shape)[0] if self.fan_in is None else self.fan_in
        return calculate_gain(self.nonlinearity, self.negative_slope) ** 2 / fan_in


class KaimingUniform(KaimingNormal):
    """Uniform with the variance of KaimingNormal.

    >>> import proa as paddle
    >>> start = paddle.nn.initializer.KaimingUniform()
    >>> w = paddle.nn.Linear(20, 40, weight_attr=start).weight
    >>> w.shape
    [20, 40]
    """

    is_uniform = True

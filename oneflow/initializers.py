"""What variables begin with: constant, zeros, ones, random_uniform, random_normal, truncated_normal, variance_scaling,
glorot (xavier) and kaiming, by OneFlow's names.

An initializer gives a value for a shape and dtype. Its numbers are drawn from the generator that is in force, which
`get_variable(random_seed=…)` starts anew for its variable.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..core.dtype import convert_dtype, float32
from ..nn.initializer.initializer import Initializer, sizes
from ..ops.array.full import empty, full
from ..ops.math.casting import in_dtype
from ..ops.random.sampling import gaussian, randint, truncated_gaussian, uniform

_WITHIN_TWO = 0.8796256610342398  # the standard deviation of a normal distribution that is cut off at two


class ConstantInitializer(Initializer):
    """Every element is one number."""

    def __init__(self, number: float):
        self.number = number

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        return full(sizes(shape), self.number, dtype)


class EmptyInitializer(Initializer):
    """Elements are whatever they are: something else is put there before they are used."""

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        return empty(sizes(shape), dtype)


class UniformInitializer(Initializer):
    """Spread evenly from `low` up to `high`; whole numbers without `high` itself."""

    def __init__(self, low: float, high: float, whole: bool = False):
        self.low, self.high, self.whole = low, high, whole

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        if self.whole:
            return in_dtype(randint(int(self.low), int(self.high), sizes(shape), "int64"), convert_dtype(dtype))
        return uniform(sizes(shape), dtype, self.low, self.high)


class NormalInitializer(Initializer):
    """Normal with a mean and a standard deviation; `truncated`: drawn again beyond two of these from the mean."""

    def __init__(self, mean: float, std: float, truncated: bool = False):
        self.mean, self.std, self.truncated = mean, std, truncated

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        draw = truncated_gaussian if self.truncated else gaussian
        return draw(sizes(shape), self.mean, self.std, dtype=dtype)


class VarianceScalingInitializer(Initializer):
    """Centred on 0 with variance scale / fan, where fan is how many elements go into one, come out of one, or between.

    A weight's first dimension counts outputs. Of one with more than two dimensions, `data_format` says where its window
    is: behind the inputs ('NC…'), or before them.
    """

    def __init__(self, scale: float, mode: str, distribution: str, data_format: str):
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.channels_first = data_format.startswith("NC")

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        variance = self.scale / fan_of(shape, self.mode, self.channels_first)
        if self.distribution == "random_uniform":
            limit = math.sqrt(3.0 * variance)
            return UniformInitializer(-limit, limit).value(shape, dtype)
        if self.distribution == "random_normal":
            return NormalInitializer(0.0, math.sqrt(variance)).value(shape, dtype)
        return NormalInitializer(0.0, math.sqrt(variance) / _WITHIN_TWO, truncated=True).value(shape, dtype)


def fan_of(shape: Sequence[int], mode: str, channels_first: bool) -> float:
    """How many elements of a weight go into one result ('fan_in'), how many results one is part of, or their mean."""
    if len(shape) < 2:
        raise ValueError("variance_scaling, glorot and kaiming begin weights of two dimensions at least. Received "
                         f"the shape {list(shape)}.")
    fan_in, fan_out = math.prod(shape[1:]), math.prod(shape[2:] if channels_first else shape[1:-1]) * shape[0]
    return {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[mode]


def _choice(what: str, value: Any, choices: Sequence[str]) -> str:
    found = value.lower() if isinstance(value, str) else value
    if found not in choices:
        raise ValueError(f"{what}: must be one of {', '.join(map(repr, choices))}. Received {value!r}.")
    return found


def _data_format(what: str, value: Any) -> str:
    if not isinstance(value, str) or not (value == "" or value.startswith("NC")
                                          or (value.startswith("N") and value.endswith("C"))):
        raise ValueError(f"{what}(data_format): must be such as 'NCHW' or 'NHWC', or ''. Received {value!r}.")
    return value


def constant_initializer(value: float = 0, dtype: Any = float32) -> ConstantInitializer:
    """Every element is `value`; an initializer for whole numbers is asked for by its dtype.

    >>> import proa.oneflow as flow
    >>> flow.constant_initializer(0.5)((2,), flow.float32).numpy().tolist()
    [0.5, 0.5]
    """
    return ConstantInitializer(int(value) if convert_dtype(dtype).is_integer else float(value))


def zeros_initializer(dtype: Any = float32) -> ConstantInitializer:
    """Zeros."""
    return constant_initializer(0.0, dtype)


def ones_initializer(dtype: Any = float32) -> ConstantInitializer:
    """Ones."""
    return constant_initializer(1.0, dtype)


def empty_initializer(dtype: Any = float32) -> EmptyInitializer:
    """Nothing in particular."""
    return EmptyInitializer()


def random_uniform_initializer(minval: float = 0, maxval: float = 1, dtype: Any = float32) -> UniformInitializer:
    """Spread evenly between two numbers; of whole numbers (by the dtype) without `maxval` itself."""
    if minval > maxval:
        raise ValueError("random_uniform_initializer(minval, maxval): minval must not exceed maxval. Received "
                         f"{minval} and {maxval}.")
    return UniformInitializer(minval, maxval, convert_dtype(dtype).is_integer)


def random_normal_initializer(mean: float = 0.0, stddev: float = 1.0, seed: int | None = None,
                              dtype: Any = None) -> NormalInitializer:
    """Normal with this mean and standard deviation."""
    if seed is not None or dtype is not None:
        raise ValueError("random_normal_initializer(seed, dtype): a variable's seed and dtype are said where it is "
                         f"made: get_variable(random_seed=…, dtype=…). Received seed={seed}, dtype={dtype}.")
    return NormalInitializer(float(mean), float(stddev))


def truncated_normal_initializer(mean: float = 0.0, stddev: float = 1.0) -> NormalInitializer:
    """Normal with this mean and standard deviation, drawn again beyond two deviations from the mean."""
    return NormalInitializer(float(mean), float(stddev), truncated=True)


def truncated_normal(stddev: float = 1.0) -> NormalInitializer:
    """Normal with mean 0 and this standard deviation, drawn again beyond two of it."""
    return truncated_normal_initializer(0.0, stddev)


def variance_scaling_initializer(scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal",
                                 data_format: str = "") -> VarianceScalingInitializer:
    """Variance scale / fan, by mode 'fan_in', 'fan_out' or 'fan_avg'; 'truncated_normal', 'random_normal' or
    'random_uniform'."""
    return VarianceScalingInitializer(
        float(scale), _choice("variance_scaling_initializer(mode)", mode, ("fan_in", "fan_out", "fan_avg")),
        _choice("variance_scaling_initializer(distribution)", distribution,
                ("truncated_normal", "random_normal", "random_uniform")),
        _data_format("variance_scaling_initializer", data_format))


def glorot_uniform_initializer(data_format: str = "") -> VarianceScalingInitializer:
    """Uniform with variance 2 / (fan_in + fan_out) (Glorot and Bengio, 2010)."""
    return variance_scaling_initializer(1.0, "fan_avg", "random_uniform", data_format)


def glorot_normal_initializer(data_format: str = "") -> VarianceScalingInitializer:
    """Normal with variance 2 / (fan_in + fan_out) (Glorot and Bengio, 2010)."""
    return variance_scaling_initializer(1.0, "fan_avg", "random_normal", data_format)


xavier_uniform_initializer, xavier_normal_initializer = glorot_uniform_initializer, glorot_normal_initializer

_GAINS = {"tanh": 5.0 / 3, "sigmoid": 1.0, "relu": math.sqrt(2.0)}


def kaiming_initializer(shape: Sequence[int], distribution: str = "random_normal", mode: str = "fan_in",
                        nonlinearity: str = "leaky_relu", negative_slope: float = 0.0,
                        data_format: str = "NCHW") -> Initializer:
    """Standard deviation gain / sqrt(fan) for a weight of this shape, the gain being that of a nonlinearity: 'tanh',
    'sigmoid', 'relu' or 'leaky_relu' (He et al., Delving Deep into Rectifiers, 2015).

    >>> import proa.oneflow as flow
    >>> round(flow.kaiming_initializer((8, 50)).std, 6)
    0.2
    """
    if not isinstance(shape, tuple) or len(shape) < 2 or math.prod(shape) <= 0:
        raise ValueError("kaiming_initializer(shape): must be the tuple of a weight's sizes, two at least. Received "
                         f"{shape!r}.")
    _choice("kaiming_initializer(distribution)", distribution, ("random_normal", "random_uniform"))
    _choice("kaiming_initializer(mode)", mode, ("fan_in", "fan_out", "fan_avg"))
    _choice("kaiming_initializer(nonlinearity)", nonlinearity, (*_GAINS, "leaky_relu"))
    _choice("kaiming_initializer(data_format)", data_format.lower(), ("nchw", "nhwc"))
    gain = math.sqrt(2.0 / (1 + negative_slope**2)) if nonlinearity == "leaky_relu" else _GAINS[nonlinearity]
    std = gain / math.sqrt(fan_of(shape, mode, data_format.upper() == "NCHW"))
    if distribution == "random_normal":
        return random_normal_initializer(0.0, std)
    return random_uniform_initializer(-math.sqrt(3.0) * std, math.sqrt(3.0) * std)

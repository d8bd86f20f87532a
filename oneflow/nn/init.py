"""`flow.nn.init`: functions that fill a tensor in place, such as a module's weight, and give it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...ops.array import creation, full
from ...ops.array import reshape as reshaping
from ...ops.linalg.qr_svd import qr
from ...ops.math import casting, elementwise, unary
from ...ops.math import clip as clipping
from ...ops.math.inverse_functions import erfinv
from ...ops.random import sampling
from .module import unrecorded


def _filled(tensor: Any, value: Any) -> Any:
    value = casting.in_dtype(value, tensor.dtype)
    tensor.set_value(value)
    return tensor


def _uniform(tensor: Any, low: float, high: float) -> Any:
    return _filled(tensor, sampling.uniform(list(tensor.shape), "float32", float(low), float(high)))


def _normal(tensor: Any, mean: float, std: float) -> Any:
    return _filled(tensor, sampling.gaussian(list(tensor.shape), float(mean), float(std), dtype="float32"))


@unrecorded
def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0) -> Any:
    """Numbers evenly from [a, b).

    >>> import proa.oneflow as flow
    >>> bool((flow.nn.init.uniform_(flow.empty(3), 1.0, 2.0) >= 1).all())
    True
    """
    return _uniform(tensor, a, b)


@unrecorded
def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0) -> Any:
    """Numbers of a normal distribution."""
    return _normal(tensor, mean, std)


@unrecorded
def trunc_normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0) -> Any:
    """Numbers of the part of a normal distribution that lies between a and b."""
    low, high = (math.erf((limit - mean) / std / math.sqrt(2.0)) for limit in (a, b))
    drawn = erfinv(sampling.uniform(list(tensor.shape), "float32", low, high))
    value = elementwise.add(elementwise.multiply(drawn, std * math.sqrt(2.0)), float(mean))
    return _filled(tensor, clipping.clip(value, float(a), float(b)))


@unrecorded
def constant_(tensor: Any, val: float) -> Any:
    """One number everywhere."""
    return _filled(tensor, creation.full_like(tensor, val))


def ones_(tensor: Any) -> Any:
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Any) -> Any:
    """Zeros."""
    return constant_(tensor, 0.0)


@unrecorded
def eye_(tensor: Any) -> Any:
    """The identity matrix."""
    if len(tensor.shape) != 2:
        raise ValueError(f"eye_(tensor): must have 2 dimensions. Received shape={tuple(tensor.shape)}.")
    return _filled(tensor, full.constant(np.eye(tensor.shape[0], tensor.shape[1], dtype="float32")))


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """By how much a layer's weights are scaled for what follows: 1 for "linear", √2 for "relu", ….

    >>> import proa.oneflow as flow
    >>> flow.nn.init.calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity in ("linear", "sigmoid") or nonlinearity.startswith("conv"):
        return 1.0
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"calculate_gain(param): must be a number. Received {param!r}.")
        return math.sqrt(2.0 / (1 + slope**2))
    gains = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 0.75}
    if nonlinearity not in gains:
        raise ValueError(f"calculate_gain(nonlinearity): must be 'linear', 'sigmoid', 'conv…', 'leaky_relu' or one of "
                         f"{sorted(gains)}. Received {nonlinearity!r}.")
    return gains[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor: Any) -> tuple[int, int]:
    """How many inputs an element of the output has, and the other way round."""
    if len(tensor.shape) < 2:
        raise ValueError(f"The fan in and out of a tensor are known from 2 dimensions on. Received "
                         f"shape={tuple(tensor.shape)}.")
    window = math.prod(tensor.shape[2:])
    return tensor.shape[1] * window, tensor.shape[0] * window


def _fan(tensor: Any, mode: str) -> float:
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    if mode not in ("fan_in", "fan_out", "fan_avg"):
        raise ValueError(f"mode must be 'fan_in', 'fan_out' or 'fan_avg'. Received {mode!r}.")
    return {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[mode]


@unrecorded
def kaiming_uniform_(tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", *,
                     data_format: str = "NCHW") -> Any:
    """Evenly from [-bound, bound], bound = gain * √(3 / fan) (He et al., 2015)."""
    bound = math.sqrt(3.0) * calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode))
    return _uniform(tensor, -bound, bound)


@unrecorded
def kaiming_normal_(tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", *,
                    data_format: str = "NCHW") -> Any:
    """Of a normal distribution with the deviation gain / √fan (He et al., 2015)."""
    return _normal(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)))


@unrecorded
def xavier_uniform_(tensor: Any, gain: float = 1.0, *, data_format: str = "NCHW") -> Any:
    """Evenly from [-bound, bound], bound = gain * √(6 / (fan in + fan out)) (Glorot and Bengio, 2010)."""
    bound = gain * math.sqrt(6.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return _uniform(tensor, -bound, bound)


@unrecorded
def xavier_normal_(tensor: Any, gain: float = 1.0, *, data_format: str = "NCHW") -> Any:
    """Of a normal distribution with the deviation gain * √(2 / (fan in + fan out)) (Glorot and Bengio, 2010)."""
    return _normal(tensor, 0.0, gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor))))


@unrecorded
def orthogonal_(tensor: Any, gain: float = 1.0) -> Any:
    """A matrix with orthogonal rows or columns (Saxe et al., 2013)."""
    rows, columns = tensor.shape[0], math.prod(tensor.shape[1:])
    drawn = sampling.gaussian([max(rows, columns), min(rows, columns)], dtype="float32")
    q, r = qr(drawn)
    signs = unary.sign(full.constant(np.diag(r.numpy()).copy()))
    q = elementwise.multiply(q, signs)
    q = reshaping.t(q) if rows < columns else q
    return _filled(tensor, elementwise.multiply(reshaping.reshape(q, list(tensor.shape)), float(gain)))

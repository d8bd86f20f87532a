"""Activation functions: relu and its relatives, sigmoid, gelu, softmax and others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.array.concat_split import split
from ...ops.array.full import changeable, value_of
from ...ops.core.result_names import results_named
from ...ops.core.trace import apply, drawing
from ...ops.math.casting import cast
from ...ops.math.elementwise import multiply
from ...ops.math.unary import tanh
from ...ops.nn import activation as ops
from ...ops.nn import random_activations
from ...ops.nn import softmax as softmax_ops
from ...ops.nn.activation import relu, sigmoid, softplus
from ...ops.nn.window_arguments import check_format

__all__ = [
    "celu", "elu", "elu_", "gelu", "glu", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish", "hardtanh",
    "hardtanh_", "leaky_relu", "leaky_relu_", "log_sigmoid", "log_softmax", "maxout", "mish", "prelu", "relu", "relu6",
    "relu_", "rrelu", "selu", "sigmoid", "silu", "softmax", "softmax_", "softplus", "softshrink", "softsign", "swish",
    "tanh", "tanh_", "tanhshrink", "thresholded_relu", "thresholded_relu_",
]


def relu6(x: Any, name: str | None = None) -> Any:
    """min(max(x, 0), 6).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.relu6(x).numpy().round(3).tolist()
    [0.0, 0.0, 0.0, 1.0, 4.0]
    """
    return apply(ops.relu6_op, x, threshold=6.0)


def leaky_relu(x: Any, negative_slope: float = 0.01, name: str | None = None) -> Any:
    """x where x is positive, negative_slope * x elsewhere.

    >>> import proa as paddle
    >>> paddle.nn.functional.leaky_relu(paddle.to_tensor([-2.0, 3.0]), 0.5).tolist()
    [-1.0, 3.0]
    """
    return apply(ops.leaky_relu_op, x, alpha=float(negative_slope))


_CHANNELS = ("NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC", "NDHWC")


def prelu(x: Any, weight: Any, data_format: str = "NCHW", name: str | None = None) -> Any:
    """x where x is positive, weight * x elsewhere; `weight` has one element, or one for each channel.

    After "Delving Deep into Rectifiers" (He et al., 2015).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, 4.0])
    >>> paddle.nn.functional.prelu(x, paddle.to_tensor([0.25])).tolist()
    [-0.5, 4.0]
    """
    x, weight = value_of(x), value_of(weight)
    check_format("prelu", data_format, _CHANNELS)
    drawing("prelu", name)
    count = 1
    for size in weight.shape:
        count *= size
    mode = "all" if count == 1 else "channel"
    return apply(ops.prelu_op, x, weight, mode=mode, data_format="NHWC" if data_format[-1:] == "C" else "NCHW")


def rrelu(x: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = True, name: str | None = None) -> Any:
    """leaky_relu with a slope drawn anew for each element, evenly from `lower` to `upper`; their mean in evaluation.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, 4.0])
    >>> paddle.nn.functional.rrelu(x, 0.25, 0.75, training=False).tolist()
    [-1.0, 4.0]
    """
    if not 0 <= lower <= upper <= 1:
        raise ValueError(f"rrelu: 0 <= lower <= upper <= 1 must hold. Received lower={lower}, upper={upper}.")
    return apply(random_activations.rrelu_op, x, lower=float(lower), upper=float(upper), is_test=not training)[0]


def elu(x: Any, alpha: float = 1.0, name: str | None = None) -> Any:
    """x where x is positive, alpha * (exp(x) - 1) elsewhere (Clevert et al., 2015).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.elu(x).numpy().round(3).tolist()
    [-0.865, -0.393, 0.0, 1.0, 4.0]
    """
    return apply(ops.elu_op, x, alpha=float(alpha))


def celu(x: Any, alpha: float = 1.0, name: str | None = None) -> Any:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) (Barron, 2017); alpha must not be 0.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.celu(x).numpy().round(3).tolist()
    [-0.865, -0.393, 0.0, 1.0, 4.0]
    """
    if alpha == 0:
        raise ZeroDivisionError("celu(x, alpha): alpha must not be 0.")
    return apply(ops.celu_op, x, alpha=float(alpha))


def selu(x: Any, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772, name: str | None = None) -> Any:
    """scale * (x where x is positive, alpha * (exp(x) - 1) elsewhere) (Klambauer et al., 2017).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.selu(x).numpy().round(3).tolist()
    [-1.52, -0.692, 0.0, 1.051, 4.203]
    """
    if scale <= 1:
        raise ValueError(f"selu(x, scale): scale must be greater than 1. Received {scale}.")
    if alpha < 0:
        raise ValueError(f"selu(x, alpha): alpha must not be negative. Received {alpha}.")
    return apply(ops.selu_op, x, scale=float(scale), alpha=float(alpha))


def gelu(x: Any, approximate: bool = False, name: str | None = None) -> Any:
    """x * P(X <= x) for a standard normal X; by a tanh where `approximate` (Hendrycks and Gimpel, 2016).

    >>> import proa as paddle
    >>> round(float(paddle.nn.functional.gelu(paddle.to_tensor(1.0))), 4)
    0.8413
    """
    return apply(ops.gelu_op, x, approximate=_truth("gelu(approximate)", approximate))


def silu(x: Any, name: str | None = None) -> Any:
    """x * sigmoid(x).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.silu(x).numpy().round(3).tolist()
    [-0.238, -0.189, 0.0, 0.731, 3.928]
    """
    return apply(ops.silu_op, x)


def swish(x: Any, name: str | None = None) -> Any:
    """x * sigmoid(x), as `silu` (Ramachandran et al., 2017).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.swish(x).numpy().round(3).tolist()
    [-0.238, -0.189, 0.0, 0.731, 3.928]
    """
    return apply(ops.swish_op, x, beta=1.0)


@results_named("hardswish")
def hardswish(x: Any, name: str | None = None) -> Any:
    """x * min(max(x + 3, 0), 6) / 6 (Howard et al., 2019).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.hardswish(x).numpy().round(3).tolist()
    [-0.333, -0.208, 0.0, 0.667, 4.0]
    """
    return apply(ops.hard_swish_op, x, threshold=6.0, scale=6.0, offset=3.0)


@results_named("hardsigmoid")
def hardsigmoid(x: Any, slope: float = 0.1666667, offset: float = 0.5, name: str | None = None) -> Any:
    """min(max(slope * x + offset, 0), 1).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.hardsigmoid(x).numpy().round(3).tolist()
    [0.167, 0.417, 0.5, 0.667, 1.0]
    """
    return apply(ops.hard_sigmoid_op, x, slope=float(slope), offset=float(offset))


@results_named("hardtanh")
def hardtanh(x: Any, min: float = -1.0, max: float = 1.0, name: str | None = None) -> Any:
    """x cut to `min` … `max`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.hardtanh(x).numpy().round(3).tolist()
    [-1.0, -0.5, 0.0, 1.0, 1.0]
    """
    return apply(ops.brelu_op, x, t_min=float(min), t_max=float(max))


def hardshrink(x: Any, threshold: float = 0.5, name: str | None = None) -> Any:
    """x where |x| > threshold, 0 elsewhere.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.hardshrink(x).numpy().round(3).tolist()
    [-2.0, -0.0, 0.0, 1.0, 4.0]
    """
    return apply(ops.hard_shrink_op, x, threshold=float(threshold))


def softshrink(x: Any, threshold: float = 0.5, name: str | None = None) -> Any:
    """x moved towards 0 by `threshold`, which must not be negative, and 0 where it would pass it.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.softshrink(x).numpy().round(3).tolist()
    [-1.5, 0.0, 0.0, 0.5, 3.5]
    """
    if threshold < 0:
        raise ValueError(f"softshrink(x, threshold): threshold must not be negative. Received {threshold}.")
    return apply(ops.softshrink_op, x, **{"lambda": float(threshold)})


def thresholded_relu(x: Any, threshold: float = 1.0, name: str | None = None) -> Any:
    """x where x > threshold, 0 elsewhere.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.thresholded_relu(x).numpy().round(3).tolist()
    [-0.0, -0.0, 0.0, 0.0, 4.0]
    """
    return apply(ops.thresholded_relu_op, x, threshold=float(threshold))


def mish(x: Any, name: str | None = None) -> Any:
    """x * tanh(softplus(x)) (Misra, 2019).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.mish(x).numpy().round(3).tolist()
    [-0.253, -0.221, 0.0, 0.865, 3.997]
    """
    return apply(ops.mish_op, x, threshold=20.0)


def tanhshrink(x: Any, name: str | None = None) -> Any:
    """x - tanh(x).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.tanhshrink(x).numpy().round(3).tolist()
    [-1.036, -0.038, 0.0, 0.238, 3.001]
    """
    return apply(ops.tanh_shrink_op, x)


def softsign(x: Any, name: str | None = None) -> Any:
    """x / (1 + |x|).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.softsign(x).numpy().round(3).tolist()
    [-0.667, -0.333, 0.0, 0.5, 0.8]
    """
    return apply(ops.softsign_op, x)


@results_named("log_sigmoid")
def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """log(sigmoid(x)), without overflow.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.log_sigmoid(x).numpy().round(3).tolist()
    [-2.127, -0.974, -0.693, -0.313, -0.018]
    """
    return apply(ops.logsigmoid_op, x)


def glu(x: Any, axis: int = -1, name: str | None = None) -> Any:
    """a * sigmoid(b), where a and b are the halves of x along `axis` (Dauphin et al., 2016).

    >>> import proa as paddle
    >>> paddle.nn.functional.glu(paddle.to_tensor([[2.0, 0.0]])).tolist()
    [[1.0]]
    """
    a, b = split(x, 2, axis)
    return multiply(a, sigmoid(b))


def maxout(x: Any, groups: int, axis: int = 1, name: str | None = None) -> Any:
    """The maximum of each `groups` successive channels, which `axis` counts (Goodfellow et al., 2013).

    >>> import proa as paddle
    >>> paddle.nn.functional.maxout(paddle.arange(4.0).reshape([1, 4, 1, 1]), 2).flatten().tolist()
    [1.0, 3.0]
    """
    return apply(softmax_ops.maxout_op, x, groups=groups, axis=axis)


# along a dimension

def softmax(x: Any, axis: int = -1, dtype: Any = None, name: str | None = None) -> Any:
    """exp(x) / sum(exp(x)) along `axis`, without overflow; x is brought to `dtype` first, where that is given.

    Raises ValueError when the axis is out of range.

    >>> import proa as paddle
    >>> paddle.nn.functional.softmax(paddle.to_tensor([1.0, 1.0])).tolist()
    [0.5, 0.5]
    """
    return apply(softmax_ops.softmax_op, _as(x, dtype), axis=axis)


def log_softmax(x: Any, axis: int = -1, dtype: Any = None, name: str | None = None) -> Any:
    """log(softmax(x, axis)), without overflow; x is brought to `dtype` first, where that is given.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[0.0, 0.0, 1.0]], "float64")
    >>> paddle.nn.functional.log_softmax(x).numpy().round(3).tolist()
    [[-1.551, -1.551, -0.551]]
    """
    return apply(softmax_ops.log_softmax_op, _as(x, dtype), axis=axis)


def gumbel_softmax(x: Any, temperature: float = 1.0, hard: bool = False, axis: int = -1,
                   name: str | None = None) -> Any:
    """A sample of the Gumbel-Softmax distribution (Jang et al., 2016); where `hard`, a one-hot one.

    The gradient of a hard sample is that of the soft one.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[0.0, 100.0]])
    >>> paddle.nn.functional.gumbel_softmax(x, hard=True).tolist()
    [[0.0, 1.0]]
    """
    if temperature <= 0:
        raise ValueError(f"gumbel_softmax(temperature): must be above 0. Received {temperature}.")
    return apply(random_activations.gumbel_softmax_op, x, temperature=float(temperature),
                 hard=_truth("gumbel_softmax(hard)", hard), axis=axis)[0]


def _truth(what: str, value: Any) -> bool:
    """True or False; PyTorch's 'none' and 'tanh' would both count as True."""
    if not isinstance(value, (bool, int, np.bool_)):
        raise TypeError(f"{what}: must be True or False. Received {value!r}.")
    return bool(value)


def _as(x: Any, dtype: Any) -> Any:
    return x if dtype is None else cast(x, dtype)


# in place

def relu_(x: Any, name: str | None = None) -> Any:
    """`relu` in place.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, 4.0], "float64")
    >>> y = paddle.nn.functional.relu_(x)
    >>> bool((x == y).all())
    True
    """
    return changeable(x)._rebind(relu(x._alias()))


def elu_(x: Any, alpha: float = 1.0, name: str | None = None) -> Any:
    """`elu` in place.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, 4.0], "float64")
    >>> y = paddle.nn.functional.elu_(x)
    >>> bool((x == y).all())
    True
    """
    return changeable(x)._rebind(elu(x._alias(), alpha))


def hardtanh_(x: Any, min: float = -1.0, max: float = 1.0, name: str | None = None) -> Any:
    """`hardtanh` in place.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, 4.0], "float64")
    >>> y = paddle.nn.functional.hardtanh_(x)
    >>> bool((x == y).all())
    True
    """
    return changeable(x)._rebind(hardtanh(x._alias(), min, max))


def leaky_relu_(x: Any, negative_slope: float = 0.01, name: str | None = None) -> Any:
    """`leaky_relu` in place.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, 4.0], "float64")
    >>> y = paddle.nn.functional.leaky_relu_(x)
    >>> bool((x == y).all())
    True
    """
    return changeable(x)._rebind(leaky_relu(x._alias(), negative_slope))


def softmax_(x: Any, axis: int = -1, dtype: Any = None, name: str | None = None) -> Any:
    """`softmax` in place.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, 4.0], "float64")
    >>> y = paddle.nn.functional.softmax_(x)
    >>> bool((x == y).all())
    True
    """
    return changeable(x)._rebind(softmax(x._alias(), axis, dtype))


def tanh_(x: Any, name: str | None = None) -> Any:
    """`tanh` in place.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, 4.0], "float64")
    >>> y = paddle.nn.functional.tanh_(x)
    >>> bool((x == y).all())
    True
    """
    return changeable(x)._rebind(tanh(x._alias()))


def thresholded_relu_(x: Any, threshold: float = 1.0, name: str | None = None) -> Any:
    """`thresholded_relu` in place.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, 4.0], "float64")
    >>> y = paddle.nn.functional.thresholded_relu_(x)
    >>> bool((x == y).all())
    True
    """
    return changeable(x)._rebind(thresholded_relu(x._alias(), threshold))

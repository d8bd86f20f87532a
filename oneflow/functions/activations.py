"""Activations: `flow.relu`, `flow.gelu`, … and the same under `nn.functional`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...nn import functional as F
from ...ops.array.where import where as choose
from ...ops.core.operator import find
from ...ops.math import casting, comparison, elementwise
from ..charge import apply_op, flowing

_relu = find("relu")


def relu(input: Any, inplace: bool = False) -> Any:
    """max(input, 0); `inplace` gives the result to input.

    >>> import proa.oneflow as flow
    >>> flow.relu(flow.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return _in_place(input, relu) if inplace else apply_op(_relu, (input,))


@flowing
def _in_place(input: Any, function: Callable, *args: Any) -> Any:
    return input._rebind(function(input._alias(), *args))


def _of(function: Callable, name: str, doc: str, **usual: Any) -> Callable:
    """A function with settings, the last of which may be `inplace`."""
    flowed = flowing(function)
    names = list(usual)

    def activation(input: Any, *args: Any, inplace: bool = False, **named: Any) -> Any:
        given = {**usual, **dict(zip(names, args, strict=False)), **named}
        if len(args) > len(names):
            inplace = args[len(names)]
        if unknown := sorted(given.keys() - usual.keys()):
            raise TypeError(f"{name}(): unknown arguments {unknown}. It has {names}.")
        values = list(given.values())
        return _in_place(input, flowed, *values) if inplace else flowed(input, *values)

    activation.__name__ = activation.__qualname__ = name
    activation.__doc__ = doc
    return activation


relu6 = _of(F.relu6, "relu6", "min(max(input, 0), 6).")
leaky_relu = _of(F.leaky_relu, "leaky_relu", "input where it is positive, alpha * input elsewhere.", alpha=0.01)
elu = _of(F.elu, "elu", "input where it is positive, alpha * (exp(input) - 1) elsewhere.", alpha=1.0)
celu = _of(F.celu, "celu", "max(input, 0) + min(alpha * (exp(input / alpha) - 1), 0).", alpha=1.0)
selu = _of(F.selu, "selu", "elu, scaled so that values keep mean 0 and variance 1.")
silu = _of(F.silu, "silu", "input * sigmoid(input).")
mish = _of(F.mish, "mish", "input * tanh(softplus(input)).")
hardswish = _of(F.hardswish, "hardswish", "input * relu6(input + 3) / 6.")
hardsigmoid = _of(lambda x: F.hardsigmoid(x, 1 / 6, 0.5), "hardsigmoid", "relu6(input + 3) / 6.")
hardtanh = _of(F.hardtanh, "hardtanh", "input between two limits.", min_val=-1.0, max_val=1.0)
hardshrink = _of(F.hardshrink, "hardshrink", "input where its magnitude is above lambd, 0 elsewhere.", lambd=0.5)
softshrink = _of(F.softshrink, "softshrink", "input drawn towards 0 by alpha.", alpha=0.5)
softsign = _of(F.softsign, "softsign", "input / (1 + |input|).")
logsigmoid = _of(F.log_sigmoid, "logsigmoid", "log(sigmoid(input)).")
quick_gelu = _of(lambda x: elementwise.multiply(x, F.sigmoid(elementwise.multiply(x, 1.702))), "quick_gelu",
                 "input * sigmoid(1.702 * input).")


@flowing
def gelu(input: Any, approximate: str = "none") -> Any:
    """input * P(X <= input) for a standard normal X; with approximate="tanh" by a tanh."""
    return F.gelu(input, approximate in ("tanh", True))


@flowing
def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """log(1 + exp(beta * input)) / beta; input itself where beta * input is above the threshold."""
    return F.softplus(input, beta, threshold)


@flowing
def threshold(input: Any, threshold: float = 20.0, value: float = 0.0) -> Any:
    """input where it is above the threshold, `value` elsewhere."""
    return choose(comparison.greater_than(input, threshold), input, casting.in_dtype(
        elementwise.scale(input, 0.0, float(value)), input.dtype))


@flowing
def prelu(input: Any, alpha: Any) -> Any:
    """input where it is positive, alpha * input elsewhere; alpha has one element, or one for each channel."""
    return F.prelu(input, alpha)


@flowing
def glu(input: Any, dim: int = -1) -> Any:
    """The first half along a dimension times the sigmoid of the second."""
    return F.glu(input, dim)


@flowing
def gumbel_softmax(logits: Any, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Any:
    """A sample of classes by their logits, through which gradients flow; `hard` makes it one class."""
    return F.gumbel_softmax(logits, tau, hard, dim)

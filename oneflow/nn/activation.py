"""Activations of values, softmax among them."""

from __future__ import annotations

from typing import Any

from ...nn import functional
from ...ops.math.elementwise import multiply, scale, subtract
from ...ops.math.reduce import sum


def relu6(x: Any, name: str | None = None) -> Any:
    """x between 0 and 6.

    >>> import proa.oneflow as flow
    >>> import proa as paddle
    >>> flow.nn.relu6(paddle.to_tensor([-1.0, 2.0, 8.0])).tolist()
    [0.0, 2.0, 6.0]
    """
    return functional.relu6(x)


def leaky_relu(x: Any, alpha: float = 0.2, name: str | None = None) -> Any:
    """x where it is positive, alpha * x elsewhere."""
    return functional.leaky_relu(x, float(alpha))


def elu(x: Any, alpha: float = 1.0, name: str | None = None) -> Any:
    """x where it is positive, alpha * (exp(x) - 1) elsewhere."""
    return functional.elu(x, float(alpha))


def hardsigmoid(x: Any, name: str | None = None) -> Any:
    """x / 6 + 1/2 between 0 and 1."""
    return functional.hardsigmoid(x, slope=1 / 6, offset=0.5)


def hardswish(x: Any, name: str | None = None) -> Any:
    """x * (x + 3) / 6 between -3 and 3; 0 below, x above."""
    return functional.hardswish(x)


def hardtanh(x: Any, min_val: float = -1.0, max_val: float = 1.0, name: str | None = None) -> Any:
    """x between `min_val` and `max_val`. Raises ValueError unless the first is less."""
    if not min_val < max_val:
        raise ValueError(f"hardtanh: min_val must be less than max_val. Received min_val={min_val!r}, "
                         f"max_val={max_val!r}.")
    return functional.hardtanh(x, float(min_val), float(max_val))


def mish(x: Any, name: str | None = None) -> Any:
    """x * tanh(log(1 + exp(x)))."""
    return functional.mish(x)


def swish(x: Any, beta: float = 1.0, name: str | None = None) -> Any:
    """x * sigmoid(beta * x)."""
    return functional.swish(x) if beta == 1 else multiply(x, functional.sigmoid(scale(x, float(beta))))


def softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Any:
    """exp(logits) / sum(exp(logits)) along `axis`, the last one unless given."""
    return functional.softmax(logits, -1 if axis is None else axis)


def logsoftmax(logits: Any, axis: int | None = None, name: str | None = None) -> Any:
    """The logarithm of `softmax`, finite where that rounds to 0."""
    return functional.log_softmax(logits, -1 if axis is None else axis)


def softmax_grad(y: Any, dy: Any, axis: int | None = None, name: str | None = None) -> Any:
    """The gradient of what `softmax` made `y` of, from that of y: y * (dy - sum(y * dy))."""
    return multiply(y, subtract(dy, sum(multiply(y, dy), -1 if axis is None else axis, keepdim=True)))

"""How far vectors lie apart, and their bilinear forms: pairwise_distance, bilinear."""

from __future__ import annotations

from typing import Any

from ...ops.array.full import full
from ...ops.core.trace import apply, drawing
from ...ops.math.elementwise import add, subtract
from ...ops.math.statistics import norm
from ...ops.nn.bilinear import bilinear_op

__all__ = ["bilinear", "pairwise_distance"]


def pairwise_distance(x: Any, y: Any, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False,
                      name: str | None = None) -> Any:
    """The norm of order p of x - y + epsilon along the last dimension.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([[1.0, 3.0]]), paddle.to_tensor([[1.0, 1.0]])
    >>> paddle.nn.functional.pairwise_distance(x, y, p=1.0, epsilon=0.0).tolist()
    [2.0]
    """
    difference = subtract(x, y)
    if epsilon != 0:
        difference = add(difference, full([], epsilon, difference.dtype))
    return norm(difference, float(p), -1, keepdim=keepdim)


def bilinear(x1: Any, x2: Any, weight: Any, bias: Any = None, name: str | None = None) -> Any:
    """x1 · weight[k] · x2 + bias for each k: x1 [N, a], x2 [N, b], weight [features, a, b], bias [1, features].

    >>> import proa as paddle
    >>> ones = paddle.ones
    >>> paddle.nn.functional.bilinear(ones([1, 2]), ones([1, 3]), ones([4, 2, 3])).tolist()
    [[6.0, 6.0, 6.0, 6.0]]
    """
    drawing("bilinear", name)
    return apply(bilinear_op, x1, x2, weight, bias)

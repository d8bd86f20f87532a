"""Products with what stands around them: biases, activations; and dropout with an addition."""

from __future__ import annotations

from typing import Any

from ....nn import functional as F
from ....ops.linalg.matrix_product import matmul

__all__ = ["fused_dropout_add", "fused_linear", "fused_linear_activation", "fused_matmul_bias"]

_ACTIVATIONS = {"none": None, "relu": F.relu, "gelu": F.gelu}


def fused_matmul_bias(x: Any, y: Any, bias: Any = None, transpose_x: bool = False, transpose_y: bool = False,
                      name: str | None = None) -> Any:
    """x · y + bias, [..., m, k] by [k, n] with a bias [n]; the matrices transposed first where asked.

    >>> import proa as paddle
    >>> paddle.incubate.nn.functional.fused_matmul_bias(paddle.ones([1, 2]), paddle.ones([2, 3])).tolist()
    [[2.0, 2.0, 2.0]]
    """
    product = matmul(x, y, transpose_x, transpose_y)
    return product if bias is None else product + bias


def fused_linear(x: Any, weight: Any, bias: Any = None, transpose_weight: bool = False, name: str | None = None) -> Any:
    """x · weight + bias, with the weight [out, in] where `transpose_weight`.

    >>> import proa as paddle
    >>> paddle.incubate.nn.functional.fused_linear(paddle.ones([2, 3]), paddle.ones([3, 4]), paddle.zeros([4])).shape
    [2, 4]
    """
    return fused_matmul_bias(x, weight, bias, False, transpose_weight)


def fused_linear_activation(x: Any, y: Any, bias: Any, trans_x: bool = False, trans_y: bool = False,
                            activation: str | None = None) -> Any:
    """The activation of x · y + bias: 'gelu', 'relu' or 'none'; ValueError for another.

    >>> import proa as paddle
    >>> x, w = paddle.ones([2, 3]), paddle.ones([3, 4])
    >>> paddle.incubate.nn.functional.fused_linear_activation(x, w, paddle.zeros([4]), activation="relu").shape
    [2, 4]
    """
    name = "none" if activation is None else activation
    if name not in _ACTIVATIONS:
        raise ValueError(f"fused_linear_activation(activation): must be one of {sorted(_ACTIVATIONS)}. "
                         f"Received {activation!r}.")
    function = _ACTIVATIONS[name]
    result = fused_matmul_bias(x, y, bias, trans_x, trans_y)
    return result if function is None else function(result)


def fused_dropout_add(x: Any, y: Any, p: float = 0.5, training: bool = True, mode: str = "upscale_in_train",
                      name: str | None = None) -> Any:
    """dropout(x) + y.

    >>> import proa as paddle
    >>> paddle.incubate.nn.functional.fused_dropout_add(paddle.ones([2]), paddle.ones([2]), training=False).tolist()
    [2.0, 2.0]
    """
    return F.dropout(x, p, training=training, mode=mode) + y

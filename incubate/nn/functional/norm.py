"""Normalization with what stands before it: a bias, dropout, a residual."""

from __future__ import annotations

import math
from typing import Any

from ....nn import functional as F
from ....ops.array.full import value_of
from ....ops.core.infer import check_rank, shape_in
from ....ops.math.reduce import mean
from ....ops.math.unary import rsqrt, square

__all__ = ["fused_bias_dropout_residual_layer_norm", "fused_layer_norm", "fused_rms_norm"]


def fused_layer_norm(x: Any, norm_weight: Any, norm_bias: Any, epsilon: float, residual_alpha: float = 1.0,
                     begin_norm_axis: int = 1, bias: Any = None, residual: Any = None, quant_scale: float = -1,
                     quant_round_type: float = 0, quant_max_bound: float = 0, quant_min_bound: float = 0) -> Any:
    """layer_norm(x + bias + residual_alpha · residual) over the dimensions from `begin_norm_axis` on.

    With a residual the sum is returned, too: (result, sum). Raises NotImplementedError where `quant_scale` is above 0.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0, 3.0]])
    >>> paddle.incubate.nn.functional.fused_layer_norm(x, None, None, 0.0).tolist()
    [[-1.0, 1.0]]
    """
    whole = _sum("fused_layer_norm", x, bias, residual, residual_alpha, quant_scale)
    shape = shape_in(whole)[begin_norm_axis:]
    weight, offset = (value if value is None else value_of(value).reshape(shape) for value in (norm_weight, norm_bias))
    normed = F.layer_norm(whole, shape, weight, offset, epsilon)
    return normed if residual is None else (normed, whole)


def fused_rms_norm(x: Any, norm_weight: Any, norm_bias: Any, epsilon: float, begin_norm_axis: int, bias: Any = None,
                   residual: Any = None, quant_scale: float = -1, quant_round_type: float = 0,
                   quant_max_bound: float = 0, quant_min_bound: float = 0) -> Any:
    """y / sqrt(mean(y²) + epsilon) · norm_weight + norm_bias of y = x + bias + residual, from `begin_norm_axis` on.

    With a residual y is returned, too: (result, y). Raises NotImplementedError where `quant_scale` is above 0.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[3.0, -3.0]])
    >>> paddle.incubate.nn.functional.fused_rms_norm(x, paddle.ones([2]), None, 0.0, 1).tolist()
    [[1.0, -1.0]]
    """
    whole = _sum("fused_rms_norm", x, bias, residual, 1.0, quant_scale)
    check_rank("fused_rms_norm(x)", whole, 1)
    axes = list(range(begin_norm_axis % len(whole.shape), len(whole.shape)))
    shape = whole.shape[begin_norm_axis:]
    wide = whole.astype("float32") if whole.dtype.itemsize == 2 else whole
    normed = (wide * rsqrt(mean(square(wide), axes, keepdim=True) + epsilon)).astype(whole.dtype)
    if norm_weight is not None:
        normed = normed * norm_weight.reshape(shape)
    if norm_bias is not None:
        normed = normed + norm_bias.reshape(shape)
    return normed if residual is None else (normed, whole)


def fused_bias_dropout_residual_layer_norm(x: Any, residual: Any, bias: Any = None, ln_scale: Any = None,
                                           ln_bias: Any = None, dropout_rate: float = 0.5, ln_epsilon: float = 1e-5,
                                           training: bool = True, mode: str = "upscale_in_train",
                                           name: str | None = None) -> Any:
    """layer_norm(residual + dropout(x + bias)), over the last dimension.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0, 3.0]])
    >>> f = paddle.incubate.nn.functional.fused_bias_dropout_residual_layer_norm
    >>> [round(number, 2) for number in f(x, x, training=False).tolist()[0]]
    [-1.0, 1.0]
    """
    whole = x if bias is None else x + bias
    whole = residual + F.dropout(whole, dropout_rate, training=training, mode=mode)
    return F.layer_norm(whole, whole.shape[-1:], ln_scale, ln_bias, ln_epsilon)


def _sum(function: str, x: Any, bias: Any, residual: Any, alpha: float, quant_scale: float) -> Any:
    if quant_scale > 0 and math.isfinite(quant_scale):
        raise NotImplementedError(f"{function}(quant_scale): results in 8 bits are not supported. "
                                  f"Received {quant_scale}. Leave it out, and quantize the result.")
    whole = x if bias is None else x + bias
    return whole if residual is None else whole + (residual if alpha == 1.0 else residual * alpha)

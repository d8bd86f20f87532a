"""Normalization: `batch_norm`, `layer_norm`, `normalize`, …"""

from __future__ import annotations

import math
from typing import Any

from ....nn import functional as F
from ....ops.array import full
from ....ops.array import reshape as reshaping
from ....ops.core.trace import state
from ....ops.math import elementwise, reduce, unary
from ...charge import apply_op, flowing


@flowing
def batch_norm(input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
               training: bool = False, momentum: float = 0.1, eps: float = 1e-5) -> Any:
    """(input - mean) / sqrt(variance + eps) by channels, times weight, plus bias.

    In training mean and variance are those of the batch, and `momentum` of these goes into the running ones: of the
    variance the unbiased one. Otherwise they are the running ones.
    """
    channels = input.shape[1]
    weight = full.ones([channels], input.dtype) if weight is None else weight
    bias = full.zeros([channels], input.dtype) if bias is None else bias
    if not training and running_mean is not None:
        return F.batch_norm(input, running_mean, running_var, weight, bias, False, 1.0 - momentum, eps)
    if running_mean is None:
        mean, variance = full.zeros([channels], input.dtype), full.ones([channels], input.dtype)
        return F.batch_norm(input, mean, variance, weight, bias, True, 1.0 - momentum, eps)
    # The operator puts a share of the biased variance into the running one; scaled, it is one of the unbiased.
    count = math.prod(input.shape) // channels
    ratio = count / max(count - 1, 1)
    scaled = apply_op(elementwise.scale_op, (running_var, None), {"scale": 1.0 / ratio})
    result = F.batch_norm(input, running_mean, scaled, weight, bias, True, 1.0 - momentum, eps)
    old, state.grad_enabled = state.grad_enabled, False
    try:
        running_var._rebind(apply_op(elementwise.scale_op, (scaled, None), {"scale": ratio}))
    finally:
        state.grad_enabled = old
    return result


@flowing
def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """(input - mean) / sqrt(variance + eps) over the last dimensions, times weight, plus bias."""
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    return F.layer_norm(input, shape, weight, bias, eps)


@flowing
def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """(input - mean) / sqrt(variance + eps) over groups of channels, times weight, plus bias."""
    if len(input.shape) == 4:
        return F.group_norm(input, num_groups, eps, weight, bias)
    shape = list(input.shape)
    image = reshaping.reshape(input, [*shape[:2], math.prod(shape[2:]) if len(shape) > 2 else 1, 1])
    return reshaping.reshape(F.group_norm(image, num_groups, eps, weight, bias), shape)


@flowing
def instance_norm(input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
                  use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5) -> Any:
    """(input - mean) / sqrt(variance + eps) over each channel of each sample, times weight, plus bias."""
    return F.instance_norm(input, weight=weight, bias=bias, eps=eps)


@flowing
def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: float = 1e-5) -> Any:
    """input / sqrt(mean of squares + eps) over the last dimensions, times weight."""
    count = 1 if isinstance(normalized_shape, int) else len(normalized_shape)
    square = reduce.mean(elementwise.multiply(input, input), list(range(-count, 0)), keepdim=True)
    result = elementwise.multiply(input, unary.rsqrt(elementwise.add(square, eps)))
    return result if weight is None else elementwise.multiply(result, weight)


@flowing
def normalize(input: Any, p: float = 2.0, dim: int = 0, epsilon: float = 1e-12, eps: float | None = None) -> Any:
    """input divided by its p-norms along a dimension, or by epsilon where that is larger."""
    return F.normalize(input, p, dim, epsilon if eps is None else eps)

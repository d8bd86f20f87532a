"""Normalization as functions: batch_norm, layer_norm, normalize."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.creation import full
from ...ops.elementwise import maximum
from ...ops.norm import batch_norm_op, layer_norm_op
from ...ops.stats import norm as vector_norm
from ...ops.trace import apply

__all__ = ["batch_norm", "layer_norm", "normalize"]

_LAYOUTS = {"NC": "NCHW", "NCL": "NCHW", "NCHW": "NCHW", "NCDHW": "NCHW",
            "NLC": "NHWC", "NHWC": "NHWC", "NDHWC": "NHWC"}


def batch_norm(x: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None,
               training: bool = False, momentum: float = 0.9, epsilon: float = 1e-5, data_format: str = "NCHW",
               use_global_stats: bool | None = None, name: str | None = None) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * weight + bias, channel by channel.

    In training, mean and (biased) variance are those of the batch, and the running ones become
    `momentum * running + (1 - momentum) * batch`; in evaluation, or with `use_global_stats=True`, the running ones are
    used and left alone. All but x have the shape [C]. After "Batch Normalization" (Ioffe and Szegedy, 2015).

    >>> import proa as paddle
    >>> x, zeros, ones = paddle.to_tensor([[1.0], [3.0]]), paddle.zeros([1]), paddle.ones([1])
    >>> paddle.nn.functional.batch_norm(x, zeros, ones, training=True, epsilon=0.0).tolist()
    [[-1.0], [1.0]]
    """
    layout = _LAYOUTS.get(data_format)
    if layout is None:
        raise ValueError(f"batch_norm(data_format): must be one of {', '.join(_LAYOUTS)}. Received {data_format!r}.")
    return apply(
        batch_norm_op, x, weight, bias, running_mean, running_var, None, momentum=momentum, epsilon=epsilon,
        data_layout=layout, is_test=not training, trainable_statistics=False,
        use_global_stats=bool(use_global_stats))[0]


def layer_norm(x: Any, normalized_shape: int | Sequence[int], weight: Any = None, bias: Any = None,
               epsilon: float = 1e-5, name: str | None = None) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * weight + bias over the last dimensions, of sizes `normalized_shape`.

    After "Layer Normalization" (Ba et al., 2016). Raises ValueError when x does not end in these sizes.
    """
    wanted = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    begin = len(x.shape) - len(wanted)
    if begin < 0 or list(x.shape[begin:]) != wanted:
        raise ValueError(
            f"layer_norm(x, normalized_shape): the last sizes of x must be normalized_shape. "
            f"Received x.shape={list(x.shape)}, normalized_shape={wanted}."
        )
    return apply(layer_norm_op, x, weight, bias, epsilon=epsilon, begin_norm_axis=begin)[0]


def normalize(x: Any, p: float = 2, axis: int = 1, epsilon: float = 1e-12, name: str | None = None) -> Any:
    """x / max(norm of order p along `axis`, epsilon).

    >>> import proa as paddle
    >>> paddle.nn.functional.normalize(paddle.to_tensor([[3.0, 4.0]])).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    axis = 0 if len(x.shape) == 1 else axis
    length = vector_norm(x, float(p), axis, keepdim=True)
    return x / maximum(length, full([1], epsilon, x.dtype))

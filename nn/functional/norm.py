"""Normalization as functions: by batch, layer, group or instance, by neighbouring channels, and of vectors."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from ...core.errors import ArgumentError
from ...ops.array.assign import shape
from ...ops.array.full import full, is_value, value_of
from ...ops.array.reshape import reshape, squeeze, transpose, unsqueeze
from ...ops.array.unknown_sizes import size_at
from ...ops.core.result_names import results_named
from ...ops.core.trace import apply, drawing
from ...ops.math.elementwise import divide, maximum, multiply, pow, scale
from ...ops.math.statistics import norm as vector_norm
from ...ops.nn.norm import batch_norm_op, group_norm_op, instance_norm_op, layer_norm_op
from ...ops.nn.window_arguments import check_format
from .pooling import avg_pool2d

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm", "normalize"]

_LAYOUTS = {"NC": "NCHW", "NCL": "NCHW", "NCHW": "NCHW", "NCDHW": "NCHW",
            "NLC": "NHWC", "NHWC": "NHWC", "NDHWC": "NHWC"}


@results_named(first="SavedMean SavedVariance")
def batch_norm(x: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None,
               training: bool = False, momentum: float = 0.9, epsilon: float = 1e-5, data_format: str = "NCHW",
               use_global_stats: bool | None = None, name: str | None = None) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * weight + bias, channel by channel.

    In training, mean and (biased) variance are those of the batch, and the running ones become
    `momentum * running + (1 - momentum) * batch`; in evaluation the running ones are used and left alone.
    `use_global_stats` asks for the latter (True) or the former (False) whatever `training` says. All but x have the
    shape [C]. After "Batch Normalization" (Ioffe and Szegedy, 2015).

    >>> import proa as paddle
    >>> x, zeros, ones = paddle.to_tensor([[1.0], [3.0]]), paddle.zeros([1]), paddle.ones([1])
    >>> paddle.nn.functional.batch_norm(x, zeros, ones, training=True, epsilon=0.0).tolist()
    [[-1.0], [1.0]]
    """
    layout = _LAYOUTS.get(data_format)
    if layout is None:
        raise ValueError(f"batch_norm(data_format): must be one of {', '.join(_LAYOUTS)}. Received {data_format!r}.")
    drawing("batch_norm", name)
    return apply(
        batch_norm_op, x, weight, bias, running_mean, running_var, None, momentum=momentum, epsilon=epsilon,
        data_layout=layout, is_test=not training,
        trainable_statistics=use_global_stats is not None and not use_global_stats,
        use_global_stats=bool(use_global_stats))[0]


@results_named(first="Mean Variance")
def layer_norm(x: Any, normalized_shape: int | Sequence[int], weight: Any = None, bias: Any = None,
               epsilon: float = 1e-5, name: str | None = None) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * weight + bias over the last dimensions, of sizes `normalized_shape`.

    After "Layer Normalization" (Ba et al., 2016). Raises ValueError when x does not end in these sizes.

    >>> import proa as paddle
    >>> paddle.nn.functional.layer_norm(paddle.to_tensor([[1.0, 3.0]]), [2]).numpy().round(2).tolist()
    [[-1.0, 1.0]]
    """
    x = value_of(x)
    single = isinstance(normalized_shape, numbers.Integral) or is_value(normalized_shape)
    if not (single or isinstance(normalized_shape, (list, tuple))):
        raise ArgumentError("layer_norm(normalized_shape): must be an int, or a list or tuple of ints. "
                            f"Received {normalized_shape!r}.")
    wanted: list[Any] = [normalized_shape] if single else list(normalized_shape)  # type: ignore[arg-type]
    begin = len(x.shape) - len(wanted)
    if begin < 0 or any(not is_value(b) and a not in (b, -1) for a, b in zip(x.shape[begin:], wanted, strict=True)):
        raise ValueError(
            f"layer_norm(x, normalized_shape): the last sizes of x must be normalized_shape. "
            f"Received x.shape={list(x.shape)}, normalized_shape={wanted}."
        )
    drawing("layer_norm", name)
    if begin == 0:  # PaddlePaddle runs the operator on what has a dimension in front
        found = apply(layer_norm_op, unsqueeze(x, 0), weight, bias, epsilon=epsilon, begin_norm_axis=1)[0]
        return squeeze(found, 0)
    return apply(layer_norm_op, x, weight, bias, epsilon=epsilon, begin_norm_axis=begin)[0]


def normalize(x: Any, p: float = 2, axis: int = 1, epsilon: float = 1e-12, name: str | None = None) -> Any:
    """x / max(norm of order p along `axis`, epsilon).

    >>> import proa as paddle
    >>> paddle.nn.functional.normalize(paddle.to_tensor([[3.0, 4.0]])).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    x = value_of(x)
    axis = 0 if len(x.shape) == 1 and axis == 1 else axis  # the default means the only dimension there is
    length = vector_norm(x, float(p), axis, keepdim=True)
    return divide(x, maximum(length, full([1], epsilon, length.dtype)))


@results_named(first="Mean Variance")
def group_norm(x: Any, num_groups: int, epsilon: float = 1e-5, weight: Any = None, bias: Any = None,
               data_format: str = "NCHW", name: str | None = None) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * weight + bias, by sample and by group of channels.

    `weight` and `bias` have one element for each channel. ValueError when the groups do not divide the channels.
    After "Group Normalization" (Wu and He, 2018).

    >>> import proa as paddle
    >>> paddle.nn.functional.group_norm(paddle.to_tensor([[[1.0], [3.0]]]), 1, epsilon=0.0).tolist()
    [[[-1.0], [1.0]]]
    """
    layout = _LAYOUTS.get(data_format)
    if layout is None:
        raise ValueError(f"group_norm(data_format): must be one of {', '.join(_LAYOUTS)}. Received {data_format!r}.")
    return apply(group_norm_op, x, weight, bias, epsilon=epsilon, groups=num_groups, data_layout=layout)[0]


@results_named(first="SavedMean SavedVariance")
def instance_norm(x: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
                  use_input_stats: bool = True, momentum: float = 0.9, eps: float = 1e-5, data_format: str = "NCHW",
                  name: str | None = None) -> Any:
    """(x - mean) / sqrt(variance + eps) * weight + bias, by sample and channel; `weight` and `bias` are [C].

    The statistics are those of the input, unless `use_input_stats` is False and running ones are given: then these.
    They are not changed. After "Instance Normalization" (Ulyanov et al., 2016).

    >>> import proa as paddle
    >>> y = paddle.nn.functional.instance_norm(paddle.rand([2, 3, 4, 4]))
    >>> abs(y.mean().item()) < 0.001
    True
    """
    x = value_of(x)
    if _LAYOUTS.get(data_format) is None:
        raise ValueError(f"instance_norm(data_format): must be one of {', '.join(_LAYOUTS)}. "
                         f"Received {data_format!r}.")
    if not use_input_stats and (running_mean is not None or running_var is not None):
        if running_mean is None or running_var is None:
            raise ValueError("instance_norm(running_mean, running_var): give both or neither. Received "
                             f"{'running_var' if running_mean is None else 'running_mean'} alone.")
        return batch_norm(x, running_mean, running_var, weight, bias, False, momentum, eps, data_format)
    drawing("instance_norm", name)
    rank = len(x.shape)
    if data_format[-1] != "C" or rank == 2:
        return apply(instance_norm_op, x, weight, bias, epsilon=eps)[0]
    first = transpose(x, [0, rank - 1, *range(1, rank - 1)])
    return transpose(apply(instance_norm_op, first, weight, bias, epsilon=eps)[0], [0, *range(2, rank), 1])


_SPATIAL = ("NCL", "NLC", "NCHW", "NHWC", "NCDHW", "NDHWC")


def local_response_norm(x: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0,
                        data_format: str = "NCHW", name: str | None = None) -> Any:
    """x / (k + alpha * mean of squares over `size` neighbouring channels) ** beta.

    Channels beyond the first and the last count as zeros. After "ImageNet Classification with Deep Convolutional
    Neural Networks" (Krizhevsky et al., 2012).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[[3.0], [4.0]]])
    >>> paddle.nn.functional.local_response_norm(x, 2, alpha=2.0, beta=1.0, k=0.0, data_format="NCL").tolist()
    [[[0.3333333432674408], [0.1599999964237213]]]
    """
    x = value_of(x)
    check_format("local_response_norm", data_format, _SPATIAL)
    if len(x.shape) < 3:
        raise ValueError(f"local_response_norm(x): x must have at least 3 dimensions. Received {list(x.shape)}.")
    last = data_format[-1] == "C"
    sizes = [0, 1, -1, size_at(x, -1)] if last else [0, 1, size_at(x, 1), -1]
    squares = reshape(multiply(x, x), sizes)
    window, before, after = [size, 1], size // 2, (size - 1) // 2
    pads = [0, 0, before, after] if last else [before, after, 0, 0]
    means = avg_pool2d(squares, window[::-1] if last else window, 1, pads, exclusive=False)
    known = sum(n < 0 for n in x.shape) <= 1
    means = reshape(means, list(x.shape) if known else shape(x))
    return divide(x, pow(scale(means, alpha, k), beta))

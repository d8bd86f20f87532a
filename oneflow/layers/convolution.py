"""Convolutions with filters and a bias of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.array.reshape import transpose
from ...ops.nn.window_arguments import repeated
from ..initializers import constant_initializer, xavier_uniform_initializer
from ..nn import convolution
from ..nn.bias import bias_add
from ..nn.windows import FORMATS, check_rank, is_last
from .parameters import activated, layer_name, layer_variable


def _filters_shape(what: str, rank: int, inputs: Any, filters: int, kernel_size: Any, groups: int,
                   last: bool) -> tuple[int, ...]:
    channels = inputs.shape[-1 if last else 1]
    if not isinstance(groups, int) or groups < 1 or channels % groups or filters % groups or (last and groups > 1):
        raise ValueError(f"{what}(groups): must divide the {channels} channels of the inputs and the {filters} "
                         f"filters, and be 1 where channels come last. Received groups={groups!r}.")
    size = repeated(what, "kernel_size", kernel_size, rank)
    return (filters, *size, channels) if last else (filters, channels // groups, *size)


def _convolution(what: str, rank: int, inputs: Any, filters: int, kernel_size: Any, strides: Any, padding: Any,
                 data_format: str, dilation_rate: Any, groups: int, activation: Callable | None, use_bias: bool,
                 kernel_initializer: Any, bias_initializer: Any, kernel_regularizer: Any, bias_regularizer: Any,
                 trainable: bool, name: str | None, weight_name: str | None, bias_name: str | None) -> Any:
    check_rank(f"{what}(inputs)", inputs, rank)
    last = is_last(what, data_format, rank)
    layout = FORMATS[rank][last]
    name = layer_name(name, f"Conv{rank}D")
    initializer = kernel_initializer or xavier_uniform_initializer(data_format=layout)
    weight = layer_variable(
        name, "weight", weight_name, shape=_filters_shape(what, rank, inputs, filters, kernel_size, groups, last),
        dtype=inputs.dtype, initializer=initializer, regularizer=kernel_regularizer, trainable=trainable,
        model_name="weight")
    function = (convolution.conv1d, convolution.conv2d, convolution.conv3d)[rank - 1]
    result = function(inputs, weight, strides, padding, data_format=layout, dilations=dilation_rate, groups=groups)
    if use_bias:
        bias = layer_variable(name, "bias", bias_name, shape=(filters,), dtype=inputs.dtype,
                              initializer=bias_initializer or constant_initializer(0), regularizer=bias_regularizer,
                              trainable=trainable, model_name="bias")
        result = bias_add(result, bias, layout)
    return activated(activation, name, result)


def conv1d(inputs: Any, filters: int, kernel_size: Any = 1, strides: Any = 1, padding: Any = "VALID",
           data_format: str = "NCW", dilation_rate: Any = None, groups: int = 1,
           activation: Callable[..., Any] | None = None, use_bias: bool = True,
           kernel_initializer: Any = None, bias_initializer: Any = None,
           kernel_regularizer: Any = None, bias_regularizer: Any = None, trainable: bool = True,
           name: str | None = "Conv1d", weight_name: str | None = None, bias_name: str | None = None) -> Any:
    """As `conv2d`, of sequences [N, C, W], with NAME-weight [filters, C / groups, k]."""
    return _convolution("conv1d", 1, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, groups,
                        activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
                        bias_regularizer, trainable, name, weight_name, bias_name)


def conv2d(inputs: Any, filters: int, kernel_size: Any = 1, strides: Any = 1, padding: Any = "VALID",
           data_format: str = "NCHW", dilation_rate: Any = None, groups: int = 1,
           activation: Callable[..., Any] | None = None, use_bias: bool = True,
           kernel_initializer: Any = None, bias_initializer: Any = None,
           kernel_regularizer: Any = None, bias_regularizer: Any = None, trainable: bool = True,
           name: str | None = "Conv2d", weight_name: str | None = None, bias_name: str | None = None) -> Any:
    """activation(`flow.nn.conv2d` of images [N, C, H, W] with the variable NAME-weight, plus NAME-bias [filters]).

    NAME-weight is [filters, C / groups, kH, kW], or [filters, kH, kW, C] for data_format "NHWC", and begins as
    `flow.xavier_uniform_initializer` says unless an initializer is given; the bias begins with zeros. `weight_name` and
    `bias_name` are names instead of these.

    >>> import numpy as np
    >>> import proa.oneflow as flow, proa.oneflow.typing as tp
    >>> @flow.global_function()
    ... def job(x: tp.Numpy.Placeholder((1, 3, 8, 8))) -> tp.Numpy:
    ...     return flow.layers.conv2d(x, 6, 3, padding="SAME", activation=flow.nn.relu, name="conv1")
    >>> job(np.ones((1, 3, 8, 8), np.float32)).shape
    (1, 6, 8, 8)
    """
    return _convolution("conv2d", 2, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, groups,
                        activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
                        bias_regularizer, trainable, name, weight_name, bias_name)


def conv3d(inputs: Any, filters: int, kernel_size: Any = 1, strides: Any = 1, padding: Any = "VALID",
           data_format: str = "NCDHW", dilation_rate: Any = None, groups: int = 1,
           activation: Callable[..., Any] | None = None, use_bias: bool = True,
           kernel_initializer: Any = None, bias_initializer: Any = None,
           kernel_regularizer: Any = None, bias_regularizer: Any = None, trainable: bool = True,
           name: str | None = "Conv3d", weight_name: str | None = None, bias_name: str | None = None) -> Any:
    """As `conv2d`, of volumes [N, C, D, H, W]. NAME-weight is [filters, C / groups, kD, kH, kW] for "NDHWC" as well."""
    last = is_last("conv3d", data_format, 3)
    if last:  # OneFlow computes, and keeps its filters, with the channels second
        check_rank("conv3d(inputs)", inputs, 3)
        inputs = transpose(inputs, [0, 4, 1, 2, 3])
        if isinstance(padding, (list, tuple)) and len(padding) == 5:
            padding = [padding[axis] for axis in (0, 4, 1, 2, 3)]
    result = _convolution("conv3d", 3, inputs, filters, kernel_size, strides, padding, "NCDHW", dilation_rate, groups,
                          activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
                          bias_regularizer, trainable, name, weight_name, bias_name)
    return transpose(result, [0, 2, 3, 4, 1]) if last else result

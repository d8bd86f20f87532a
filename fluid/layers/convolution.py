"""Convolutions, their transposes, and deformable ones."""

from __future__ import annotations

import math
from typing import Any

from ...ops.nn.window_arguments import padding_attributes, repeated
from ..initializer import Normal
from ..layer_helper import LayerHelper, need_floats, need_format
from ..mode import face


def _channels(what: str, input: Any, last: bool) -> int:
    need_floats(f"{what}(input)", input)
    count = input.shape[-1 if last else 1]
    if count < 0:
        raise ValueError(f"{what}(input): the number of channels must be known. Received shape {list(input.shape)}.")
    return count


def _windows(what: str, rank: int, last: bool, stride: Any, padding: Any, dilation: Any) -> dict[str, Any]:
    paddings, algorithm = padding_attributes(what, padding, rank, last)
    if len(paddings) == 2 * rank and paddings[::2] == paddings[1::2]:
        paddings = paddings[::2]
    return {"strides": repeated(what, "stride", stride, rank), "paddings": paddings, "padding_algorithm": algorithm,
            "dilations": repeated(what, "dilation", dilation, rank)}


def _convolved(what: str, type: str, rank: int, input: Any, num_filters: int, filter_size: Any, stride: Any,
               padding: Any, dilation: Any, groups: int | None, param_attr: Any, bias_attr: Any, act: str | None,
               name: str | None, data_format: str) -> Any:
    need_format(f"{what}(data_format)", data_format, rank)
    helper, last = LayerHelper(what, name=name), data_format[-1] == "C"
    channels = _channels(what, input, last)
    if channels % (groups or 1) or num_filters % (groups or 1):
        raise ValueError(f"{what}(groups): must divide the {channels} channels of the input and num_filters. Received "
                         f"groups={groups}, num_filters={num_filters}.")
    size = repeated(what, "filter_size", filter_size, rank)
    deviation = math.sqrt(2.0 / (math.prod(size) * channels))
    weight = helper.parameter(param_attr, [num_filters, channels // (groups or 1), *size], input.dtype,
                              default_initializer=Normal(0.0, deviation))
    made = helper.apply(type, input, weight, groups=groups or 1, data_format=data_format,
                        **_windows(what, rank, last, stride, padding, dilation))
    start = rank + 1 if last else 1
    return helper.activated(helper.biased(made, bias_attr, start, start + 1), act)


@face
def conv2d(input: Any, num_filters: int, filter_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
           groups: int | None = None, param_attr: Any = None, bias_attr: Any = None, use_cudnn: bool = True,
           act: str | None = None, name: str | None = None, data_format: str = "NCHW") -> Any:
    """act(a convolution of images with `num_filters` filters, and a bias).

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.layers.conv2d(fluid.data("x", [None, 3, 8, 8]), 6, 3, padding=1, act="relu").shape
    (-1, 6, 8, 8)
    """
    channels = input.shape[-1 if data_format == "NHWC" else 1]
    depthwise = channels == groups and num_filters % max(channels, 1) == 0 and not use_cudnn
    type = "depthwise_conv2d" if depthwise else "conv2d"
    return _convolved(type, type, 2, input, num_filters, filter_size, stride, padding, dilation, groups, param_attr,
                      bias_attr, act, name, data_format)


@face
def conv3d(input: Any, num_filters: int, filter_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
           groups: int | None = None, param_attr: Any = None, bias_attr: Any = None, use_cudnn: bool = True,
           act: str | None = None, name: str | None = None, data_format: str = "NCDHW") -> Any:
    """As `conv2d`, of volumes."""
    return _convolved("conv3d", "conv3d", 3, input, num_filters, filter_size, stride, padding, dilation, groups,
                      param_attr, bias_attr, act, name, data_format)


def _sizes_of_filter(what: str, rank: int, input: Any, last: bool, filter_size: Any, output_size: Any,
                     windows: dict[str, Any]) -> list[int]:
    if filter_size is not None:
        return repeated(what, "filter_size", filter_size, rank)
    if output_size is None:
        raise ValueError(f"{what}: give filter_size or output_size.")
    pads = windows["paddings"]
    around = [2 * n for n in pads] if len(pads) == rank else [a + b for a, b in zip(pads[::2], pads[1::2], strict=True)]
    sizes = input.shape[1:-1] if last else input.shape[2:]
    return [(want - (have - 1) * stride + pad - 1) // dilation + 1 for want, have, stride, pad, dilation in zip(
        repeated(what, "output_size", output_size, rank), sizes, windows["strides"], around, windows["dilations"],
        strict=True)]


def _transposed(what: str, type: str, rank: int, input: Any, num_filters: int, output_size: Any, filter_size: Any,
                padding: Any, stride: Any, dilation: Any, groups: int | None, param_attr: Any, bias_attr: Any,
                act: str | None, name: str | None, data_format: str) -> Any:
    need_format(f"{what}(data_format)", data_format, rank)
    helper, last = LayerHelper(type, name=name), data_format[-1] == "C"
    windows = _windows(what, rank, last, stride, padding, dilation)
    size = _sizes_of_filter(what, rank, input, last, filter_size, output_size, windows)
    weight = helper.parameter(param_attr, [_channels(what, input, last), num_filters // (groups or 1), *size],
                              input.dtype)
    wanted = [] if output_size is None else repeated(what, "output_size", output_size, rank)
    inputs = (input, weight) if rank == 3 else (input, weight, None)
    made = helper.apply(type, *inputs, output_size=wanted, groups=groups or 1, data_format=data_format, **windows)
    start = rank + 1 if last else 1
    return helper.activated(helper.biased(made, bias_attr, start, start + 1), act)


@face
def conv2d_transpose(input: Any, num_filters: int, output_size: Any = None, filter_size: Any = None, padding: Any = 0,
                     stride: Any = 1, dilation: Any = 1, groups: int | None = None, param_attr: Any = None,
                     bias_attr: Any = None, use_cudnn: bool = True, act: str | None = None, name: str | None = None,
                     data_format: str = "NCHW") -> Any:
    """act(the transpose of a convolution, and a bias); without `filter_size` that follows from `output_size`."""
    channels = input.shape[-1 if data_format == "NHWC" else 1]
    depthwise = channels == groups == num_filters and not use_cudnn
    return _transposed("conv2d_transpose", "depthwise_conv2d_transpose" if depthwise else "conv2d_transpose", 2, input,
                       num_filters, output_size, filter_size, padding, stride, dilation, groups, param_attr, bias_attr,
                       act, name, data_format)


@face
def conv3d_transpose(input: Any, num_filters: int, output_size: Any = None, filter_size: Any = None, padding: Any = 0,
                     stride: Any = 1, dilation: Any = 1, groups: int | None = None, param_attr: Any = None,
                     bias_attr: Any = None, use_cudnn: bool = True, act: str | None = None, name: str | None = None,
                     data_format: str = "NCDHW") -> Any:
    """As `conv2d_transpose`, of volumes."""
    return _transposed("conv3d_transpose", "conv3d_transpose", 3, input, num_filters, output_size, filter_size,
                       padding, stride, dilation, groups, param_attr, bias_attr, act, name, data_format)


@face
def deformable_conv(input: Any, offset: Any, mask: Any, num_filters: int, filter_size: Any, stride: Any = 1,
                    padding: Any = 0, dilation: Any = 1, groups: int | None = None,
                    deformable_groups: int | None = None, im2col_step: int | None = None, param_attr: Any = None,
                    bias_attr: Any = None, modulated: bool = True, name: str | None = None) -> Any:
    """A convolution whose places are moved by `offset` and, if `modulated`, weighed by `mask`."""
    helper, what = LayerHelper("deformable_conv", name=name), "deformable_conv"
    channels, size = _channels(what, input, False), repeated(what, "filter_size", filter_size, 2)
    deviation = math.sqrt(2.0 / (math.prod(size) * channels))
    weight = helper.parameter(param_attr, [num_filters, channels // (groups or 1), *size], input.dtype,
                              default_initializer=Normal(0.0, deviation))
    inputs = (input, offset, mask, weight) if modulated else (input, offset, weight)
    made = helper.apply(
        "deformable_conv" if modulated else "deformable_conv_v1", *inputs, groups=groups or 1,
        strides=repeated(what, "stride", stride, 2), paddings=repeated(what, "padding", padding, 2),
        dilations=repeated(what, "dilation", dilation, 2), deformable_groups=deformable_groups or 1,
        im2col_step=im2col_step or 1)
    return helper.biased(made, bias_attr, 1, 2)


__all__ = ["conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose", "deformable_conv"]

"""Convolutions of a Program: `conv2d`, `conv3d`, their transposes, `deform_conv2d`."""

from __future__ import annotations

import math
from typing import Any

from ...core.unique_name import generate
from ...ops.core.operator import Operator
from ...ops.core.trace import apply, drawing
from ...ops.math.elementwise import activated, add_op
from ...ops.nn import conv as ops
from ...ops.nn.window_arguments import check_format, padding_attributes, repeated
from ...ops.vision.deform_conv import deformable_conv_op, deformable_conv_v1_op
from .parameters import known_size, normal, parameter


class _Arguments:
    """What the convolutions are told, checked."""

    def __init__(self, what: str, input: Any, data_format: str, rank: int, groups: int | None, **windows: Any):
        formats = ("NCHW", "NHWC") if rank == 2 else ("NCDHW", "NDHWC")
        self.last = check_format(what, data_format, formats)[-1] == "C"
        self.what, self.rank, self.groups = what, rank, groups or 1
        if len(input.shape) != rank + 2:
            raise ValueError(f"{what}(input): must have {rank + 2} dimensions. Received shape {list(input.shape)}.")
        self.channels = known_size(f"{what}(input)", input, rank + 1 if self.last else 1)
        if self.channels % self.groups:
            raise ValueError(f"{what}(groups): must divide the {self.channels} channels of the input. "
                             f"Received groups={groups}.")
        paddings, algorithm = padding_attributes(what, windows["padding"], rank, self.last)
        self.attrs: dict[str, Any] = {
            "strides": repeated(what, "stride", windows["stride"], rank), "paddings": paddings, "groups": self.groups,
            "dilations": repeated(what, "dilation", windows["dilation"], rank), "padding_algorithm": algorithm,
            "data_format": data_format}

    def finished(self, result: Any, layer: str, filters: int, bias_attr: Any, act: str | None) -> Any:
        """The result with bias and activation."""
        bias = parameter(layer, "b", bias_attr, (filters,), result.dtype, is_bias=True)
        if bias is not None:
            result = apply(add_op, result, bias, axis=self.rank + 1 if self.last else 1)
        return activated(f"{self.what}(act)", result, act)


def _check_filters(what: str, num_filters: int, size: Any, groups: int) -> None:
    if min(num_filters, groups, *size) < 1:
        raise ValueError(f"{what}(num_filters, filter_size, groups): must be at least 1. Received {num_filters}, "
                         f"{list(size)} and {groups}.")


def _convolution(what: str, rank: int, input: Any, num_filters: int, filter_size: Any, stride: Any, padding: Any,
                 dilation: Any, groups: int | None, param_attr: Any, bias_attr: Any, use_cudnn: bool, act: str | None,
                 name: str | None, data_format: str) -> Any:
    given = _Arguments(what, input, data_format, rank, groups, stride=stride, padding=padding, dilation=dilation)
    if num_filters % given.groups:
        raise ValueError(f"{what}(num_filters): must be divisible by groups. "
                         f"Received num_filters={num_filters}, groups={groups}.")
    layer, size = name or generate(what), repeated(what, "filter_size", filter_size, rank)
    drawing(what, layer)
    _check_filters(what, num_filters, size, given.groups)
    deviation = math.sqrt(2.0 / (math.prod(size) * given.channels))
    weight = parameter(layer, "w", param_attr, (num_filters, given.channels // given.groups, *size), input.dtype,
                       initializer=normal(deviation))
    depthwise = rank == 2 and not use_cudnn and given.groups == given.channels and num_filters % given.channels == 0
    op = ops.conv3d_op if rank == 3 else ops.depthwise_conv2d_op if depthwise else ops.conv2d_op
    return given.finished(apply(op, input, weight, **given.attrs), layer, num_filters, bias_attr, act)


def conv2d(input: Any, num_filters: int, filter_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
           groups: int | None = None, param_attr: Any = None, bias_attr: Any = None, use_cudnn: bool = True,
           act: str | None = None, name: str | None = None, data_format: str = "NCHW") -> Any:
    """A convolution of input [N, C, H, W] with `num_filters` filters and a bias, and an activation.

    The arguments are those of `paddle.nn.functional.conv2d`; the filters are drawn from a normal distribution of
    variance 2 / (C * their area). Raises ValueError where shapes and arguments do not fit.

    >>> import proa as paddle
    >>> with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
    ...     paddle.static.nn.conv2d(paddle.static.data("x", [None, 3, 8, 8]), 6, 3, act="relu").shape
    (-1, 6, 6, 6)
    """
    return _convolution("conv2d", 2, input, num_filters, filter_size, stride, padding, dilation, groups, param_attr,
                        bias_attr, use_cudnn, act, name, data_format)


def conv3d(input: Any, num_filters: int, filter_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
           groups: int | None = None, param_attr: Any = None, bias_attr: Any = None, use_cudnn: bool = True,
           act: str | None = None, name: str | None = None, data_format: str = "NCDHW") -> Any:
    """As `conv2d` in three dimensions: input [N, C, D, H, W].

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 3, 8, 8, 8])
    ...     y = static.nn.conv3d(x, 4, 3)
    >>> y.shape
    (-1, 4, 6, 6, 6)
    """
    return _convolution("conv3d", 3, input, num_filters, filter_size, stride, padding, dilation, groups, param_attr,
                        bias_attr, use_cudnn, act, name, data_format)


def _filter_size(given: _Arguments, input: Any, filter_size: Any, output_size: Any) -> list[int]:
    """The filter's sizes, which follow from the result's where they are not given."""
    if filter_size is not None:
        return repeated(given.what, "filter_size", filter_size, given.rank)
    if output_size is None:
        raise ValueError(f"{given.what}: give filter_size or output_size.")
    pads = given.attrs["paddings"]
    if len(pads) == given.rank:
        pads = [n for pad in pads for n in (pad, pad)]
    pads = [before + after for before, after in zip(pads[::2], pads[1::2], strict=True)]
    sizes = [known_size(f"{given.what}(input)", input, n + (1 if given.last else 2)) for n in range(given.rank)]
    wanted = repeated(given.what, "output_size", output_size, given.rank)
    return [(out - (size - 1) * stride + pad - 1) // dilation + 1 for out, size, stride, pad, dilation in zip(
        wanted, sizes, given.attrs["strides"], pads, given.attrs["dilations"], strict=True)]


def _transposed(what: str, op: Operator, rank: int, input: Any, num_filters: int, output_size: Any, filter_size: Any,
                padding: Any, stride: Any, dilation: Any, groups: int | None, param_attr: Any, bias_attr: Any,
                act: str | None, name: str | None, data_format: str) -> Any:
    given = _Arguments(what, input, data_format, rank, groups, stride=stride, padding=padding, dilation=dilation)
    layer, size = name or generate(what), _filter_size(given, input, filter_size, output_size)
    drawing(what, layer)
    weight = parameter(layer, "w", param_attr, (given.channels, num_filters // given.groups, *size), input.dtype)
    wanted = [] if output_size is None else repeated(what, "output_size", output_size, rank)
    inputs = (input, weight, None) if len(op.inputs) == 3 else (input, weight)
    result = apply(op, *inputs, output_size=wanted, output_padding=[], **given.attrs)
    return given.finished(result, layer, num_filters, bias_attr, act)


def conv2d_transpose(input: Any, num_filters: int, output_size: Any = None, filter_size: Any = None, padding: Any = 0,
                     stride: Any = 1, dilation: Any = 1, groups: int | None = None, param_attr: Any = None,
                     bias_attr: Any = None, use_cudnn: bool = True, act: str | None = None, name: str | None = None,
                     data_format: str = "NCHW") -> Any:
    """The transpose of `conv2d` in its input, with `num_filters` channels in the result.

    `output_size` names the result's H and W; without `filter_size` that follows from it.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 3, 8, 8])
    ...     y = static.nn.conv2d_transpose(x, 4, filter_size=3)
    >>> y.shape
    (-1, 4, 10, 10)
    """
    return _transposed("conv2d_transpose", ops.conv2d_transpose_op, 2, input, num_filters, output_size, filter_size,
                       padding, stride, dilation, groups, param_attr, bias_attr, act, name, data_format)


def conv3d_transpose(input: Any, num_filters: int, output_size: Any = None, filter_size: Any = None, padding: Any = 0,
                     stride: Any = 1, dilation: Any = 1, groups: int | None = None, param_attr: Any = None,
                     bias_attr: Any = None, use_cudnn: bool = True, act: str | None = None, name: str | None = None,
                     data_format: str = "NCDHW") -> Any:
    """As `conv2d_transpose` in three dimensions.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 3, 8, 8, 8])
    ...     y = static.nn.conv3d_transpose(x, 4, filter_size=3)
    >>> y.shape
    (-1, 4, 10, 10, 10)
    """
    return _transposed("conv3d_transpose", ops.conv3d_transpose_op, 3, input, num_filters, output_size, filter_size,
                       padding, stride, dilation, groups, param_attr, bias_attr, act, name, data_format)


def deform_conv2d(x: Any, offset: Any, mask: Any, num_filters: int, filter_size: Any, stride: Any = 1,
                  padding: Any = 0, dilation: Any = 1, groups: int = 1, deformable_groups: int = 1,
                  im2col_step: int = 1, weight_attr: Any = None, bias_attr: Any = None,
                  name: str | None = None) -> Any:
    """A convolution whose places are moved by `offset` and weighed by `mask` (None: version 1, without weights).

    See `paddle.vision.ops.deform_conv2d`.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 3, 8, 8])
    ...     offset = static.data("offset", [None, 18, 6, 6])
    ...     mask = static.data("mask", [None, 9, 6, 6])
    ...     y = static.nn.deform_conv2d(x, offset, mask, 4, 3)
    >>> y.shape
    (-1, 4, 6, 6)
    """
    what, layer = "deform_conv2d", name or generate("deformable_conv")
    drawing("deformable_conv", layer)
    channels, size = known_size(f"{what}(x)", x, 1), repeated(what, "filter_size", filter_size, 2)
    _check_filters(what, num_filters, size, groups)
    deviation = math.sqrt(2.0 / (math.prod(size) * channels))
    weight = parameter(layer, "w", weight_attr, (num_filters, channels // groups, *size), x.dtype,
                       initializer=normal(deviation))
    attrs = {"strides": repeated(what, "stride", stride, 2), "paddings": repeated(what, "padding", padding, 2),
             "dilations": repeated(what, "dilation", dilation, 2), "groups": groups,
             "deformable_groups": deformable_groups, "im2col_step": im2col_step}
    inputs = (x, offset, weight) if mask is None else (x, offset, mask, weight)
    result = apply(deformable_conv_v1_op if mask is None else deformable_conv_op, *inputs, **attrs)
    bias = parameter(layer, "b", bias_attr, (num_filters,), x.dtype, is_bias=True)
    return result if bias is None else apply(add_op, result, bias, axis=1)


def deformable_conv(input: Any, offset: Any, mask: Any, num_filters: int, filter_size: Any, stride: Any = 1,
                    padding: Any = 0, dilation: Any = 1, groups: int | None = None,
                    deformable_groups: int | None = None, im2col_step: int | None = None, param_attr: Any = None,
                    bias_attr: Any = None, modulated: bool = True, name: str | None = None) -> Any:
    """`deform_conv2d` with the arguments of 1.x; without `modulated`, `mask` does not count."""
    return deform_conv2d(input, offset, mask if modulated else None, num_filters, filter_size, stride, padding,
                         dilation, groups or 1, deformable_groups or 1, im2col_step or 1, param_attr, bias_attr, name)

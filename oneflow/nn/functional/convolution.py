"""Convolutions and windows: `conv2d`, `conv_transpose2d`, `unfold`, …"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....nn import functional as F
from ....vision.ops import deform_conv2d as _deform_conv2d
from ...charge import flowing
from .shared import layout


def _conv(function: Callable, rank: int, name: str) -> Callable:
    def conv(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
             groups: int = 1, channel_pos: str = "channels_first") -> Any:
        return function(input, weight, bias, stride, padding, dilation, groups, layout(name, channel_pos, rank))

    conv.__name__ = conv.__qualname__ = name
    conv.__doc__ = (f"A convolution over {rank} dimension{'s' if rank > 1 else ''}: input [N, C, …], weight "
                    "[channels out, C / groups, …].")
    return flowing(conv)


conv1d, conv2d, conv3d = _conv(F.conv1d, 1, "conv1d"), _conv(F.conv2d, 2, "conv2d"), _conv(F.conv3d, 3, "conv3d")


def _transposed(function: Callable, rank: int, name: str) -> Callable:
    def conv(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
             groups: int = 1, dilation: Any = 1, channel_pos: str = "channels_first") -> Any:
        return function(input, weight, bias, stride=stride, padding=padding, output_padding=output_padding,
                        groups=groups, dilation=dilation, data_format=layout(name, channel_pos, rank))

    conv.__name__ = conv.__qualname__ = name
    conv.__doc__ = f"The transposed convolution over {rank} dimensions: weight [C, channels out / groups, …]."
    return flowing(conv)


conv_transpose1d = _transposed(F.conv1d_transpose, 1, "conv_transpose1d")
conv_transpose2d = _transposed(F.conv2d_transpose, 2, "conv_transpose2d")
conv_transpose3d = _transposed(F.conv3d_transpose, 3, "conv_transpose3d")


@flowing
def deform_conv2d(input: Any, offset: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
                  dilation: Any = 1, mask: Any = None) -> Any:
    """A convolution whose windows look where `offset` says."""
    groups = input.shape[1] // weight.shape[1]
    kernel = weight.shape[2] * weight.shape[3]
    return _deform_conv2d(input, offset, weight, bias, stride, padding, dilation, offset.shape[1] // (2 * kernel),
                          groups, mask)


@flowing
def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The windows of an image as columns: [N, C * window, windows]."""
    return F.unfold(input, _two(kernel_size), _two(stride), _two(padding), _two(dilation))


@flowing
def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The image whose windows are columns of input, added where they overlap."""
    return F.fold(input, _two(output_size), _two(kernel_size), _two(stride), _two(padding), _two(dilation))


def _two(value: Any) -> list[int]:
    return [value, value] if isinstance(value, int) else list(value)

"""Convolutions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import functional as F
from ..initializer import Normal
from ..layer import Layer


def _pair(value: Any, what: str) -> list[int]:
    if isinstance(value, int):
        return [value, value]
    if isinstance(value, Sequence) and len(value) == 2 and all(isinstance(n, int) for n in value):
        return list(value)
    raise ValueError(f"{what}: must be an int or two ints. Received {value!r}.")


class _Conv2D(Layer):
    """What the two-dimensional convolutions share: sizes, weight and bias."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
                 groups: int, weight_attr: Any, bias_attr: Any, data_format: str):
        super().__init__()
        if data_format not in ("NCHW", "NHWC"):
            raise ValueError(f"{type(self).__name__}(data_format): 'NCHW' or 'NHWC'. Received {data_format!r}.")
        for what, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ValueError(f"{type(self).__name__}({what}): must be divisible by groups. "
                                 f"Received {channels} and groups={groups}.")
        self._in_channels, self._out_channels, self._groups = in_channels, out_channels, groups
        self._kernel_size = _pair(kernel_size, "kernel_size")
        self._stride, self._dilation = _pair(stride, "stride"), _pair(dilation, "dilation")
        self._padding, self._data_format = padding, data_format

    def extra_repr(self) -> str:
        """The sizes."""
        text = f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"
        for name, value, usual in (("stride", self._stride, [1, 1]), ("padding", self._padding, 0),
                                   ("dilation", self._dilation, [1, 1]), ("groups", self._groups, 1)):
            if value != usual:
                text += f", {name}={value}"
        return f"{text}, data_format={self._data_format}"


class Conv2D(_Conv2D):
    """Two-dimensional convolution of [N, C, H, W] with filters [out, in / groups, h, w].

    `padding`: an int, two ints, four ints (top, bottom, left, right), pairs by dimension, 'SAME' or 'VALID'.

    >>> import proa as paddle
    >>> paddle.nn.Conv2D(3, 8, 3, padding=1)(paddle.ones([2, 3, 5, 5])).shape
    [2, 8, 5, 5]
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, padding_mode: str = "zeros", weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCHW"):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, weight_attr,
                         bias_attr, data_format)
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(f"Conv2D(padding_mode): 'zeros', 'reflect', 'replicate' or 'circular'. "
                             f"Received {padding_mode!r}.")
        self._padding_mode = padding_mode
        shape = [out_channels, in_channels // groups, *self._kernel_size]
        deviation = math.sqrt(2.0 / (math.prod(self._kernel_size) * in_channels))
        self.weight = self.create_parameter(shape, weight_attr, default_initializer=Normal(0.0, deviation))
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: Any) -> Any:
        """[N, C, H, W] to [N, out, H', W']."""
        padding = self._padding
        if self._padding_mode != "zeros":
            height, width = _pair(padding, "padding")
            x = F.pad(x, [width, width, height, height], self._padding_mode, data_format=self._data_format)
            padding = 0
        return F.conv2d(x, self.weight, self.bias, self._stride, padding, self._dilation, self._groups,
                        self._data_format)


class Conv2DTranspose(_Conv2D):
    """The transpose of a convolution: [N, C, H, W] with filters [in, out / groups, h, w]."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 output_padding: Any = 0, dilation: Any = 1, groups: int = 1, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCHW"):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, weight_attr,
                         bias_attr, data_format)
        self._output_padding = output_padding
        self.weight = self.create_parameter([in_channels, out_channels // groups, *self._kernel_size], weight_attr)
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: Any, output_size: Any = None) -> Any:
        """[N, C, H, W] to [N, out, H', W']."""
        return F.conv2d_transpose(x, self.weight, self.bias, self._stride, self._padding,
                                  0 if output_size is not None else self._output_padding, self._dilation, self._groups,
                                  output_size, self._data_format)

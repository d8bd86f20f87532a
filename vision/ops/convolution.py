"""Deformable convolution, as a function and as a layer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral
from typing import Any

from ... import nn
from ...nn.initializer import Normal
from ...ops.core.trace import apply, drawing
from ...ops.vision.deform_conv import deformable_conv_op, deformable_conv_v1_op


def _pair(what: str, value: Any) -> list[int]:
    if isinstance(value, Integral):
        return [int(value)] * 2
    if isinstance(value, Sequence) and len(value) == 2 and all(isinstance(n, Integral) for n in value):
        return list(map(int, value))
    raise ValueError(f"deform_conv2d({what}): must be an int or two of them. Received {value!r}.")


def deform_conv2d(x: Any, offset: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
                  dilation: Any = 1, deformable_groups: int = 1, groups: int = 1, mask: Any = None,
                  name: str | None = None) -> Any:
    """A convolution of x [N, C, H, W] with weight [O, C / groups, h, w] whose places are moved: [N, O, H', W'].

    offset [N, 2 * deformable_groups * h * w, H', W'] says how far, down and along for each place of a window in turn;
    between elements x is interpolated, outside it is 0. mask [N, deformable_groups * h * w, H', W'] multiplies what
    stands at the places; bias is [O].
    Dai et al., Deformable Convolutional Networks, 2017; Zhu et al., Deformable ConvNets v2, 2018.

    >>> import proa as paddle
    >>> x, weight = paddle.arange(9.0).reshape([1, 1, 3, 3]), paddle.ones([1, 1, 1, 1])
    >>> paddle.vision.ops.deform_conv2d(x, paddle.full([1, 2, 3, 3], 0.5), weight)[0, 0].tolist()
    [[2.0, 3.0, 1.75], [5.0, 6.0, 3.25], [3.25, 3.75, 2.0]]
    """
    attrs = {"strides": _pair("stride", stride), "paddings": _pair("padding", padding),
             "dilations": _pair("dilation", dilation), "deformable_groups": deformable_groups, "groups": groups,
             "im2col_step": 1}
    drawing("deformable_conv", name)
    if mask is None:
        result = apply(deformable_conv_v1_op, x, offset, weight, **attrs)
    else:
        result = apply(deformable_conv_op, x, offset, mask, weight, **attrs)
    return result if bias is None else result + bias.reshape([1, -1, 1, 1])


class DeformConv2D(nn.Layer):
    """`deform_conv2d` with a weight [out_channels, in_channels / groups, *kernel_size] and a bias [out_channels].

    >>> import proa as paddle
    >>> layer = paddle.vision.ops.DeformConv2D(3, 8, 3)
    >>> layer(paddle.ones([1, 3, 6, 6]), paddle.zeros([1, 18, 4, 4]), paddle.ones([1, 9, 4, 4])).shape
    [1, 8, 4, 4]
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, deformable_groups: int = 1, groups: int = 1, weight_attr: Any = None,
                 bias_attr: Any = None):
        super().__init__()
        if in_channels % groups:
            raise ValueError(f"DeformConv2D(in_channels): must be divisible by groups. "
                             f"Received {in_channels} and groups={groups}.")
        self._kernel_size = _pair("kernel_size", kernel_size)
        self._settings: dict[str, Any] = {"stride": _pair("stride", stride), "padding": _pair("padding", padding),
                          "dilation": _pair("dilation", dilation), "deformable_groups": deformable_groups,
                          "groups": groups}
        deviation = math.sqrt(2.0 / (math.prod(self._kernel_size) * in_channels))
        self.weight = self.create_parameter([out_channels, in_channels // groups, *self._kernel_size], weight_attr,
                                            default_initializer=Normal(0.0, deviation))
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: Any, offset: Any, mask: Any = None) -> Any:
        """[N, in_channels, H, W] to [N, out_channels, H', W']."""
        return deform_conv2d(x, offset, self.weight, self.bias, mask=mask, **self._settings)

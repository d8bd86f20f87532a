"""The layers that many networks for images repeat: a convolution, its norm and its activation."""

from __future__ import annotations

from typing import Any

from ... import nn


class ConvNormActivation(nn.Sequential):
    """A convolution, a norm and an activation, [N, in_channels, H, W] to [N, out_channels, H', W'].

    `padding` None keeps height and width at stride 1; `norm_layer` and `activation_layer` make the layers that follow,
    None for none; `bias` None gives the convolution one where no norm follows.

    >>> import proa as paddle
    >>> from proa.vision.ops import ConvNormActivation
    >>> ConvNormActivation(3, 8, stride=2)(paddle.zeros([1, 3, 6, 6])).shape
    [1, 8, 3, 3]
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any = 3, stride: Any = 1, padding: Any = None,
                 groups: int = 1, norm_layer: Any = nn.BatchNorm2D, activation_layer: Any = nn.ReLU, dilation: Any = 1,
                 bias: bool | None = None):
        if padding is None:
            padding = (kernel_size - 1) // 2 * dilation
        if bias is None:
            bias = norm_layer is None
        layers = [nn.Conv2D(in_channels, out_channels, kernel_size, stride, padding, dilation=dilation, groups=groups,
                            bias_attr=None if bias else False)]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer())
        super().__init__(*layers)

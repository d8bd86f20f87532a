"""MobileNetV3: inverted residuals with squeeze and excitation and with hard activations."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from ... import nn
from ...ops.array.reshape import flatten
from ..ops.blocks import ConvNormActivation
from .pretrained import divisible, refuse_download


class SqueezeExcitation(nn.Layer):
    """x [N, C, H, W] times a factor for each channel, which two 1×1 convolutions make of the channels' means.

    Hu et al., Squeeze-and-Excitation Networks, 2017.
    """

    def __init__(self, input_channels: int, squeeze_channels: int, activation: Any = nn.ReLU,
                 scale_activation: Any = nn.Sigmoid):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2D(1)
        self.fc1 = nn.Conv2D(input_channels, squeeze_channels, 1)
        self.fc2 = nn.Conv2D(squeeze_channels, input_channels, 1)
        self.activation = activation()
        self.scale_activation = scale_activation()

    def forward(self, x: Any) -> Any:
        """[N, C, H, W] alike."""
        factor = self.fc2(self.activation(self.fc1(self.avgpool(x))))
        return self.scale_activation(factor) * x


class Bottleneck(NamedTuple):
    """One inverted residual, with channels before scaling."""

    kernel: int
    expanded: int
    outputs: int
    squeezes: bool
    activation: str
    stride: int


class InvertedResidual(nn.Layer):
    """Channels expanded, a convolution of each by itself, their excitation, and a linear map to the output's channels.

    The input is added where it has the shape of the result.
    """

    def __init__(self, in_channels: int, expanded_channels: int, out_channels: int, filter_size: int, stride: int,
                 use_se: bool, activation_layer: Any, norm_layer: Any):
        super().__init__()
        self.use_res_connect = stride == 1 and in_channels == out_channels
        self.use_se, self.expand = use_se, in_channels != expanded_channels
        settings: dict[str, Any] = {"norm_layer": norm_layer, "activation_layer": activation_layer}
        if self.expand:
            self.expand_conv = ConvNormActivation(in_channels, expanded_channels, 1, padding=0, **settings)
        self.bottleneck_conv = ConvNormActivation(expanded_channels, expanded_channels, filter_size, stride=stride,
                                                  groups=expanded_channels, **settings)
        if use_se:
            self.mid_se = SqueezeExcitation(expanded_channels, divisible(expanded_channels // 4),
                                            scale_activation=nn.Hardsigmoid)
        self.linear_conv = ConvNormActivation(expanded_channels, out_channels, 1, padding=0, norm_layer=norm_layer,
                                              activation_layer=None)

    def forward(self, x: Any) -> Any:
        """[N, in_channels, H, W] to [N, out_channels, H / stride, W / stride]."""
        inner = self.bottleneck_conv(self.expand_conv(x) if self.expand else x)
        result = self.linear_conv(self.mid_se(inner) if self.use_se else inner)
        return x + result if self.use_res_connect else result


_norm = functools.partial(nn.BatchNorm2D, epsilon=0.001, momentum=0.99)
_ACTIVATIONS = {"relu": nn.ReLU, "hardswish": nn.Hardswish}


class MobileNetV3(nn.Layer):
    """What both sizes share: [N, 3, H, W] to [N, num_classes]; `config` lists the inverted residuals.

    `scale` multiplies the channels of every layer, `last_channel` (before it) is the width of the first linear map.
    With with_pool=False the mean is left out, with num_classes=0 the linear maps (which need the mean).
    Howard et al., Searching for MobileNetV3, 2019.
    """

    def __init__(self, config: Sequence[Bottleneck], last_channel: int, scale: float = 1.0, num_classes: int = 1000,
                 with_pool: bool = True):
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        self.last_channel = divisible(last_channel * scale)
        channels = divisible(16 * scale)
        settings: dict[str, Any] = {"norm_layer": _norm, "activation_layer": nn.Hardswish}
        self.conv = ConvNormActivation(3, channels, stride=2, padding=1, **settings)
        blocks = []
        for entry in config:
            outputs = divisible(entry.outputs * scale)
            blocks.append(InvertedResidual(channels, divisible(entry.expanded * scale), outputs, entry.kernel,
                                           entry.stride, entry.squeezes, _ACTIVATIONS[entry.activation], _norm))
            channels = outputs
        self.blocks = nn.Sequential(*blocks)
        self.lastconv = ConvNormActivation(channels, channels * 6, 1, padding=0, **settings)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(nn.Linear(channels * 6, self.last_channel), nn.Hardswish(),
                                            nn.Dropout(0.2), nn.Linear(self.last_channel, num_classes))

    def forward(self, x: Any) -> Any:
        """[N, 3, H, W] to [N, num_classes]."""
        x = self.lastconv(self.blocks(self.conv(x)))
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(flatten(x, 1)) if self.num_classes > 0 else x


_SMALL = (
    Bottleneck(3, 16, 16, True, "relu", 2), Bottleneck(3, 72, 24, False, "relu", 2),
    Bottleneck(3, 88, 24, False, "relu", 1), Bottleneck(5, 96, 40, True, "hardswish", 2),
    *(Bottleneck(5, 240, 40, True, "hardswish", 1),) * 2, Bottleneck(5, 120, 48, True, "hardswish", 1),
    Bottleneck(5, 144, 48, True, "hardswish", 1), Bottleneck(5, 288, 96, True, "hardswish", 2),
    *(Bottleneck(5, 576, 96, True, "hardswish", 1),) * 2)
_LARGE = (
    Bottleneck(3, 16, 16, False, "relu", 1), Bottleneck(3, 64, 24, False, "relu", 2),
    Bottleneck(3, 72, 24, False, "relu", 1), Bottleneck(5, 72, 40, True, "relu", 2),
    *(Bottleneck(5, 120, 40, True, "relu", 1),) * 2, Bottleneck(3, 240, 80, False, "hardswish", 2),
    Bottleneck(3, 200, 80, False, "hardswish", 1), *(Bottleneck(3, 184, 80, False, "hardswish", 1),) * 2,
    Bottleneck(3, 480, 112, True, "hardswish", 1), Bottleneck(3, 672, 112, True, "hardswish", 1),
    Bottleneck(5, 672, 160, True, "hardswish", 2), *(Bottleneck(5, 960, 160, True, "hardswish", 1),) * 2)


class MobileNetV3Small(MobileNetV3):
    """The small MobileNetV3; the arguments are those of `MobileNetV3`.

    >>> import proa as paddle
    >>> paddle.vision.models.MobileNetV3Small(scale=0.5, num_classes=10)(paddle.zeros([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True):
        super().__init__(_SMALL, 1024, scale, num_classes, with_pool)


class MobileNetV3Large(MobileNetV3):
    """The large MobileNetV3; the arguments are those of `MobileNetV3`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.MobileNetV3Large()
    >>> sum(parameter.size for parameter in net.parameters())
    5507432
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True):
        super().__init__(_LARGE, 1280, scale, num_classes, with_pool)


def mobilenet_v3_small(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV3Small:
    """The small MobileNetV3; keyword arguments are those of the class.

    `pretrained=True` raises NotImplementedError, which tells how to load weights from a file.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.mobilenet_v3_small()
    >>> sum(parameter.size for parameter in net.parameters())
    2554968
    """
    refuse_download("mobilenet_v3_small", pretrained)
    return MobileNetV3Small(scale=scale, **kwargs)


def mobilenet_v3_large(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV3Large:
    """The large MobileNetV3; the arguments are those of `mobilenet_v3_small`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.mobilenet_v3_large()
    >>> sum(parameter.size for parameter in net.parameters())
    5507432
    """
    refuse_download("mobilenet_v3_large", pretrained)
    return MobileNetV3Large(scale=scale, **kwargs)

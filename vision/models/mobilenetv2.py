"""MobileNetV2: residuals between thin layers, with wide ones inside."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...ops.array.reshape import flatten
from ..ops.blocks import ConvNormActivation
from .pretrained import divisible, refuse_download


class InvertedResidual(nn.Layer):
    """Channels made `expand_ratio` times as many, a 3×3 convolution of each, and a linear map back to `oup` channels.

    The input is added where it has the shape of the result.
    """

    def __init__(self, inp: int, oup: int, stride: int, expand_ratio: int, norm_layer: Any = nn.BatchNorm2D):
        super().__init__()
        hidden = round(inp * expand_ratio)
        settings = {"norm_layer": norm_layer, "activation_layer": nn.ReLU6}
        self.use_res_connect = stride == 1 and inp == oup
        expansion = [] if expand_ratio == 1 else [ConvNormActivation(inp, hidden, 1, **settings)]
        self.conv = nn.Sequential(
            *expansion, ConvNormActivation(hidden, hidden, stride=stride, groups=hidden, **settings),
            nn.Conv2D(hidden, oup, 1, bias_attr=False), norm_layer(oup))

    def forward(self, x: Any) -> Any:
        """[N, inp, H, W] to [N, oup, H / stride, W / stride]."""
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


# expansion, channels before scaling, blocks, stride of the first
_STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


class MobileNetV2(nn.Layer):
    """MobileNetV2: [N, 3, H, W] to [N, num_classes]; `scale` multiplies the channels of every layer.

    With with_pool=False the mean is left out, with num_classes=0 the linear map (which needs the mean).
    Sandler et al., MobileNetV2: Inverted Residuals and Linear Bottlenecks, 2018.

    >>> import proa as paddle
    >>> paddle.vision.models.MobileNetV2(scale=0.25, num_classes=10)(paddle.zeros([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True):
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        channels = divisible(32 * scale)
        self.last_channel = divisible(1280 * max(1.0, scale))
        features: list[nn.Layer] = [ConvNormActivation(3, channels, stride=2, activation_layer=nn.ReLU6)]
        for expansion, wide, count, stride in _STAGES:
            outputs = divisible(wide * scale)
            for n in range(count):
                features.append(InvertedResidual(channels, outputs, stride if n == 0 else 1, expansion))
                channels = outputs
        features.append(ConvNormActivation(channels, self.last_channel, 1, activation_layer=nn.ReLU6))
        self.features = nn.Sequential(*features)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(self.last_channel, num_classes))

    def forward(self, x: Any) -> Any:
        """[N, 3, H, W] to [N, num_classes]."""
        x = self.features(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.classifier(flatten(x, 1)) if self.num_classes > 0 else x


def mobilenet_v2(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV2:
    """MobileNetV2; keyword arguments are those of the class.

    `pretrained=True` raises NotImplementedError, which tells how to load weights from a file.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.mobilenet_v2()
    >>> sum(parameter.size for parameter in net.parameters())
    3538984
    """
    refuse_download("mobilenet_v2", pretrained)
    return MobileNetV2(scale=scale, **kwargs)

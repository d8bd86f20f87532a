"""MobileNet: convolutions taken apart into one for each channel and one across channels."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...ops.array.reshape import flatten
from ..ops.blocks import ConvNormActivation
from .pretrained import refuse_download


class DepthwiseSeparable(nn.Layer):
    """A 3×3 convolution of each channel by itself and a 1×1 convolution across them, each with norm and ReLU."""

    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self._depthwise_conv = ConvNormActivation(inputs, inputs, 3, stride=stride, padding=1, groups=inputs)
        self._pointwise_conv = ConvNormActivation(inputs, outputs, 1, stride=1, padding=0)

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, outputs, H / stride, W / stride]."""
        return self._pointwise_conv(self._depthwise_conv(x))


# name, channels before scaling, stride
_BLOCKS = (("conv2_1", 64, 1), ("conv2_2", 128, 2), ("conv3_1", 128, 1), ("conv3_2", 256, 2), ("conv4_1", 256, 1),
           ("conv4_2", 512, 2), *((f"conv5_{n}", 512, 1) for n in range(1, 6)), ("conv5_6", 1024, 2),
           ("conv6", 1024, 1))


class MobileNetV1(nn.Layer):
    """MobileNet: [N, 3, H, W] to [N, num_classes]; `scale` multiplies the channels of every layer.

    With with_pool=False the mean is left out, with num_classes=0 the linear map (which needs the mean).
    Howard et al., MobileNets: Efficient Convolutional Neural Networks for Mobile Vision Applications, 2017.

    >>> import proa as paddle
    >>> paddle.vision.models.MobileNetV1(scale=0.25, num_classes=10)(paddle.zeros([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True):
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        channels = int(32 * scale)
        self.conv1 = ConvNormActivation(3, channels, 3, stride=2, padding=1)
        for name, wide, stride in _BLOCKS:
            self.add_sublayer(name, DepthwiseSeparable(channels, int(wide * scale), stride))
            channels = int(wide * scale)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.fc = nn.Linear(channels, num_classes)

    def forward(self, x: Any) -> Any:
        """[N, 3, H, W] to [N, num_classes]."""
        x = self.conv1(x)
        for name, _, _ in _BLOCKS:
            x = getattr(self, name)(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.fc(flatten(x, 1)) if self.num_classes > 0 else x


def mobilenet_v1(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV1:
    """MobileNet; keyword arguments are those of the class.

    `pretrained=True` raises NotImplementedError, which tells how to load weights from a file.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.mobilenet_v1()
    >>> sum(parameter.size for parameter in net.parameters())
    4253864
    """
    refuse_download("mobilenet_v1", pretrained)
    return MobileNetV1(scale=scale, **kwargs)

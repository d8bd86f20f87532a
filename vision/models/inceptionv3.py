"""InceptionV3: inception modules whose large convolutions are factored into small ones."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...ops.array.concat_split import concat
from ...ops.array.reshape import flatten
from ..ops.blocks import ConvNormActivation
from .beginnings import even
from .pretrained import refuse_download


def _conv(inputs: int, outputs: int, kernel: Any, stride: int = 1, padding: Any = 0) -> ConvNormActivation:
    return ConvNormActivation(inputs, outputs, kernel, stride=stride, padding=padding)


def _mean() -> nn.AvgPool2D:
    return nn.AvgPool2D(kernel_size=3, stride=1, padding=1, exclusive=False)


class InceptionStem(nn.Layer):
    """Convolutions and pooling that make [N, 192, 35, 35] of [N, 3, 299, 299]."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_1a_3x3 = _conv(3, 32, 3, stride=2)
        self.conv_2a_3x3 = _conv(32, 32, 3)
        self.conv_2b_3x3 = _conv(32, 64, 3, padding=1)
        self.max_pool = nn.MaxPool2D(kernel_size=3, stride=2)
        self.conv_3b_1x1 = _conv(64, 80, 1)
        self.conv_4a_3x3 = _conv(80, 192, 3)

    def forward(self, x: Any) -> Any:
        """[N, 3, 299, 299] to [N, 192, 35, 35]."""
        x = self.max_pool(self.conv_2b_3x3(self.conv_2a_3x3(self.conv_1a_3x3(x))))
        return self.max_pool(self.conv_4a_3x3(self.conv_3b_1x1(x)))


class InceptionA(nn.Layer):
    """Branches of 1×1, 5×5 and two 3×3 convolutions and of a mean: 224 + `pooled` channels."""

    def __init__(self, inputs: int, pooled: int):
        super().__init__()
        self.branch1x1 = _conv(inputs, 64, 1)
        self.branch5x5_1 = _conv(inputs, 48, 1)
        self.branch5x5_2 = _conv(48, 64, 5, padding=2)
        self.branch3x3dbl_1 = _conv(inputs, 64, 1)
        self.branch3x3dbl_2 = _conv(64, 96, 3, padding=1)
        self.branch3x3dbl_3 = _conv(96, 96, 3, padding=1)
        self.branch_pool = _mean()
        self.branch_pool_conv = _conv(inputs, pooled, 1)

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, 224 + pooled, H, W]."""
        return concat([self.branch1x1(x), self.branch5x5_2(self.branch5x5_1(x)),
                       self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x))),
                       self.branch_pool_conv(self.branch_pool(x))], axis=1)


class InceptionB(nn.Layer):
    """Height and width halved by one and by two 3×3 convolutions and by pooling: 480 channels more."""

    def __init__(self, inputs: int):
        super().__init__()
        self.branch3x3 = _conv(inputs, 384, 3, stride=2)
        self.branch3x3dbl_1 = _conv(inputs, 64, 1)
        self.branch3x3dbl_2 = _conv(64, 96, 3, padding=1)
        self.branch3x3dbl_3 = _conv(96, 96, 3, stride=2)
        self.branch_pool = nn.MaxPool2D(kernel_size=3, stride=2)

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, inputs + 480, H / 2, W / 2]."""
        return concat([self.branch3x3(x), self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x))),
                       self.branch_pool(x)], axis=1)


class InceptionC(nn.Layer):
    """Branches of 7×7 convolutions, each a 1×7 and a 7×1 one, of `inner` channels: 768 channels."""

    def __init__(self, inputs: int, inner: int):
        super().__init__()
        along: dict[str, Any] = {"kernel": (1, 7), "padding": (0, 3)}
        down: dict[str, Any] = {"kernel": (7, 1), "padding": (3, 0)}
        self.branch1x1 = _conv(inputs, 192, 1)
        self.branch7x7_1 = _conv(inputs, inner, 1)
        self.branch7x7_2 = _conv(inner, inner, **along)
        self.branch7x7_3 = _conv(inner, 192, **down)
        self.branch7x7dbl_1 = _conv(inputs, inner, 1)
        self.branch7x7dbl_2 = _conv(inner, inner, **down)
        self.branch7x7dbl_3 = _conv(inner, inner, **along)
        self.branch7x7dbl_4 = _conv(inner, inner, **down)
        self.branch7x7dbl_5 = _conv(inner, 192, **along)
        self.branch_pool = _mean()
        self.branch_pool_conv = _conv(inputs, 192, 1)

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, 768, H, W]."""
        twice = self.branch7x7dbl_3(self.branch7x7dbl_2(self.branch7x7dbl_1(x)))
        return concat([self.branch1x1(x), self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x))),
                       self.branch7x7dbl_5(self.branch7x7dbl_4(twice)),
                       self.branch_pool_conv(self.branch_pool(x))], axis=1)


class InceptionD(nn.Layer):
    """Height and width halved by a 3×3, by a 7×7 and a 3×3 convolution and by pooling: 512 channels more."""

    def __init__(self, inputs: int):
        super().__init__()
        self.branch3x3_1 = _conv(inputs, 192, 1)
        self.branch3x3_2 = _conv(192, 320, 3, stride=2)
        self.branch7x7x3_1 = _conv(inputs, 192, 1)
        self.branch7x7x3_2 = _conv(192, 192, (1, 7), padding=(0, 3))
        self.branch7x7x3_3 = _conv(192, 192, (7, 1), padding=(3, 0))
        self.branch7x7x3_4 = _conv(192, 192, 3, stride=2)
        self.branch_pool = nn.MaxPool2D(kernel_size=3, stride=2)

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, inputs + 512, H / 2, W / 2]."""
        seven = self.branch7x7x3_3(self.branch7x7x3_2(self.branch7x7x3_1(x)))
        return concat([self.branch3x3_2(self.branch3x3_1(x)), self.branch7x7x3_4(seven), self.branch_pool(x)], axis=1)


class InceptionE(nn.Layer):
    """Branches that end in a 1×3 and a 3×1 convolution side by side: 2048 channels."""

    def __init__(self, inputs: int):
        super().__init__()
        along: dict[str, Any] = {"kernel": (1, 3), "padding": (0, 1)}
        down: dict[str, Any] = {"kernel": (3, 1), "padding": (1, 0)}
        self.branch1x1 = _conv(inputs, 320, 1)
        self.branch3x3_1 = _conv(inputs, 384, 1)
        self.branch3x3_2a = _conv(384, 384, **along)
        self.branch3x3_2b = _conv(384, 384, **down)
        self.branch3x3dbl_1 = _conv(inputs, 448, 1)
        self.branch3x3dbl_2 = _conv(448, 384, 3, padding=1)
        self.branch3x3dbl_3a = _conv(384, 384, **along)
        self.branch3x3dbl_3b = _conv(384, 384, **down)
        self.branch_pool = _mean()
        self.branch_pool_conv = _conv(inputs, 192, 1)

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, 2048, H, W]."""
        one, two = self.branch3x3_1(x), self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        return concat([self.branch1x1(x), self.branch3x3_2a(one), self.branch3x3_2b(one), self.branch3x3dbl_3a(two),
                       self.branch3x3dbl_3b(two), self.branch_pool_conv(self.branch_pool(x))], axis=1)


class InceptionV3(nn.Layer):
    """InceptionV3: [N, 3, 299, 299] to [N, num_classes]; other sizes from 75 on too.

    With with_pool=False the mean is left out, with num_classes=0 the linear map (which needs the mean).
    Szegedy et al., Rethinking the Inception Architecture for Computer Vision, 2015.

    >>> import proa as paddle
    >>> paddle.vision.models.InceptionV3(num_classes=0)(paddle.zeros([1, 3, 75, 75])).shape
    [1, 2048, 1, 1]
    """

    def __init__(self, num_classes: int = 1000, with_pool: bool = True):
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self.inception_stem = InceptionStem()
        self.inception_block_list = nn.LayerList([
            InceptionA(192, 32), InceptionA(256, 64), InceptionA(288, 64), InceptionB(288),
            *(InceptionC(768, inner) for inner in (128, 160, 160, 192)), InceptionD(768),
            InceptionE(1280), InceptionE(2048)])
        if with_pool:
            self.avg_pool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.dropout = nn.Dropout(0.2, mode="downscale_in_infer")
            self.fc = nn.Linear(2048, num_classes, weight_attr=even(2048))

    def forward(self, x: Any) -> Any:
        """[N, 3, 299, 299] to [N, num_classes]."""
        x = self.inception_stem(x)
        for block in self.inception_block_list:
            x = block(x)
        if self.with_pool:
            x = self.avg_pool(x)
        return self.fc(self.dropout(flatten(x, 1))) if self.num_classes > 0 else x


def inception_v3(pretrained: bool = False, **kwargs: Any) -> InceptionV3:
    """InceptionV3; keyword arguments are those of the class.

    `pretrained=True` raises NotImplementedError, which tells how to load weights from a file.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.inception_v3()
    >>> sum(parameter.size for parameter in net.parameters())
    23869000
    """
    refuse_download("inception_v3", pretrained)
    return InceptionV3(**kwargs)

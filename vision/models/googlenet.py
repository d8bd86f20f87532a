"""GoogLeNet: convolutions of several sizes side by side, and two more outputs from the middle."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...nn import functional as F
from ...ops.array.concat_split import concat
from ...ops.array.reshape import flatten, squeeze
from .beginnings import even
from .pretrained import refuse_download


class ConvLayer(nn.Layer):
    """A convolution without bias that keeps height and width at stride 1."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int = 1):
        super().__init__()
        self._conv = nn.Conv2D(inputs, outputs, kernel, stride=stride, padding=(kernel - 1) // 2, bias_attr=False)

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, outputs, H / stride, W / stride]."""
        return self._conv(x)


class Inception(nn.Layer):
    """1×1, 3×3 and 5×5 convolutions and pooling side by side, with ReLU behind them all.

    `one`, (`reduced3`, `three`), (`reduced5`, `five`) and `pooled` are the channels of the four branches.
    """

    def __init__(self, inputs: int, one: int, reduced3: int, three: int, reduced5: int, five: int, pooled: int):
        super().__init__()
        self._conv1 = ConvLayer(inputs, one, 1)
        self._conv3r = ConvLayer(inputs, reduced3, 1)
        self._conv3 = ConvLayer(reduced3, three, 3)
        self._conv5r = ConvLayer(inputs, reduced5, 1)
        self._conv5 = ConvLayer(reduced5, five, 5)
        self._pool = nn.MaxPool2D(kernel_size=3, stride=1, padding=1)
        self._convprj = ConvLayer(inputs, pooled, 1)

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, one + three + five + pooled, H, W]."""
        branches = [self._conv1(x), self._conv3(self._conv3r(x)), self._conv5(self._conv5r(x)),
                    self._convprj(self._pool(x))]
        return F.relu(concat(branches, axis=1))


class GoogLeNet(nn.Layer):
    """GoogLeNet: [N, 3, 224, 224] to three results [N, num_classes]: the last one's, and two from the middle.

    With with_pool=False the means are left out, with num_classes=0 the linear maps (which need the means).
    Szegedy et al., Going Deeper with Convolutions, 2014. As in PaddlePaddle, convolutions outside the inception modules
    have no activation, nor has the first linear map of the third result.

    >>> import proa as paddle
    >>> model = paddle.vision.models.GoogLeNet(num_classes=0)
    >>> [result.shape for result in model(paddle.zeros([1, 3, 224, 224]))]
    [[1, 1024, 1, 1], [1, 512, 3, 3], [1, 528, 3, 3]]
    """

    def __init__(self, num_classes: int = 1000, with_pool: bool = True):
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self._conv = ConvLayer(3, 64, 7, 2)
        self._pool = nn.MaxPool2D(kernel_size=3, stride=2)
        self._conv_1 = ConvLayer(64, 64, 1)
        self._conv_2 = ConvLayer(64, 192, 3)
        self._ince3a = Inception(192, 64, 96, 128, 16, 32, 32)
        self._ince3b = Inception(256, 128, 128, 192, 32, 96, 64)
        self._ince4a = Inception(480, 192, 96, 208, 16, 48, 64)
        self._ince4b = Inception(512, 160, 112, 224, 24, 64, 64)
        self._ince4c = Inception(512, 128, 128, 256, 24, 64, 64)
        self._ince4d = Inception(512, 112, 144, 288, 32, 64, 64)
        self._ince4e = Inception(528, 256, 160, 320, 32, 128, 128)
        self._ince5a = Inception(832, 256, 160, 320, 32, 128, 128)
        self._ince5b = Inception(832, 384, 192, 384, 48, 128, 128)
        if with_pool:
            self._pool_5 = nn.AdaptiveAvgPool2D(1)
            self._pool_o1 = nn.AvgPool2D(kernel_size=5, stride=3)
            self._pool_o2 = nn.AvgPool2D(kernel_size=5, stride=3)
        if num_classes > 0:
            self._add_results(num_classes)

    def _add_results(self, num_classes: int) -> None:
        self._drop = nn.Dropout(0.4, mode="downscale_in_infer")
        self._fc_out = nn.Linear(1024, num_classes, weight_attr=even(1024, 1.0))
        self._conv_o1 = ConvLayer(512, 128, 1)
        self._fc_o1 = nn.Linear(1152, 1024, weight_attr=even(2048, 1.0))
        self._drop_o1 = nn.Dropout(0.7, mode="downscale_in_infer")
        self._out1 = nn.Linear(1024, num_classes, weight_attr=even(1024, 1.0))
        self._conv_o2 = ConvLayer(528, 128, 1)
        self._fc_o2 = nn.Linear(1152, 1024, weight_attr=even(2048, 1.0))
        self._drop_o2 = nn.Dropout(0.7, mode="downscale_in_infer")
        self._out2 = nn.Linear(1024, num_classes, weight_attr=even(1024, 1.0))

    def forward(self, inputs: Any) -> list[Any]:
        """[N, 3, 224, 224] to three results [N, num_classes]."""
        x = self._pool(self._conv(inputs))
        x = self._pool(self._conv_2(self._conv_1(x)))
        first = self._ince4a(self._pool(self._ince3b(self._ince3a(x))))
        second = self._ince4d(self._ince4c(self._ince4b(first)))
        out = self._ince5b(self._ince5a(self._pool(self._ince4e(second))))
        if self.with_pool:
            out, first, second = self._pool_5(out), self._pool_o1(first), self._pool_o2(second)
        if self.num_classes > 0:
            out = self._fc_out(squeeze(self._drop(out), [2, 3]))
            first = F.relu(self._fc_o1(flatten(self._conv_o1(first), 1)))
            first = self._out1(self._drop_o1(first))
            second = self._out2(self._drop_o2(self._fc_o2(flatten(self._conv_o2(second), 1))))
        return [out, first, second]


def googlenet(pretrained: bool = False, **kwargs: Any) -> GoogLeNet:
    """GoogLeNet; keyword arguments are those of the class.

    `pretrained=True` raises NotImplementedError, which tells how to load weights from a file.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.googlenet()
    >>> sum(parameter.size for parameter in net.parameters())
    11535736
    """
    refuse_download("googlenet", pretrained)
    return GoogLeNet(**kwargs)

"""AlexNet: five convolutions and three linear maps."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...nn import functional as F
from ...ops.array.reshape import flatten
from .beginnings import even
from .pretrained import refuse_download


def _even(inputs: int) -> dict[str, Any]:
    return {"weight_attr": even(inputs), "bias_attr": even(inputs)}


class ConvPoolLayer(nn.Layer):
    """A convolution, ReLU, and max pooling of windows of 3 at every second place."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, padding: int):
        super().__init__()
        self.relu = nn.ReLU()
        self._conv = nn.Conv2D(inputs, outputs, kernel, stride=stride, padding=padding, **_even(inputs * kernel**2))
        self._pool = nn.MaxPool2D(3, 2)

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, outputs, H', W']."""
        return self._pool(self.relu(self._conv(x)))


class AlexNet(nn.Layer):
    """AlexNet: [N, 3, 224, 224] to [N, num_classes], with num_classes=0 to the features [N, 256, 6, 6].

    Krizhevsky, One weird trick for parallelizing convolutional neural networks, 2014.

    >>> import proa as paddle
    >>> model = paddle.vision.models.AlexNet(num_classes=0)
    >>> model(paddle.zeros([1, 3, 224, 224])).shape
    [1, 256, 6, 6]
    """

    def __init__(self, num_classes: int = 1000):
        super().__init__()
        self.num_classes = num_classes
        self._conv1 = ConvPoolLayer(3, 64, 11, 4, 2)
        self._conv2 = ConvPoolLayer(64, 192, 5, 1, 2)
        self._conv3 = nn.Conv2D(192, 384, 3, padding=1, **_even(192 * 9))
        self._conv4 = nn.Conv2D(384, 256, 3, padding=1, **_even(384 * 9))
        self._conv5 = ConvPoolLayer(256, 256, 3, 1, 1)
        if num_classes > 0:
            within = _even(256 * 6 * 6)  # of all three, as Paddle has it
            self._drop1 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc6 = nn.Linear(256 * 6 * 6, 4096, **within)
            self._drop2 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc7 = nn.Linear(4096, 4096, **within)
            self._fc8 = nn.Linear(4096, num_classes, **within)

    def forward(self, inputs: Any) -> Any:
        """[N, 3, 224, 224] to [N, num_classes]."""
        x = self._conv2(self._conv1(inputs))
        x = self._conv5(F.relu(self._conv4(F.relu(self._conv3(x)))))
        if self.num_classes <= 0:
            return x
        x = F.relu(self._fc6(self._drop1(flatten(x, 1))))
        return self._fc8(F.relu(self._fc7(self._drop2(x))))


def alexnet(pretrained: bool = False, **kwargs: Any) -> AlexNet:
    """AlexNet; keyword arguments are those of the class.

    `pretrained=True` raises NotImplementedError, which tells how to load weights from a file.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.alexnet()
    >>> sum(parameter.size for parameter in net.parameters())
    61100840
    """
    refuse_download("alexnet", pretrained)
    return AlexNet(**kwargs)

"""SqueezeNet: channels squeezed before 3×3 convolutions, and a convolution instead of linear maps."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...nn import functional as F
from ...ops.array.concat_split import concat
from ...ops.array.reshape import squeeze
from .pretrained import refuse_download


class MakeFireConv(nn.Layer):
    """A convolution that keeps height and width, and ReLU."""

    def __init__(self, inputs: int, outputs: int, kernel: int, padding: int = 0):
        super().__init__()
        self._conv = nn.Conv2D(inputs, outputs, kernel, padding=padding)

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, outputs, H, W]."""
        return F.relu(self._conv(x))


class MakeFire(nn.Layer):
    """A fire module: channels squeezed to `squeezed`, then expanded by 1×1 and by 3×3 filters side by side."""

    def __init__(self, inputs: int, squeezed: int, expanded: int):
        super().__init__()
        self._conv = MakeFireConv(inputs, squeezed, 1)
        self._conv_path1 = MakeFireConv(squeezed, expanded, 1)
        self._conv_path2 = MakeFireConv(squeezed, expanded, 3, padding=1)

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, 2 * expanded, H, W]."""
        x = self._conv(x)
        return concat([self._conv_path1(x), self._conv_path2(x)], axis=1)


_FIRES = ((16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256))
# version: channels, kernel and padding of the first convolution, and before which fire modules there is pooling
_VERSIONS = {"1.0": (96, 7, 0, (0, 3, 7)), "1.1": (64, 3, 1, (0, 2, 4))}


class SqueezeNet(nn.Layer):
    """SqueezeNet of version '1.0' or '1.1': [N, 3, H, W] to [N, num_classes].

    With with_pool=False the last activation and the mean are left out: [N, num_classes, H', W']; with num_classes=0 the
    last convolution: [N, 512, 1, 1] are the features.
    Iandola et al., SqueezeNet: AlexNet-level accuracy with 50x fewer parameters and <0.5MB model size, 2016.

    >>> import proa as paddle
    >>> paddle.vision.models.SqueezeNet("1.1", num_classes=10)(paddle.zeros([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, version: str, num_classes: int = 1000, with_pool: bool = True):
        super().__init__()
        if version not in _VERSIONS:
            raise ValueError(f"SqueezeNet(version): '1.0' or '1.1'. Received {version!r}.")
        self.version, self.num_classes, self.with_pool = version, num_classes, with_pool
        channels, kernel, padding, self._pooled = _VERSIONS[version]
        self._conv = nn.Conv2D(3, channels, kernel, stride=2, padding=padding)
        self._pool = nn.MaxPool2D(kernel_size=3, stride=2)
        for n, (squeezed, expanded) in enumerate(_FIRES, 1):
            self.add_sublayer(f"_conv{n}", MakeFire(channels, squeezed, expanded))
            channels = 2 * expanded
        if num_classes > 0:
            self._drop = nn.Dropout(0.5, mode="downscale_in_infer")
            self._conv9 = nn.Conv2D(channels, num_classes, 1)
        self._avg_pool = nn.AdaptiveAvgPool2D(1)

    def forward(self, inputs: Any) -> Any:
        """[N, 3, H, W] to [N, num_classes]."""
        x = F.relu(self._conv(inputs))
        for n in range(len(_FIRES)):
            x = getattr(self, f"_conv{n + 1}")(self._pool(x) if n in self._pooled else x)
        if self.num_classes <= 0:
            return self._avg_pool(x) if self.with_pool else x
        x = self._conv9(self._drop(x))
        return squeeze(self._avg_pool(F.relu(x)), [2, 3]) if self.with_pool else x


def squeezenet1_0(pretrained: bool = False, **kwargs: Any) -> SqueezeNet:
    """SqueezeNet 1.0; keyword arguments are those of the class.

    `pretrained=True` raises NotImplementedError, which tells how to load weights from a file.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.squeezenet1_0()
    >>> sum(parameter.size for parameter in net.parameters())
    1248424
    """
    refuse_download("squeezenet1_0", pretrained)
    return SqueezeNet("1.0", **kwargs)


def squeezenet1_1(pretrained: bool = False, **kwargs: Any) -> SqueezeNet:
    """SqueezeNet 1.1, with fewer operations; the arguments are those of `squeezenet1_0`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.squeezenet1_1()
    >>> sum(parameter.size for parameter in net.parameters())
    1235496
    """
    refuse_download("squeezenet1_1", pretrained)
    return SqueezeNet("1.1", **kwargs)

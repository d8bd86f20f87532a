"""VGG: stages of 3×3 convolutions, each stage ended by pooling, and three linear maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import nn
from ...ops.array.reshape import flatten
from .pretrained import refuse_download


class VGG(nn.Layer):
    """`features`, the mean of each of 7×7 parts, and three linear maps: [N, 3, H, W] to [N, num_classes].

    With with_pool=False the means are left out (the features must then be 7×7), with num_classes=0 the linear maps.
    Simonyan and Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition, 2014.

    >>> import proa as paddle
    >>> from proa.vision.models.vgg import make_layers
    >>> features = make_layers([8, "M", 512, "M"])
    >>> paddle.vision.models.VGG(features, num_classes=0)(paddle.zeros([1, 3, 32, 32])).shape
    [1, 512, 7, 7]
    """

    def __init__(self, features: nn.Layer, num_classes: int = 1000, with_pool: bool = True):
        super().__init__()
        self.features = features
        self.num_classes, self.with_pool = num_classes, with_pool
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((7, 7))
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(512 * 7 * 7, 4096), nn.ReLU(), nn.Dropout(),
                nn.Linear(4096, 4096), nn.ReLU(), nn.Dropout(),
                nn.Linear(4096, num_classes))

    def forward(self, x: Any) -> Any:
        """[N, 3, H, W] to [N, num_classes]."""
        x = self.features(x)
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(flatten(x, 1)) if self.num_classes > 0 else x


def make_layers(cfg: Sequence[int | str], batch_norm: bool = False) -> nn.Sequential:
    """3×3 convolutions of the channels that `cfg` lists, each with ReLU (and batch norm before it); 'M' is max pooling.

    >>> from proa.vision.models.vgg import make_layers
    >>> [type(layer).__name__ for layer in make_layers([8, "M"], batch_norm=True)]
    ['Conv2D', 'BatchNorm2D', 'ReLU', 'MaxPool2D']
    """
    layers: list[nn.Layer] = []
    channels = 3
    for entry in cfg:
        if entry == "M":
            layers.append(nn.MaxPool2D(kernel_size=2, stride=2))
            continue
        layers.append(nn.Conv2D(channels, int(entry), 3, padding=1))
        if batch_norm:
            layers.append(nn.BatchNorm2D(int(entry)))
        layers.append(nn.ReLU())
        channels = int(entry)
    return nn.Sequential(*layers)


_CHANNELS = (64, 128, 256, 512, 512)
_COUNTS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


def _made(depth: int, pretrained: bool, batch_norm: bool, settings: dict[str, Any]) -> VGG:
    refuse_download(f"vgg{depth}", pretrained)
    cfg: list[int | str] = []
    for channels, count in zip(_CHANNELS, _COUNTS[depth], strict=True):
        cfg += [*[channels] * count, "M"]
    return VGG(make_layers(cfg, batch_norm), **settings)


def vgg11(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """VGG of 11 layers, with batch norm or without; keyword arguments are those of VGG.

    `pretrained=True` raises NotImplementedError, which tells how to load weights from a file.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.vgg11()
    >>> sum(parameter.size for parameter in net.parameters())
    132863336
    """
    return _made(11, pretrained, batch_norm, kwargs)


def vgg13(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """VGG of 13 layers; the arguments are those of `vgg11`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.vgg13()
    >>> sum(parameter.size for parameter in net.parameters())
    133047848
    """
    return _made(13, pretrained, batch_norm, kwargs)


def vgg16(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """VGG of 16 layers; the arguments are those of `vgg11`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.vgg16()
    >>> sum(parameter.size for parameter in net.parameters())
    138357544
    """
    return _made(16, pretrained, batch_norm, kwargs)


def vgg19(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """VGG of 19 layers; the arguments are those of `vgg11`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.vgg19()
    >>> sum(parameter.size for parameter in net.parameters())
    143667240
    """
    return _made(19, pretrained, batch_norm, kwargs)

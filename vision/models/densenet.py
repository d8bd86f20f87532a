"""DenseNet: every layer of a block sees the results of all before it."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...ops.array.concat_split import concat
from ...ops.array.reshape import flatten
from .beginnings import even
from .pretrained import refuse_download


class BNACConvLayer(nn.Layer):
    """Batch norm with ReLU, and a convolution without bias after it."""

    def __init__(self, inputs: int, outputs: int, kernel: int, padding: int = 0):
        super().__init__()
        self._batch_norm = nn.BatchNorm(inputs, act="relu")
        self._conv = nn.Conv2D(inputs, outputs, kernel, padding=padding, bias_attr=False)

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, outputs, H, W]."""
        return self._conv(self._batch_norm(x))


class ConvBNLayer(nn.Layer):
    """The first layer: a 7×7 convolution at every second place, and batch norm with ReLU."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self._conv = nn.Conv2D(inputs, outputs, 7, stride=2, padding=3, bias_attr=False)
        self._batch_norm = nn.BatchNorm(outputs, act="relu")

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, outputs, H / 2, W / 2]."""
        return self._batch_norm(self._conv(x))


class DenseLayer(nn.Layer):
    """x with `growth_rate` channels more, which a 1×1 and a 3×3 convolution make."""

    def __init__(self, inputs: int, growth_rate: int, bn_size: int, dropout: float):
        super().__init__()
        self.dropout = dropout
        self.bn_ac_func1 = BNACConvLayer(inputs, bn_size * growth_rate, 1)
        self.bn_ac_func2 = BNACConvLayer(bn_size * growth_rate, growth_rate, 3, padding=1)
        if dropout:
            self.dropout_func = nn.Dropout(dropout, mode="downscale_in_infer")

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, inputs + growth_rate, H, W]."""
        made = self.bn_ac_func2(self.bn_ac_func1(x))
        return concat([x, self.dropout_func(made) if self.dropout else made], axis=1)


class TransitionLayer(nn.Layer):
    """A 1×1 convolution and the mean of each of 2×2 parts: [N, inputs, H, W] to [N, outputs, H / 2, W / 2]."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.conv_ac_func = BNACConvLayer(inputs, outputs, 1)
        self.pool2d_avg = nn.AvgPool2D(kernel_size=2, stride=2)

    def forward(self, x: Any) -> Any:
        """[N, inputs, H, W] to [N, outputs, H / 2, W / 2]."""
        return self.pool2d_avg(self.conv_ac_func(x))


# layers: channels of the first, growth, layers of each block
_STAGES = {121: (64, 32, (6, 12, 24, 16)), 161: (96, 48, (6, 12, 36, 24)), 169: (64, 32, (6, 12, 32, 32)),
           201: (64, 32, (6, 12, 48, 32)), 264: (64, 32, (6, 12, 64, 48))}


class DenseNet(nn.Layer):
    """DenseNet of 121, 161, 169, 201 or 264 layers: [N, 3, H, W] to [N, num_classes].

    `bn_size` times the growth are the channels between the two convolutions of a layer; `dropout` follows them.
    With with_pool=False the mean is left out, with num_classes=0 the linear map (which needs the mean).
    Huang et al., Densely Connected Convolutional Networks, 2016.

    >>> import proa as paddle
    >>> paddle.vision.models.DenseNet(121, num_classes=10)(paddle.zeros([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, layers: int = 121, bn_size: int = 4, dropout: float = 0.0, num_classes: int = 1000,
                 with_pool: bool = True):
        super().__init__()
        if layers not in _STAGES:
            raise ValueError(f"DenseNet(layers): must be one of {', '.join(map(str, _STAGES))}. Received {layers!r}.")
        self.num_classes, self.with_pool = num_classes, with_pool
        channels, growth, counts = _STAGES[layers]
        self.conv1_func = ConvBNLayer(3, channels)
        self.pool2d_max = nn.MaxPool2D(kernel_size=3, stride=2, padding=1)
        self._parts: list[str] = []
        for stage, count in enumerate(counts, 2):
            dense = [DenseLayer(channels + n * growth, growth, bn_size, dropout) for n in range(count)]
            block = nn.Sequential(*((f"conv{stage}_{n}", layer) for n, layer in enumerate(dense, 1)))
            self._add_part(f"db_conv_{stage}", block)
            channels += count * growth
            if stage < 5:
                self._add_part(f"tr_conv{stage}_blk", TransitionLayer(channels, channels // 2))
                channels //= 2
        self.batch_norm = nn.BatchNorm(channels, act="relu")
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.out = nn.Linear(channels, num_classes, weight_attr=even(channels))

    def _add_part(self, name: str, part: nn.Layer) -> None:
        self._parts.append(name)
        self.add_sublayer(name, part)

    def forward(self, inputs: Any) -> Any:
        """[N, 3, H, W] to [N, num_classes]."""
        x = self.pool2d_max(self.conv1_func(inputs))
        for name in self._parts:
            x = getattr(self, name)(x)
        x = self.batch_norm(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.out(flatten(x, 1)) if self.num_classes > 0 else x


def _made(layers: int, pretrained: bool, settings: dict[str, Any]) -> DenseNet:
    refuse_download(f"densenet{layers}", pretrained)
    return DenseNet(layers=layers, **settings)


def densenet121(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """DenseNet of 121 layers; keyword arguments are those of the class.

    `pretrained=True` raises NotImplementedError, which tells how to load weights from a file.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.densenet121()
    >>> sum(parameter.size for parameter in net.parameters())
    8062504
    """
    return _made(121, pretrained, kwargs)


def densenet161(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """DenseNet of 161 layers and wider; the arguments are those of `densenet121`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.densenet161()
    >>> sum(parameter.size for parameter in net.parameters())
    28900936
    """
    return _made(161, pretrained, kwargs)


def densenet169(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """DenseNet of 169 layers; the arguments are those of `densenet121`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.densenet169()
    >>> sum(parameter.size for parameter in net.parameters())
    14307880
    """
    return _made(169, pretrained, kwargs)


def densenet201(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """DenseNet of 201 layers; the arguments are those of `densenet121`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.densenet201()
    >>> sum(parameter.size for parameter in net.parameters())
    20242984
    """
    return _made(201, pretrained, kwargs)


def densenet264(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """DenseNet of 264 layers; the arguments are those of `densenet121`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.densenet264()
    >>> sum(parameter.size for parameter in net.parameters())
    33736232
    """
    return _made(264, pretrained, kwargs)

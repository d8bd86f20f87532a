"""ShuffleNetV2: half of the channels goes by, and channels are shuffled after each unit."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...ops.array.concat_split import split, stack
from ...ops.array.reshape import flatten
from ..ops.blocks import ConvNormActivation
from .pretrained import refuse_download

_ACTIVATIONS = {"relu": nn.ReLU, "swish": nn.Swish, None: None}


def _depthwise(channels: int, outputs: int, stride: int, activation: Any) -> list[ConvNormActivation]:
    """A 3×3 convolution of each channel by itself, without activation, and a 1×1 convolution."""
    return [ConvNormActivation(channels, channels, 3, stride=stride, padding=1, groups=channels,
                               activation_layer=None),
            ConvNormActivation(channels, outputs, 1, padding=0, activation_layer=activation)]


def _shuffled(first: Any, second: Any) -> Any:
    """The channels of two halves in turn: twice [N, C, H, W] to [N, 2C, H, W]. Of operators that ONNX has too."""
    return flatten(stack([first, second], axis=2), 1, 2)


class InvertedResidual(nn.Layer):
    """One half of the channels through three convolutions, the other as it is, then shuffled: [N, C, H, W] alike."""

    def __init__(self, channels: int, activation_layer: Any = nn.ReLU):
        super().__init__()
        half = channels // 2
        self._conv_pw = ConvNormActivation(half, half, 1, padding=0, activation_layer=activation_layer)
        self._conv_dw, self._conv_linear = _depthwise(half, half, 1, activation_layer)

    def forward(self, inputs: Any) -> Any:
        """[N, C, H, W] alike."""
        kept, changed = split(inputs, 2, axis=1)
        changed = self._conv_linear(self._conv_dw(self._conv_pw(changed)))
        return _shuffled(kept, changed)


class InvertedResidualDS(nn.Layer):
    """All channels through two branches that halve height and width, each giving half of `outputs`, then shuffled."""

    def __init__(self, inputs: int, outputs: int, activation_layer: Any = nn.ReLU):
        super().__init__()
        half = outputs // 2
        self._conv_dw_1, self._conv_linear_1 = _depthwise(inputs, half, 2, activation_layer)
        self._conv_pw_2 = ConvNormActivation(inputs, half, 1, padding=0, activation_layer=activation_layer)
        self._conv_dw_2, self._conv_linear_2 = _depthwise(half, half, 2, activation_layer)

    def forward(self, inputs: Any) -> Any:
        """[N, inputs, H, W] to [N, outputs, H / 2, W / 2]."""
        first = self._conv_linear_1(self._conv_dw_1(inputs))
        second = self._conv_linear_2(self._conv_dw_2(self._conv_pw_2(inputs)))
        return _shuffled(first, second)


_REPEATS = (4, 8, 4)
# scale: channels of the three stages and of the last convolution
_CHANNELS = {0.25: (24, 48, 96, 512), 0.33: (32, 64, 128, 512), 0.5: (48, 96, 192, 1024),
             1.0: (116, 232, 464, 1024), 1.5: (176, 352, 704, 1024), 2.0: (224, 488, 976, 2048)}


class ShuffleNetV2(nn.Layer):
    """ShuffleNetV2: [N, 3, H, W] to [N, num_classes].

    `scale` is 0.25, 0.33, 0.5, 1.0, 1.5 or 2.0, `act` 'relu', 'swish' or None.
    With with_pool=False the mean is left out, with num_classes=0 the linear map (which needs the mean).
    Ma et al., ShuffleNet V2: Practical Guidelines for Efficient CNN Architecture Design, 2018.

    >>> import proa as paddle
    >>> paddle.vision.models.ShuffleNetV2(0.25, num_classes=10)(paddle.zeros([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, scale: float = 1.0, act: str | None = "relu", num_classes: int = 1000, with_pool: bool = True):
        super().__init__()
        if scale not in _CHANNELS:
            raise NotImplementedError(f"ShuffleNetV2(scale): must be one of {', '.join(map(str, _CHANNELS))}. "
                                      f"Received {scale!r}.")
        if act not in _ACTIVATIONS:
            raise RuntimeError(f"ShuffleNetV2(act): must be 'relu', 'swish' or None. Received {act!r}.")
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        activation: Any = _ACTIVATIONS[act]
        *stages, last = _CHANNELS[scale]
        channels = 24
        self._conv1 = ConvNormActivation(3, channels, 3, stride=2, padding=1, activation_layer=activation)
        self._max_pool = nn.MaxPool2D(kernel_size=3, stride=2, padding=1)
        self._units: list[str] = []
        for stage, (outputs, count) in enumerate(zip(stages, _REPEATS, strict=True), 2):
            for n in range(1, count + 1):
                unit = InvertedResidualDS(channels, outputs, activation) if n == 1 else InvertedResidual(
                    outputs, activation)
                self._units.append(f"{stage}_{n}")
                self.add_sublayer(self._units[-1], unit)
            channels = outputs
        self._last_conv = ConvNormActivation(channels, last, 1, padding=0, activation_layer=activation)
        if with_pool:
            self._pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self._fc = nn.Linear(last, num_classes)

    def forward(self, inputs: Any) -> Any:
        """[N, 3, H, W] to [N, num_classes]."""
        x = self._max_pool(self._conv1(inputs))
        for name in self._units:
            x = getattr(self, name)(x)
        x = self._last_conv(x)
        if self.with_pool:
            x = self._pool2d_avg(x)
        return self._fc(flatten(x, 1)) if self.num_classes > 0 else x


def _made(name: str, pretrained: bool, settings: dict[str, Any]) -> ShuffleNetV2:
    refuse_download(name, pretrained)
    return ShuffleNetV2(**settings)


def shufflenet_v2_x0_25(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNetV2 of a quarter of the width; keyword arguments are those of the class.

    `pretrained=True` raises NotImplementedError, which tells how to load weights from a file.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.shufflenet_v2_x0_25()
    >>> sum(parameter.size for parameter in net.parameters())
    607712
    """
    return _made("shufflenet_v2_x0_25", pretrained, {**kwargs, "scale": 0.25})


def shufflenet_v2_x0_33(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNetV2 of a third of the width; the arguments are those of `shufflenet_v2_x0_25`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.shufflenet_v2_x0_33()
    >>> sum(parameter.size for parameter in net.parameters())
    652264
    """
    return _made("shufflenet_v2_x0_33", pretrained, {**kwargs, "scale": 0.33})


def shufflenet_v2_x0_5(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNetV2 of half the width; the arguments are those of `shufflenet_v2_x0_25`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.shufflenet_v2_x0_5()
    >>> sum(parameter.size for parameter in net.parameters())
    1374744
    """
    return _made("shufflenet_v2_x0_5", pretrained, {**kwargs, "scale": 0.5})


def shufflenet_v2_x1_0(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNetV2 of its usual width; the arguments are those of `shufflenet_v2_x0_25`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.shufflenet_v2_x1_0()
    >>> sum(parameter.size for parameter in net.parameters())
    2294784
    """
    return _made("shufflenet_v2_x1_0", pretrained, {**kwargs, "scale": 1.0})


def shufflenet_v2_x1_5(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNetV2 of one and a half times the width; the arguments are those of `shufflenet_v2_x0_25`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.shufflenet_v2_x1_5()
    >>> sum(parameter.size for parameter in net.parameters())
    3527064
    """
    return _made("shufflenet_v2_x1_5", pretrained, {**kwargs, "scale": 1.5})


def shufflenet_v2_x2_0(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNetV2 of twice the width; the arguments are those of `shufflenet_v2_x0_25`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.shufflenet_v2_x2_0()
    >>> sum(parameter.size for parameter in net.parameters())
    7399952
    """
    return _made("shufflenet_v2_x2_0", pretrained, {**kwargs, "scale": 2.0})


def shufflenet_v2_swish(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """ShuffleNetV2 of its usual width with swish activations; the arguments are those of `shufflenet_v2_x0_25`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.shufflenet_v2_swish()
    >>> sum(parameter.size for parameter in net.parameters())
    2294784
    """
    return _made("shufflenet_v2_swish", pretrained, {**kwargs, "scale": 1.0, "act": "swish"})

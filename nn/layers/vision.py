"""Elements of images moved between channels and pixels, and windows as columns."""

from __future__ import annotations

from typing import Any

from ...ops.nn.window_arguments import check_format
from .. import functional as F
from ..layer import Layer

_FORMATS = ("NCHW", "NHWC")


class _Shuffle(Layer):
    """A shuffle with one setting, named `setting`."""

    __shows_its_name__ = True

    setting = ""
    function: Any = None

    def _settle(self, value: int, data_format: str) -> None:
        name = type(self).__name__
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{name}({self.setting}): must be an int. Received {value!r}.")
        if value < 1:
            raise ValueError(f"{name}({self.setting}): must be at least 1. Received {value}.")
        setattr(self, f"_{self.setting}", value)
        self._data_format = check_format(name, data_format, _FORMATS)

    @property
    def _value(self) -> int:
        return getattr(self, f"_{self.setting}")

    def forward(self, x: Any) -> Any:
        """The shuffled input."""
        return type(self).function(x, self._value, self._data_format)

    def extra_repr(self) -> str:
        """The settings."""
        text = f"{self.setting}={self._value}"
        return text if self._data_format == "NCHW" else f"{text}, data_format={self._data_format}"


class PixelShuffle(_Shuffle):
    """[N, C * r * r, H, W] to [N, C, H * r, W * r], r = upscale_factor.

    >>> import proa as paddle
    >>> paddle.nn.PixelShuffle(2)(paddle.ones([1, 8, 3, 3])).shape
    [1, 2, 6, 6]
    """

    setting, function = "upscale_factor", staticmethod(F.pixel_shuffle)

    def __init__(self, upscale_factor: int, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        self._name = name
        self._settle(upscale_factor, data_format)


class PixelUnshuffle(_Shuffle):
    """[N, C, H * r, W * r] to [N, C * r * r, H, W], r = downscale_factor.

    >>> import proa as paddle
    >>> paddle.nn.PixelUnshuffle(2)(paddle.ones([1, 3, 4, 4])).shape
    [1, 12, 2, 2]
    """

    setting, function = "downscale_factor", staticmethod(F.pixel_unshuffle)

    def __init__(self, downscale_factor: int, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        self._name = name
        self._settle(downscale_factor, data_format)


class ChannelShuffle(_Shuffle):
    """The channels of [N, C, H, W], in `groups`, taken one from each group in turn."""

    setting, function = "groups", staticmethod(F.channel_shuffle)

    def __init__(self, groups: int, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        self._name = name
        self._settle(groups, data_format)


class _Columns(Layer):
    """What Unfold and Fold share."""

    __shows_its_name__ = True

    def _settle(self, kernel_sizes: Any, dilations: Any, paddings: Any, strides: Any) -> None:
        self.kernel_sizes, self.dilations, self.paddings, self.strides = kernel_sizes, dilations, paddings, strides

    def extra_repr(self) -> str:
        """The settings."""
        return (f"kernel_size={self.kernel_sizes}, dilation={self.dilations}, padding={self.paddings}, "
                f"stride={self.strides}")


class Unfold(_Columns):
    """The windows of [N, C, H, W] as columns: [N, C * kH * kW, windows].

    >>> import proa as paddle
    >>> paddle.nn.Unfold(2, strides=2)(paddle.ones([2, 3, 4, 4])).shape
    [2, 12, 4]
    """

    def __init__(self, kernel_sizes: Any, dilations: Any = 1, paddings: Any = 0, strides: Any = 1,
                 name: str | None = None):
        super().__init__()
        self.name = name
        self._settle(kernel_sizes, dilations, paddings, strides)

    def forward(self, input: Any) -> Any:
        """The columns."""
        return F.unfold(input, self.kernel_sizes, self.strides, self.paddings, self.dilations)


class Fold(_Columns):
    """Columns [N, C * kH * kW, windows] added up to images [N, C, *output_sizes].

    >>> import proa as paddle
    >>> paddle.nn.Fold([4, 4], kernel_sizes=2, strides=2)(paddle.ones([1, 12, 4])).shape
    [1, 3, 4, 4]
    """

    def __init__(self, output_sizes: Any, kernel_sizes: Any, dilations: Any = 1, paddings: Any = 0, strides: Any = 1,
                 name: str | None = None):
        super().__init__()
        self.name = name
        self.output_sizes = output_sizes
        self._settle(kernel_sizes, dilations, paddings, strides)

    def forward(self, input: Any) -> Any:
        """The images."""
        return F.fold(input, self.output_sizes, self.kernel_sizes, self.strides, self.paddings, self.dilations)

"""Convolutions in one, two and three dimensions, and their transposes.

The number of dimensions is a class's own; everything else they share.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral
from typing import Any

from ...core.errors import AssertedError
from ...ops.nn.window_arguments import padding_attributes
from .. import functional as F
from ..initializer import Normal
from ..layer import Layer

_OF_ANY_RANK = {"NCL": 0, "NCHW": 0, "NCDHW": 0, "NHWC": 1, "NDHWC": 1}  # in place of _FORMATS[2] and [3], as in Paddle
_FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


def _repeated(value: Any, rank: int, what: str) -> list[int]:
    if isinstance(value, Integral):
        return [int(value)] * rank
    if isinstance(value, Sequence) and len(value) == rank and all(isinstance(n, Integral) for n in value):
        return list(map(int, value))
    raise ValueError(f"{what}: must be an int or {rank} of them. Received {value!r}.")


class _ConvNd(Layer):
    """What all of them share, for subclasses of one's own too: sizes, parameters and how they are shown.

    `dims` is the number of dimensions that are convolved over. A subclass defines `forward`.
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, transposed: bool, dims: int,
                 stride: Any = 1, padding: Any = 0, padding_mode: str = "zeros", output_padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, weight_attr: Any = None, bias_attr: Any = None,
                 data_format: str = "NCHW"):
        super().__init__()
        self._check(in_channels, out_channels, dims, groups, padding_mode, data_format)
        if weight_attr is False:
            raise AssertedError(f"{type(self).__name__}(weight_attr): must not be False, there is no convolution "
                                "without a weight.")
        padding_attributes(f"{type(self).__name__}(padding)", padding, dims, data_format[-1] == "C")
        self._in_channels, self._out_channels, self._groups = in_channels, out_channels, groups
        self._kernel_size = _repeated(kernel_size, dims, "kernel_size")
        self._stride, self._dilation = _repeated(stride, dims, "stride"), _repeated(dilation, dims, "dilation")
        self._padding, self._padding_mode, self.output_padding = padding, padding_mode, output_padding
        self._data_format, self._param_attr, self._bias_attr = data_format, weight_attr, bias_attr
        if transposed:
            shape, initializer = [in_channels, out_channels // groups], None
        else:
            shape = [out_channels, in_channels // groups]
            initializer = Normal(0.0, math.sqrt(2.0 / (math.prod(self._kernel_size) * in_channels)))
        self.weight = self.create_parameter(shape + self._kernel_size, weight_attr, default_initializer=initializer)
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    _use_cudnn = False

    @property
    def _op_type(self) -> str:
        """What Paddle calls the operator: of a transpose too, that of the convolution."""
        rank, of_each = len(self._stride), self._groups == self._in_channels > 1
        is_depthwise = rank == 2 and of_each and self._out_channels % self._in_channels == 0
        return "depthwise_conv2d" if is_depthwise else f"conv{rank}d"

    @property
    def _channel_dim(self) -> int:
        return len(self._stride) + 1 if self._data_format[-1] == "C" else 1

    @property
    def _updated_padding(self) -> list[int]:
        """What a subclass's own `forward` gives a function of `F`: a width a dimension, or two where they differ."""
        rank = len(self._stride)
        if isinstance(self._padding, str) or self._padding_mode != "zeros":
            return [0] * rank
        if isinstance(self._padding, int):
            return [self._padding] * rank
        if not all(isinstance(width, Sequence) for width in self._padding):
            return list(self._padding)
        pairs = self._padding[1:-1] if self._data_format[-1] == "C" else self._padding[2:]
        alike = all(before == after for before, after in pairs)
        return [pair[0] for pair in pairs] if alike else [width for pair in pairs for width in pair]

    @property
    def _padding_algorithm(self) -> str:
        """"SAME" or "VALID", where the padding is named so; else "EXPLICIT"."""
        return self._padding.upper() if isinstance(self._padding, str) else "EXPLICIT"

    @property
    def _reversed_padding_repeated_twice(self) -> list[int]:
        """The padding as `F.pad` takes it, for a mode other than zeros: the last dimension first, both sides."""
        if self._padding_mode == "zeros":  # as in Paddle
            raise AttributeError(f"{type(self).__name__}: no _reversed_padding_repeated_twice, as it pads by zeros.")
        return [width for width in reversed(_repeated(self._padding, len(self._stride), "padding")) for _ in range(2)]

    def _check(self, in_channels: int, out_channels: int, dims: int, groups: int, padding_mode: str,
               data_format: str) -> None:
        name = type(self).__name__
        if data_format not in _FORMATS[dims]:
            raise ValueError(f"{name}(data_format): {' or '.join(map(repr, _FORMATS[dims]))}. "
                             f"Received {data_format!r}.")
        if padding_mode not in _PADDING_MODES:
            raise ValueError(f"{name}(padding_mode): 'zeros', 'reflect', 'replicate' or 'circular'. "
                             f"Received {padding_mode!r}.")
        for what, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels < 1:
                raise AssertedError(f"{name}({what}): must be above 0. Received {channels}.")
            if channels % groups:
                raise ValueError(f"{name}({what}): must be divisible by groups. "
                                 f"Received {channels} and groups={groups}.")

    def extra_repr(self) -> str:
        """The sizes."""
        ones = [1] * len(self._kernel_size)
        text = f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"
        for name, value, usual in (
                ("stride", self._stride, ones), ("padding", self._padding, 0),
                ("padding_mode", self._padding_mode, "zeros"), ("output_padding", self.output_padding, 0),
                ("dilation", self._dilation, ones), ("groups", self._groups, 1)):
            if value != usual:
                text += f", {name}={value}"
        return f"{text}, data_format={self._data_format}"


class _Convolution(_ConvNd):
    """A convolution; a subclass says of how many dimensions, and names the function."""

    rank = 2
    function: Any = None

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, padding_mode: str = "zeros", weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str | None = None):
        formats = _FORMATS[self.rank]
        if data_format is None or (self.rank > 1 and data_format in _OF_ANY_RANK):
            data_format = formats[_OF_ANY_RANK.get(data_format or "NCHW", 0)]
        super().__init__(in_channels, out_channels, kernel_size, False, self.rank, stride, padding, padding_mode, 0,
                         dilation, groups, weight_attr, bias_attr, data_format)

    def forward(self, x: Any) -> Any:
        """[N, C, *sizes] to [N, out, *sizes]."""
        padding = self._padding
        if self._padding_mode != "zeros":
            x = F.pad(x, self._reversed_padding_repeated_twice, self._padding_mode, data_format=self._data_format)
            padding = 0
        return type(self).function(x, self.weight, self.bias, self._stride, padding, self._dilation, self._groups,
                                   self._data_format)


class Conv1D(_Convolution):
    """One-dimensional convolution of [N, C, L] with filters [out, in / groups, k], and a bias [out].

    Its arguments are those of `Conv2D`, of one dimension; `data_format`: 'NCL', or 'NLC' for channels last.

    >>> import proa as paddle
    >>> paddle.nn.Conv1D(3, 8, 3, stride=2)(paddle.ones([2, 3, 9])).shape
    [2, 8, 4]
    """

    rank, function = 1, staticmethod(F.conv1d)

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, padding_mode: str = "zeros", weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCL"):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, padding_mode,
                         weight_attr, bias_attr, data_format)


class Conv2D(_Convolution):
    """Two-dimensional convolution of [N, C, H, W] with filters [out, in / groups, h, w], and a bias [out].

    `kernel_size`, `stride`, `dilation`: an int, or two (height, width). `padding`: an int, two ints, four ints (top,
    bottom, left, right), pairs by dimension, 'SAME' or 'VALID'. `groups`: in how many parts the channels are
    convolved, each by itself. `padding_mode`: 'zeros', 'reflect', 'replicate' or 'circular'. `data_format`: 'NCHW', or
    'NHWC' for channels last. `bias_attr=False`: no bias. The filters begin normally distributed with the variance 2 /
    (in · h · w).

    With p on both sides the result has ⌊(H + 2 p - dilation · (h - 1) - 1) / stride⌋ + 1 rows. Raises ValueError for
    channels that `groups` does not divide.

    >>> import proa as paddle
    >>> paddle.nn.Conv2D(3, 8, 3, padding=1)(paddle.ones([2, 3, 5, 5])).shape
    [2, 8, 5, 5]
    >>> paddle.nn.Conv2D(3, 6, (3, 1), stride=2, groups=3)(paddle.ones([2, 3, 9, 9])).shape
    [2, 6, 4, 5]
    """

    rank, function = 2, staticmethod(F.conv2d)

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, padding_mode: str = "zeros", weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCHW"):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, padding_mode,
                         weight_attr, bias_attr, data_format)


class Conv3D(_Convolution):
    """Three-dimensional convolution of [N, C, D, H, W] with filters [out, in / groups, d, h, w], and a bias [out].

    Its arguments are those of `Conv2D`, of three dimensions; `data_format`: 'NCDHW', or 'NDHWC' for channels last.

    >>> import proa as paddle
    >>> paddle.nn.Conv3D(2, 4, 3, padding=1)(paddle.ones([1, 2, 3, 4, 5])).shape
    [1, 4, 3, 4, 5]
    """

    rank, function = 3, staticmethod(F.conv3d)

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, padding_mode: str = "zeros", weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCDHW"):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, padding_mode,
                         weight_attr, bias_attr, data_format)


class _Transpose(_ConvNd):
    """The transpose of a convolution; filters are [in, out / groups, *kernel]."""

    rank = 2
    function: Any = None

    def _make(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any,
              output_padding: Any, dilation: Any, groups: int, weight_attr: Any, bias_attr: Any,
              data_format: str) -> None:
        super().__init__(in_channels, out_channels, kernel_size, True, self.rank, stride, padding, "zeros",
                         output_padding, dilation, groups, weight_attr, bias_attr, data_format)

    def forward(self, x: Any, output_size: Any = None) -> Any:
        """[N, C, *sizes] to [N, out, *sizes]; `output_size` names the sizes where several are possible."""
        return type(self).function(
            x, self.weight, self.bias, stride=self._stride, padding=self._padding,
            output_padding=0 if output_size is not None else self.output_padding, dilation=self._dilation,
            groups=self._groups, output_size=output_size, data_format=self._data_format)


class Conv1DTranspose(_Transpose):
    """The transpose of `Conv1D` in its input: [N, C, L] with filters [in, out / groups, k].

    >>> import proa as paddle
    >>> paddle.nn.Conv1DTranspose(3, 8, 3, stride=2)(paddle.ones([2, 3, 4])).shape
    [2, 8, 9]
    """

    rank, function = 1, staticmethod(F.conv1d_transpose)

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 output_padding: Any = 0, groups: int = 1, dilation: Any = 1, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCL"):
        self._make(in_channels, out_channels, kernel_size, stride, padding, output_padding, dilation, groups,
                   weight_attr, bias_attr, data_format)


class Conv2DTranspose(_Transpose):
    """The transpose of `Conv2D` in its input: [N, C, H, W] with filters [in, out / groups, h, w], which enlarges.

    Its arguments are those of `Conv2D` without `padding_mode`, and `output_padding`: rows and columns more at one end.
    With p on both sides the result has (H - 1) · stride - 2 p + dilation · (h - 1) + output_padding + 1 rows; called
    with `output_size`, it has that size.

    >>> import proa as paddle
    >>> paddle.nn.Conv2DTranspose(3, 8, 4, stride=2, padding=1)(paddle.ones([1, 3, 5, 5])).shape
    [1, 8, 10, 10]
    """

    rank, function = 2, staticmethod(F.conv2d_transpose)

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 output_padding: Any = 0, dilation: Any = 1, groups: int = 1, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCHW"):
        self._make(in_channels, out_channels, kernel_size, stride, padding, output_padding, dilation, groups,
                   weight_attr, bias_attr, data_format)


class Conv3DTranspose(_Transpose):
    """The transpose of `Conv3D` in its input: [N, C, D, H, W] with filters [in, out / groups, d, h, w]."""

    rank, function = 3, staticmethod(F.conv3d_transpose)

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 output_padding: Any = 0, dilation: Any = 1, groups: int = 1, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCDHW"):
        self._make(in_channels, out_channels, kernel_size, stride, padding, output_padding, dilation, groups,
                   weight_attr, bias_attr, data_format)

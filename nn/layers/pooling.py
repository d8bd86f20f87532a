"""Pooling in one, two and three dimensions: maxima and means of windows, at even steps or as many as make a size."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..layer import Layer


class _Windows(Layer):
    """What pooling at even steps shares."""

    ksize: Any
    stride: Any
    padding: Any

    def _hold(self, kernel_size: Any, stride: Any, padding: Any, name: str | None, **settings: Any) -> None:
        self.ksize, self.stride, self.padding, self.name = kernel_size, stride, padding, name
        for name, value in settings.items():
            setattr(self, name, value)

    def extra_repr(self) -> str:
        """The settings."""
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


class MaxPool1D(_Windows):
    """The largest element of each window of [N, C, L].

    >>> import proa as paddle
    >>> paddle.nn.MaxPool1D(2)(paddle.ones([1, 1, 6])).shape
    [1, 1, 3]
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False,
                 ceil_mode: bool = False, name: str | None = None):
        super().__init__()
        self._hold(kernel_size, stride, padding, name, return_mask=return_mask, ceil_mode=ceil_mode)
        self.kernel_size = kernel_size

    def forward(self, input: Any) -> Any:
        """[N, C, L] to [N, C, L']."""
        return F.max_pool1d(input, self.ksize, self.stride, self.padding, self.return_mask, self.ceil_mode)


class MaxPool2D(_Windows):
    """The largest element of each window of [N, C, H, W].

    `kernel_size` and `stride` (by default the kernel's size): an int, or two. `padding`: as in `Conv2D`; what is
    padded is never the largest. `ceil_mode`: a window that reaches beyond the end counts. `return_mask`: gives also
    where in each channel's H · W elements the largest are, for `MaxUnPool2D`. `data_format`: 'NCHW' or 'NHWC'.

    >>> import proa as paddle
    >>> paddle.nn.MaxPool2D(2)(paddle.ones([1, 1, 4, 4])).shape
    [1, 1, 2, 2]
    >>> paddle.nn.MaxPool2D(3, stride=2, padding=1)(paddle.ones([1, 1, 8, 8])).shape
    [1, 1, 4, 4]
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False,
                 ceil_mode: bool = False, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        self._hold(kernel_size, stride, padding, name, return_mask=return_mask, ceil_mode=ceil_mode,
                   data_format=data_format)

    def forward(self, x: Any) -> Any:
        """[N, C, H, W] to [N, C, H', W']."""
        return F.max_pool2d(x, self.ksize, self.stride, self.padding, self.return_mask, self.ceil_mode,
                            self.data_format)


class MaxPool3D(_Windows):
    """The largest element of each window of [N, C, D, H, W].

    >>> import proa as paddle
    >>> paddle.nn.MaxPool3D(2)(paddle.ones([2, 3, 8, 8, 8])).shape
    [2, 3, 4, 4, 4]
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False,
                 ceil_mode: bool = False, data_format: str = "NCDHW", name: str | None = None):
        super().__init__()
        self._hold(kernel_size, stride, padding, name, return_mask=return_mask, ceil_mode=ceil_mode,
                   data_format=data_format)

    def forward(self, x: Any) -> Any:
        """[N, C, D, H, W] to [N, C, D', H', W']."""
        return F.max_pool3d(x, self.ksize, self.stride, self.padding, self.return_mask, self.ceil_mode,
                            self.data_format)


class AvgPool1D(_Windows):
    """The mean of each window of [N, C, L]; with `exclusive`, padding does not count.

    >>> import proa as paddle
    >>> paddle.nn.AvgPool1D(2)(paddle.ones([2, 3, 8])).shape
    [2, 3, 4]
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, exclusive: bool = True,
                 ceil_mode: bool = False, name: str | None = None):
        super().__init__()
        self._hold(kernel_size, stride, padding, name, exclusive=exclusive, ceil_mode=ceil_mode)
        self.kernel_size = kernel_size

    def forward(self, x: Any) -> Any:
        """[N, C, L] to [N, C, L']."""
        return F.avg_pool1d(x, self.ksize, self.stride, self.padding, self.exclusive, self.ceil_mode)


class AvgPool2D(_Windows):
    """The mean of each window of [N, C, H, W].

    `kernel_size`, `stride`, `padding`, `ceil_mode` and `data_format` as in `MaxPool2D`. With `exclusive` padding does
    not count; `exclusive=False` is what PyTorch does by default. `divisor_override`: what is divided by instead of the
    number.

    >>> import proa as paddle
    >>> x = paddle.ones([1, 1, 2, 2])
    >>> paddle.nn.AvgPool2D(2, padding=1)(x).tolist()
    [[[[1.0, 1.0], [1.0, 1.0]]]]
    >>> paddle.nn.AvgPool2D(2, padding=1, exclusive=False)(x).tolist()
    [[[[0.25, 0.25], [0.25, 0.25]]]]
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
                 exclusive: bool = True, divisor_override: int | None = None, data_format: str = "NCHW",
                 name: str | None = None):
        super().__init__()
        self._hold(kernel_size, stride, padding, name, ceil_mode=ceil_mode, exclusive=exclusive,
                   divisor=divisor_override, data_format=data_format)

    def forward(self, x: Any) -> Any:
        """[N, C, H, W] to [N, C, H', W']."""
        return F.avg_pool2d(x, self.ksize, self.stride, self.padding, self.ceil_mode, self.exclusive, self.divisor,
                            self.data_format)


class AvgPool3D(_Windows):
    """The mean of each window of [N, C, D, H, W]; with `exclusive`, padding does not count.

    >>> import proa as paddle
    >>> paddle.nn.AvgPool3D(2)(paddle.ones([2, 3, 8, 8, 8])).shape
    [2, 3, 4, 4, 4]
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
                 exclusive: bool = True, divisor_override: int | None = None, data_format: str = "NCDHW",
                 name: str | None = None):
        super().__init__()
        self._hold(kernel_size, stride, padding, name, ceil_mode=ceil_mode, exclusive=exclusive,
                   divisor=divisor_override, data_format=data_format)

    def forward(self, x: Any) -> Any:
        """[N, C, D, H, W] to [N, C, D', H', W']."""
        return F.avg_pool3d(x, self.ksize, self.stride, self.padding, self.ceil_mode, self.exclusive, self.divisor,
                            self.data_format)


class _AdaptiveAvg(Layer):
    """The mean of as many windows as `output_size` says, whatever the input's size."""

    def __init__(self, output_size: Any, data_format: str = "NCL", name: str | None = None):
        super().__init__()
        self._output_size, self._data_format, self._name = output_size, data_format, name

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self._output_size}"


class AdaptiveAvgPool1D(_AdaptiveAvg):
    """The mean of `output_size` windows of [N, C, L], whatever L is.

    >>> import proa as paddle
    >>> paddle.nn.AdaptiveAvgPool1D(3)(paddle.ones([1, 2, 7])).shape
    [1, 2, 3]
    """

    def __init__(self, output_size: Any, name: str | None = None):
        super().__init__(output_size, name=name)
        self.name, self.output_size = name, output_size

    def forward(self, input: Any) -> Any:
        """[N, C, L] to [N, C, output_size]."""
        return F.adaptive_avg_pool1d(input, self._output_size)


class AdaptiveAvgPool2D(_AdaptiveAvg):
    """The mean of as many windows as `output_size` says, whatever the input's size.

    [N, C, H, W] to [N, C, *output_size]. `output_size`: an int, or two, of which None keeps that size. `data_format`:
    'NCHW' or 'NHWC'.

    >>> import proa as paddle
    >>> paddle.nn.AdaptiveAvgPool2D(2)(paddle.ones([2, 3, 8, 8])).shape
    [2, 3, 2, 2]
    >>> paddle.nn.AdaptiveAvgPool2D((1, None))(paddle.ones([2, 3, 8, 5])).shape
    [2, 3, 1, 5]
    """

    def __init__(self, output_size: Any, data_format: str = "NCHW", name: str | None = None):
        super().__init__(output_size, data_format, name)

    def forward(self, x: Any) -> Any:
        """[N, C, H, W] to [N, C, *output_size]."""
        return F.adaptive_avg_pool2d(x, self._output_size, self._data_format)


class AdaptiveAvgPool3D(_AdaptiveAvg):
    """As `AdaptiveAvgPool2D` over [N, C, D, H, W].

    >>> import proa as paddle
    >>> paddle.nn.AdaptiveAvgPool3D(2)(paddle.ones([2, 3, 8, 8, 8])).shape
    [2, 3, 2, 2, 2]
    """

    def __init__(self, output_size: Any, data_format: str = "NCDHW", name: str | None = None):
        super().__init__(output_size, data_format, name)

    def forward(self, x: Any) -> Any:
        """[N, C, D, H, W] to [N, C, *output_size]."""
        return F.adaptive_avg_pool3d(x, self._output_size, self._data_format)


class _AdaptiveMax(Layer):
    """The largest element of as many windows as `output_size` says; with `return_mask` also its position."""

    function: Any = None

    def __init__(self, output_size: Any, return_mask: bool = False, name: str | None = None):
        super().__init__()
        self._output_size, self._return_mask, self._name = output_size, return_mask, name

    def forward(self, x: Any) -> Any:
        """[N, C, *sizes] to [N, C, *output_size]."""
        return type(self).function(x, self._output_size, self._return_mask)

    def extra_repr(self) -> str:
        """The settings."""
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


class AdaptiveMaxPool1D(_AdaptiveMax):
    """The largest element of `output_size` windows of [N, C, L], whatever L is.

    >>> import proa as paddle
    >>> paddle.nn.AdaptiveMaxPool1D(2)(paddle.ones([2, 3, 8])).shape
    [2, 3, 2]
    """

    function = staticmethod(F.adaptive_max_pool1d)

    def __init__(self, output_size: Any, return_mask: bool = False, name: str | None = None):
        super().__init__(output_size, return_mask, name)
        self.output_size, self.return_mask, self.name = output_size, return_mask, name

    def forward(self, input: Any) -> Any:
        """[N, C, L] to [N, C, output_size]."""
        return super().forward(input)


class AdaptiveMaxPool2D(_AdaptiveMax):
    """The largest element of as many windows as `output_size` says, whatever the input's size.

    >>> import proa as paddle
    >>> paddle.nn.AdaptiveMaxPool2D(2)(paddle.ones([2, 3, 8, 8])).shape
    [2, 3, 2, 2]
    """

    function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3D(_AdaptiveMax):
    """As `AdaptiveMaxPool2D` over [N, C, D, H, W].

    >>> import proa as paddle
    >>> paddle.nn.AdaptiveMaxPool3D(2)(paddle.ones([2, 3, 8, 8, 8])).shape
    [2, 3, 2, 2, 2]
    """

    function = staticmethod(F.adaptive_max_pool3d)

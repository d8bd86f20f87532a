"""Two-dimensional pooling."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..layer import Layer


class MaxPool2D(Layer):
    """The largest element of each window of [N, C, H, W].

    >>> import proa as paddle
    >>> paddle.nn.MaxPool2D(2)(paddle.ones([1, 1, 4, 4])).shape
    [1, 1, 2, 2]
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False,
                 ceil_mode: bool = False, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        self.ksize, self.stride, self.padding = kernel_size, stride, padding
        self.return_mask, self.ceil_mode, self.data_format = return_mask, ceil_mode, data_format

    def forward(self, x: Any) -> Any:
        """[N, C, H, W] to [N, C, H', W']."""
        return F.max_pool2d(x, self.ksize, self.stride, self.padding, self.return_mask, self.ceil_mode,
                            self.data_format)

    def extra_repr(self) -> str:
        """The settings."""
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


class AvgPool2D(Layer):
    """The mean of each window of [N, C, H, W]; with `exclusive`, padding does not count."""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
                 exclusive: bool = True, divisor_override: int | None = None, data_format: str = "NCHW",
                 name: str | None = None):
        super().__init__()
        self.ksize, self.stride, self.padding, self.ceil_mode = kernel_size, stride, padding, ceil_mode
        self.exclusive, self.divisor, self.data_format = exclusive, divisor_override, data_format

    def forward(self, x: Any) -> Any:
        """[N, C, H, W] to [N, C, H', W']."""
        return F.avg_pool2d(x, self.ksize, self.stride, self.padding, self.ceil_mode, self.exclusive, self.divisor,
                            self.data_format)

    def extra_repr(self) -> str:
        """The settings."""
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool2D(Layer):
    """The mean of as many windows as `output_size` says, whatever the input's size."""

    def __init__(self, output_size: Any, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        self._output_size, self._data_format = output_size, data_format

    def forward(self, x: Any) -> Any:
        """[N, C, H, W] to [N, C, *output_size]."""
        return F.adaptive_avg_pool2d(x, self._output_size, self._data_format)

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self._output_size}"


class AdaptiveMaxPool2D(Layer):
    """The largest element of as many windows as `output_size` says, whatever the input's size."""

    def __init__(self, output_size: Any, return_mask: bool = False, name: str | None = None):
        super().__init__()
        self._output_size, self._return_mask = output_size, return_mask

    def forward(self, x: Any) -> Any:
        """[N, C, H, W] to [N, C, *output_size]."""
        return F.adaptive_max_pool2d(x, self._output_size, self._return_mask)

    def extra_repr(self) -> str:
        """The settings."""
        return f"output_size={self._output_size}, return_mask={self._return_mask}"

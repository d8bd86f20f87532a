"""Pooling as modules."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..module import Module
from .convolution import sizes_of


class _MaxPool(Module):
    _function: Any

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
                 return_indices: bool = False, ceil_mode: bool = False):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, x: Any) -> Any:
        """The maxima of windows."""
        return type(self)._function(x, self.kernel_size, self.stride, self.padding, self.dilation,
                                    self.return_indices, self.ceil_mode)

    def extra_repr(self) -> str:
        """Its settings."""
        settings = (self.kernel_size, self.stride, self.padding, self.dilation)
        size, stride, padding, dilation = (sizes_of(value, int(type(self).__name__[-2])) for value in settings)
        return f"kernel_size={size}, stride={stride}, padding={padding}, dilation={dilation}"


class MaxPool1d(_MaxPool):
    """The maxima of windows over one dimension."""

    _function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    """The maxima of windows over two dimensions."""

    _function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPool):
    """The maxima of windows over three dimensions."""

    _function = staticmethod(F.max_pool3d)


class _AvgPool(Module):
    _function: Any

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
                 count_include_pad: bool = True, divisor_override: int = 0):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, x: Any) -> Any:
        """The means of windows."""
        return type(self)._function(x, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                                    self.count_include_pad, self.divisor_override)

    def extra_repr(self) -> str:
        """Its settings."""
        settings = (self.kernel_size, self.stride, self.padding)
        size, stride, padding = (sizes_of(value, int(type(self).__name__[-2])) for value in settings)
        return f"kernel_size={size}, stride={stride}, padding={padding}, ceil_mode={self.ceil_mode}"


class AvgPool1d(_AvgPool):
    """The means of windows over one dimension."""

    _function = staticmethod(F.avg_pool1d)


class AvgPool2d(_AvgPool):
    """The means of windows over two dimensions."""

    _function = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPool):
    """The means of windows over three dimensions."""

    _function = staticmethod(F.avg_pool3d)


class _AdaptiveAvgPool(Module):
    _function: Any

    def __init__(self, output_size: Any):
        super().__init__()
        self.output_size = output_size

    def forward(self, x: Any) -> Any:
        """The means of as many windows as are asked for."""
        return type(self)._function(x, self.output_size)

    def extra_repr(self) -> str:
        """Its setting."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """The means of as many windows over one dimension as are asked for."""

    _function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """The means of as many windows over two dimensions as are asked for."""

    _function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """The means of as many windows over three dimensions as are asked for."""

    _function = staticmethod(F.adaptive_avg_pool3d)


class _AdaptiveMaxPool(Module):
    _function: Any

    def __init__(self, output_size: Any, return_indices: bool = False):
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def forward(self, x: Any) -> Any:
        """The maxima of as many windows as are asked for."""
        return type(self)._function(x, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """The maxima of as many windows over one dimension as are asked for."""

    _function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The maxima of as many windows over two dimensions as are asked for."""

    _function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """The maxima of as many windows over three dimensions as are asked for."""

    _function = staticmethod(F.adaptive_max_pool3d)


class _MaxUnpool(Module):
    _function: Any

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, kernel_size if stride is None else stride, padding

    def forward(self, x: Any, indices: Any, output_size: Any = None) -> Any:
        """Values put back where a pooling found them."""
        return type(self)._function(x, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_MaxUnpool):
    """Puts values back where MaxPool1d found them."""

    _function = staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpool):
    """Puts values back where MaxPool2d found them."""

    _function = staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpool):
    """Puts values back where MaxPool3d found them."""

    _function = staticmethod(F.max_unpool3d)

"""Convolutions of sparse tensors as layers: at every place that a filter reaches, or at those of the input."""

from __future__ import annotations

import math
from typing import Any

from ...nn.initializer import Normal
from ...nn.layer import Layer
from ...ops.nn.window_arguments import check_format, repeated
from . import functional as F


class _Conv(Layer):
    """What the convolutions share; a subclass says of how many dimensions, and names the function."""

    rank = 3
    function: Any = None

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, padding_mode: str = "zeros", weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str | None = None):
        super().__init__()
        what = f"sparse.nn.{type(self).__name__}"
        usual = "NDHWC" if self.rank == 3 else "NHWC"
        self._data_format = check_format(what, data_format or usual, [usual])
        if groups != 1 or padding_mode != "zeros":
            raise ValueError(f"{what}: groups must be 1 and padding_mode 'zeros'. Received groups={groups}, "
                             f"padding_mode={padding_mode!r}.")
        self._in_channels, self._out_channels = in_channels, out_channels
        self._kernel_size = repeated(what, "kernel_size", kernel_size, self.rank)
        self._stride, self._padding, self._dilation, self._groups = stride, padding, dilation, groups
        deviation = math.sqrt(2.0 / (math.prod(self._kernel_size) * in_channels))
        self.weight = self.create_parameter([*self._kernel_size, in_channels, out_channels], weight_attr,
                                            default_initializer=Normal(0.0, deviation))
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: Any) -> Any:
        """The result, a coo tensor."""
        return type(self).function(x, self.weight, self.bias, self._stride, self._padding, self._dilation,
                                   self._groups, self._data_format)

    def extra_repr(self) -> str:
        """The sizes."""
        text = f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"
        for name, value, usual in (("stride", self._stride, 1), ("padding", self._padding, 0),
                                   ("dilation", self._dilation, 1)):
            if value != usual:
                text += f", {name}={value}"
        return f"{text}, data_format={self._data_format}"


class _SubmConv(_Conv):
    """A convolution with results at the input's places."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, padding_mode: str = "zeros", key: str | None = None,
                 weight_attr: Any = None, bias_attr: Any = None, data_format: str | None = None):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, padding_mode,
                         weight_attr, bias_attr, data_format)
        self._key = key

    def forward(self, x: Any) -> Any:
        """The result, with the places of x."""
        return type(self).function(x, self.weight, self.bias, self._stride, self._padding, self._dilation,
                                   self._groups, self._data_format, self._key)


class Conv3D(_Conv):
    """`sparse.nn.functional.conv3d` with `weight` [kD, kH, kW, in, out] and `bias` [out] as parameters.

    >>> import proa as paddle
    >>> paddle.sparse.nn.Conv3D(1, 4, 2)(paddle.ones([1, 3, 3, 3, 1]).to_sparse_coo(4)).shape
    [1, 2, 2, 2, 4]
    """

    function = staticmethod(F.conv3d)

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, padding_mode: str = "zeros", weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NDHWC"):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, padding_mode,
                         weight_attr, bias_attr, data_format)


class Conv2D(_Conv):
    """`sparse.nn.functional.conv2d` with `weight` [kH, kW, in, out] and `bias` [out] as parameters."""

    rank = 2
    function = staticmethod(F.conv2d)

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, padding_mode: str = "zeros", weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NHWC"):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, padding_mode,
                         weight_attr, bias_attr, data_format)


class SubmConv3D(_SubmConv):
    """`sparse.nn.functional.subm_conv3d` with `weight` [kD, kH, kW, in, out] and `bias` [out] as parameters.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0], [1], [1], [1]], [[1.0]], [1, 3, 3, 3, 1])
    >>> paddle.sparse.nn.SubmConv3D(1, 4, 3)(x).nnz()
    1
    """

    function = staticmethod(F.subm_conv3d)

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, padding_mode: str = "zeros", key: str | None = None,
                 weight_attr: Any = None, bias_attr: Any = None, data_format: str = "NDHWC"):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, padding_mode, key,
                         weight_attr, bias_attr, data_format)


class SubmConv2D(_SubmConv):
    """`sparse.nn.functional.subm_conv2d` with `weight` [kH, kW, in, out] and `bias` [out] as parameters."""

    rank = 2
    function = staticmethod(F.subm_conv2d)

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, padding_mode: str = "zeros", key: str | None = None,
                 weight_attr: Any = None, bias_attr: Any = None, data_format: str = "NHWC"):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, padding_mode, key,
                         weight_attr, bias_attr, data_format)

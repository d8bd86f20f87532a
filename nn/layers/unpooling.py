"""Putting maxima back where pooling found them."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..layer import Layer


class _MaxUnPool(Layer):
    """Zeros, with each element of the input at the position that max pooling took it from."""

    function: Any = None

    def __init__(self, kernel_size: Any, stride: Any, padding: Any, data_format: str, output_size: Any):
        super().__init__()
        self.ksize, self.stride, self.padding = kernel_size, stride, padding
        self.data_format, self.output_size = data_format, output_size

    def forward(self, x: Any, indices: Any) -> Any:
        """[N, C, *sizes] and the positions that pooling gave with `return_mask=True` to [N, C, *output_size]."""
        return type(self).function(x, indices, self.ksize, self.stride, self.padding, self.data_format,
                                   self.output_size)

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"


class MaxUnPool1D(_MaxUnPool):
    """As `MaxUnPool2D` over [N, C, L].

    >>> import proa as paddle
    >>> x = paddle.rand([1, 2, 4])
    >>> y, places = paddle.nn.functional.max_pool1d(x, 2, return_mask=True)
    >>> paddle.nn.MaxUnPool1D(2)(y, places).shape
    [1, 2, 4]
    """

    function = staticmethod(F.max_unpool1d)

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, data_format: str = "NCL",
                 output_size: Any = None, name: str | None = None):
        super().__init__(kernel_size, stride, padding, data_format, output_size)
        self.name = name


class MaxUnPool2D(_MaxUnPool):
    """Zeros [N, C, H, W] with each element of the input at the position that max pooling took it from.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[[[1.0, 2.0], [4.0, 3.0]]]])
    >>> y, positions = paddle.nn.functional.max_pool2d(x, 2, return_mask=True)
    >>> paddle.nn.MaxUnPool2D(2)(y, positions).tolist()
    [[[[0.0, 0.0], [4.0, 0.0]]]]
    """

    function = staticmethod(F.max_unpool2d)

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, data_format: str = "NCHW",
                 output_size: Any = None, name: str | None = None):
        super().__init__(kernel_size, stride, padding, data_format, output_size)
        self.name = name


class MaxUnPool3D(_MaxUnPool):
    """As `MaxUnPool2D` over [N, C, D, H, W].

    >>> import proa as paddle
    >>> x = paddle.rand([1, 2, 4, 4, 4])
    >>> y, places = paddle.nn.functional.max_pool3d(x, 2, return_mask=True)
    >>> paddle.nn.MaxUnPool3D(2)(y, places).shape
    [1, 2, 4, 4, 4]
    """

    function = staticmethod(F.max_unpool3d)

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, data_format: str = "NCDHW",
                 output_size: Any = None, name: str | None = None):
        super().__init__(kernel_size, stride, padding, data_format, output_size)
        self.name = name

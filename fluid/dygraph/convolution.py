"""Convolution and pooling layers of dynamic mode: Conv2D, Conv3D, their transposes, Pool2D."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...ops.core.operator import find
from ...ops.core.trace import apply
from ..initializer import Normal
from .applied import activated, biased, channels, sizes
from .layers import Layer, older

_OLDER = "stride padding dilation groups param_attr bias_attr use_cudnn act dtype"


class _Convolution(Layer):
    """What Conv2D and Conv3D share: filters [num_filters, num_channels / groups, …], a bias and an activation."""

    rank = 2

    def _make(self, num_channels: int, num_filters: int, filter_size: Any, stride: Any, padding: Any, dilation: Any,
              groups: int | None, param_attr: Any, bias_attr: Any, use_cudnn: bool, act: str | None,
              dtype: str) -> None:
        what = type(self).__name__
        if param_attr is False:
            raise ValueError(f"{what}(param_attr): must not be False: there is no convolution without filters.")
        if groups is not None and num_channels % groups:
            raise ValueError(f"{what}(num_channels): must be divisible by groups. Received {num_channels} channels and "
                             f"{groups} groups.")
        self._dtype, self._act, self._groups = dtype, act, groups or 1
        self._num_channels, self._num_filters, self._filter_size = num_channels, num_filters, filter_size
        self._param_attr, self._bias_attr, self._use_cudnn = param_attr, bias_attr, use_cudnn
        self._stride, self._padding = sizes(stride, self.rank, "stride"), sizes(padding, self.rank, "padding")
        self._dilation = sizes(dilation, self.rank, "dilation")
        window = sizes(filter_size, self.rank, "filter_size")
        is_depthwise = self.rank == 2 and num_channels == groups and num_filters % num_channels == 0 and not use_cudnn
        self._l_type = "depthwise_conv2d" if is_depthwise else f"conv{self.rank}d"
        drawn = Normal(0.0, math.sqrt(2.0 / (math.prod(window) * num_channels)))
        self.weight = self.create_parameter([num_filters, num_channels // self._groups, *window], param_attr, dtype,
                                            default_initializer=drawn)
        self.bias = self.create_parameter([num_filters], bias_attr, dtype, is_bias=True)

    def forward(self, input: Any) -> Any:
        """[N, num_filters, …] of an input [N, num_channels, …]."""
        result = apply(find(self._l_type), input, self.weight, strides=self._stride, paddings=self._padding,
                       dilations=self._dilation, groups=self._groups)
        return activated(biased(result, self.bias, 1), self._act)


class Conv2D(_Convolution):
    """A convolution of [N, C, H, W]. 1.5's form: `Conv2D(name_scope, num_filters, filter_size, …)`.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.ones([1, 3, 8, 8], "float32"))
    ...     fluid.dygraph.Conv2D(3, 6, 3, padding=1)(x).shape, fluid.dygraph.Conv2D("conv", 6, 3)(x).shape
    ([1, 6, 8, 8], [1, 6, 6, 6])
    """

    @older(f"num_filters filter_size {_OLDER}", num_channels=channels)
    def __init__(self, num_channels: int, num_filters: int, filter_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int | None = None, param_attr: Any = None, bias_attr: Any = None,
                 use_cudnn: bool = True, act: str | None = None, dtype: str = "float32"):
        super().__init__()
        self._make(num_channels, num_filters, filter_size, stride, padding, dilation, groups, param_attr, bias_attr,
                   use_cudnn, act, dtype)


class Conv3D(_Convolution):
    """A convolution of [N, C, D, H, W]. 1.5's form: `Conv3D(name_scope, num_filters, filter_size, …)`."""

    rank = 3

    @older(f"num_filters filter_size {_OLDER}", num_channels=channels)
    def __init__(self, num_channels: int, num_filters: int, filter_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int | None = None, param_attr: Any = None, bias_attr: Any = None,
                 use_cudnn: bool = True, act: str | None = None, dtype: str = "float32"):
        super().__init__()
        self._make(num_channels, num_filters, filter_size, stride, padding, dilation, groups, param_attr, bias_attr,
                   use_cudnn, act, dtype)


class _Transpose(Layer):
    """What the transposes share: filters [num_channels, num_filters / groups, …]."""

    rank = 2
    _output_size: list[int] = []

    def _make(self, num_channels: int, num_filters: int, filter_size: Any, padding: Any, stride: Any, dilation: Any,
              groups: int | None, param_attr: Any, bias_attr: Any, use_cudnn: bool, act: str | None,
              dtype: str) -> None:
        if param_attr is False:
            raise ValueError(f"{type(self).__name__}(param_attr): must not be False: there is no convolution without "
                             f"filters.")
        self._dtype, self._act, self._groups = dtype, act, groups or 1
        self._num_channels, self._num_filters, self._filter_size = num_channels, num_filters, filter_size
        self._param_attr, self._bias_attr, self._use_cudnn = param_attr, bias_attr, use_cudnn
        self._stride, self._padding = sizes(stride, self.rank, "stride"), sizes(padding, self.rank, "padding")
        self._dilation = sizes(dilation, self.rank, "dilation")
        is_depthwise = self.rank == 2 and num_channels == groups == num_filters and not use_cudnn
        self._op_type = "depthwise_conv2d_transpose" if is_depthwise else f"conv{self.rank}d_transpose"
        window = sizes(filter_size, self.rank, "filter_size")
        self.weight = self.create_parameter([num_channels, num_filters // self._groups, *window], param_attr, dtype)
        self.bias = self.create_parameter([num_filters], bias_attr, dtype, is_bias=True)

    def _transposed(self, input: Any) -> Any:
        op = find(self._op_type)
        inputs = (input, self.weight, None) if len(op.inputs) == 3 else (input, self.weight)
        return apply(op, *inputs, output_size=self._output_size, strides=self._stride, paddings=self._padding,
                     dilations=self._dilation, groups=self._groups)


def _window_of(given: dict[str, Any], x: Any, rank: int) -> list[int]:
    """The filter's sizes that give `output_size`."""
    if given.get("output_size") is None:
        raise ValueError("A transposed convolution needs filter_size or output_size.")
    wanted = sizes(given["output_size"], rank, "output_size")
    stride, padding, dilation = (sizes(given.get(name, default), rank, name)
                                 for name, default in (("stride", 1), ("padding", 0), ("dilation", 1)))
    return [(wanted[i] - (x.shape[i + 2] - 1) * stride[i] + 2 * padding[i] - 1) // dilation[i] + 1
            for i in range(rank)]


class Conv2DTranspose(_Transpose):
    """A transposed convolution of [N, C, H, W].

    1.5's form: `Conv2DTranspose(name_scope, num_filters, output_size, filter_size, padding, stride, …)`.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.ones([1, 3, 8, 8], "float32"))
    ...     fluid.dygraph.Conv2DTranspose(3, 2, 4, stride=2, padding=1)(x).shape
    [1, 2, 16, 16]
    """

    @older("num_filters output_size filter_size padding stride dilation groups param_attr bias_attr use_cudnn act",
           num_channels=channels, filter_size=lambda given, x: _window_of(given, x, 2))
    def __init__(self, num_channels: int, num_filters: int, filter_size: Any, output_size: Any = None,
                 padding: Any = 0, stride: Any = 1, dilation: Any = 1, groups: int | None = None,
                 param_attr: Any = None, bias_attr: Any = None, use_cudnn: bool = True, act: str | None = None,
                 dtype: str = "float32"):
        super().__init__()
        self._output_size = [] if output_size is None else sizes(output_size, 2, "output_size")
        self._make(num_channels, num_filters, filter_size, padding, stride, dilation, groups, param_attr, bias_attr,
                   use_cudnn, act, dtype)

    def forward(self, input: Any) -> Any:
        """[N, num_filters, H', W'] of an input [N, num_channels, H, W]."""
        return activated(biased(self._transposed(input), self.bias, 1), self._act)


class Conv3DTranspose(_Transpose):
    """A transposed convolution of [N, C, D, H, W]. As in Paddle 1.8 the bias is added only where `bias_attr` is given.

    1.5's form: `Conv3DTranspose(name_scope, num_filters, output_size, filter_size, padding, stride, …)`.
    """

    rank = 3

    @older("num_filters output_size filter_size padding stride dilation groups param_attr bias_attr use_cudnn act",
           num_channels=channels, filter_size=lambda given, x: _window_of(given, x, 3))
    def __init__(self, num_channels: int, num_filters: int, filter_size: Any, padding: Any = 0, stride: Any = 1,
                 dilation: Any = 1, groups: int | None = None, param_attr: Any = None, bias_attr: Any = None,
                 use_cudnn: bool = True, act: str | None = None, dtype: str = "float32", output_size: Any = None):
        super().__init__()
        self._output_size = [] if output_size is None else sizes(output_size, 3, "output_size")
        self._bias_attr = bias_attr
        self._make(num_channels, num_filters, filter_size, padding, stride, dilation, groups, param_attr, bias_attr,
                   use_cudnn, act, dtype)

    def forward(self, input: Any) -> Any:
        """[N, num_filters, D', H', W'] of an input [N, num_channels, D, H, W]."""
        bias = self.bias if self._bias_attr else None
        return activated(biased(self._transposed(input), bias, 1), self._act)


class Pool2D(Layer):
    """The largest element or the mean of each window of [N, C, H, W]; of a whole image with `global_pooling`.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.ones([1, 3, 8, 8], "float32"))
    ...     fluid.dygraph.Pool2D(2, "max", 2)(x).shape, fluid.dygraph.Pool2D(global_pooling=True)(x).shape
    ([1, 3, 4, 4], [1, 3, 1, 1])
    """

    @older("pool_size pool_type pool_stride pool_padding global_pooling use_cudnn ceil_mode exclusive dtype")
    def __init__(self, pool_size: int | Sequence[int] = -1, pool_type: str = "max",
                 pool_stride: int | Sequence[int] = 1, pool_padding: int | Sequence[int] = 0,
                 global_pooling: bool = False, use_cudnn: bool = True, ceil_mode: bool = False,
                 exclusive: bool = True, dtype: str = "float32"):
        if pool_type not in ("max", "avg"):
            raise ValueError(f"Pool2D(pool_type): must be 'max' or 'avg'. Received {pool_type!r}.")
        if not global_pooling and pool_size == -1:
            raise ValueError("Pool2D(pool_size): must be given, unless global_pooling is True.")
        super().__init__()
        self._pool_type, self._pool_size = pool_type, sizes(pool_size, 2, "pool_size")
        self._pool_stride = sizes(pool_stride, 2, "pool_stride")
        self._pool_padding = sizes(pool_padding, 2, "pool_padding")
        self._global_pooling, self._ceil_mode, self._exclusive = global_pooling, ceil_mode, exclusive

    def forward(self, input: Any) -> Any:
        """[N, C, H', W'] of an input [N, C, H, W]."""
        return apply(find("pool2d"), input, pooling_type=self._pool_type, ksize=self._pool_size,
                     global_pooling=self._global_pooling, strides=self._pool_stride, paddings=self._pool_padding,
                     ceil_mode=self._ceil_mode, exclusive=self._exclusive)


__all__ = ["Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Pool2D"]

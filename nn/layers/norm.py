"""Normalization by layer, group and instance, by neighbouring channels, and of a weight by its largest stretch."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

from ...core.errors import AssertedError
from ...core.param_attr import ParamAttr
from ...ops.core.infer import shape_in
from ...ops.nn.spectral_norm import spectral_norm
from ...ops.nn.window_arguments import check_format
from .. import functional as F
from ..initializer import Constant, Normal
from ..layer import Layer
from .batch_norm import BatchNorm, BatchNorm1D, BatchNorm2D, BatchNorm3D, SyncBatchNorm, fixed_parameter

__all__ = ["BatchNorm", "BatchNorm1D", "BatchNorm2D", "BatchNorm3D", "GroupNorm", "InstanceNorm1D", "InstanceNorm2D",
           "InstanceNorm3D", "LayerNorm", "LocalResponseNorm", "SpectralNorm", "SyncBatchNorm"]


class LayerNorm(Layer):
    """Normalization over the last dimensions: (x - mean) / sqrt(variance + epsilon) * weight + bias.

    `normalized_shape`: the sizes of the dimensions that mean and variance are taken over, an int for the last one
    alone. `weight` and `bias` have as many elements, in one dimension, ones and zeros at first; `weight_attr=False`
    and `bias_attr=False` leave them out. Ba et al., Layer Normalization, 2016.

    >>> import proa as paddle
    >>> y = paddle.nn.LayerNorm(4)(paddle.to_tensor([[1.0, 2.0, 3.0, 4.0]]))
    >>> y.numpy().round(3).tolist()
    [[-1.3420000076293945, -0.44699999690055847, 0.44699999690055847, 1.3420000076293945]]
    """

    def __init__(self, normalized_shape: Any, epsilon: float = 1e-5, weight_attr: Any = None, bias_attr: Any = None,
                 name: str | None = None):
        super().__init__()
        single = isinstance(normalized_shape, numbers.Integral)
        self._normalized_shape = [normalized_shape] if single else list(normalized_shape)
        self._epsilon, self._weight_attr, self._bias_attr = epsilon, weight_attr, bias_attr
        size = 1
        for length in self._normalized_shape:
            size *= length
        self.weight = self.create_parameter([size], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([size], bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """The normalized input."""
        return F.layer_norm(input, self._normalized_shape, self.weight, self.bias, self._epsilon)

    def extra_repr(self) -> str:
        """The settings."""
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


class GroupNorm(Layer):
    """Normalization by sample and by group of channels: (x - mean) / sqrt(variance + epsilon) * weight + bias.

    With `weight_attr=False` or `bias_attr=False` that parameter is there, but not trained. Wu and He, Group
    Normalization, 2018.

    >>> import proa as paddle
    >>> paddle.nn.GroupNorm(2, 4)(paddle.ones([2, 4, 3, 3])).shape
    [2, 4, 3, 3]
    """

    def __init__(self, num_groups: int, num_channels: int, epsilon: float = 1e-5, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        self._data_format = check_format("GroupNorm", data_format, ("NCHW", "NHWC"))
        self._num_groups, self._num_channels, self._epsilon = num_groups, num_channels, epsilon
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight = fixed_parameter(self, num_channels, 1.0) if weight_attr is False else self.create_parameter(
            [num_channels], weight_attr, default_initializer=Constant(1.0))
        self.bias = fixed_parameter(self, num_channels, 0.0) if bias_attr is False else self.create_parameter(
            [num_channels], bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """The normalized input."""
        return F.group_norm(input, self._num_groups, self._epsilon, self.weight, self.bias, self._data_format,
                            self._full_name)

    def extra_repr(self) -> str:
        """The settings."""
        return f"num_groups={self._num_groups}, num_channels={self._num_channels}, epsilon={self._epsilon}"


class _InstanceNormBase(Layer):
    """Normalization by sample and channel: (x - mean) / sqrt(variance + epsilon) * scale + bias.

    Without parameters where `weight_attr` and `bias_attr` are False, both. Ulyanov et al., Instance Normalization,
    2016.
    """

    ranks: tuple[int, ...] = ()

    def __init__(self, num_features: int, epsilon: float = 1e-5, momentum: float = 0.9, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        if (weight_attr is False) != (bias_attr is False):
            raise ValueError(f"{type(self).__name__}: weight_attr and bias_attr must both be False, or neither.")
        self._num_features, self._epsilon, self._momentum = num_features, epsilon, momentum
        self._data_format, self._weight_attr, self._bias_attr = data_format, weight_attr, bias_attr
        self.scale = self.create_parameter([num_features], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, is_bias=True)

    def _check_input_dim(self, input: Any) -> None:
        if self.ranks and len(shape_in(input)) not in self.ranks:
            raise ValueError(f"{type(self).__name__} takes {' or '.join(map(str, self.ranks))} dimensions. "
                             f"Received shape {list(input.shape)}.")

    def forward(self, input: Any) -> Any:
        """The normalized input."""
        self._check_input_dim(input)
        return F.instance_norm(input, weight=self.scale, bias=self.bias, momentum=self._momentum, eps=self._epsilon,
                               data_format=self._data_format)

    def extra_repr(self) -> str:
        """The settings."""
        return f"num_features={self._num_features}, epsilon={self._epsilon}"


class InstanceNorm1D(_InstanceNormBase):
    """Instance normalization of [N, C, L] (or [N, C]).

    >>> import proa as paddle
    >>> paddle.nn.InstanceNorm1D(3)(paddle.ones([2, 3, 4])).shape
    [2, 3, 4]
    """

    ranks = (2, 3)

    def __init__(self, num_features: int, epsilon: float = 1e-5, momentum: float = 0.9, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCL", name: str | None = None):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


class InstanceNorm2D(_InstanceNormBase):
    """Instance normalization of [N, C, H, W].

    >>> import proa as paddle
    >>> y = paddle.nn.InstanceNorm2D(3)(5 + 2 * paddle.randn([2, 3, 4, 4]))
    >>> y.shape, abs(y.mean().item()) < 0.001
    ([2, 3, 4, 4], True)
    """

    ranks = (4,)


class InstanceNorm3D(_InstanceNormBase):
    """Instance normalization of [N, C, D, H, W].

    >>> import proa as paddle
    >>> y = paddle.nn.InstanceNorm3D(3)(5 + 2 * paddle.randn([2, 3, 4, 4, 4]))
    >>> y.shape, abs(y.mean().item()) < 0.001
    ([2, 3, 4, 4, 4], True)
    """

    ranks = (5,)

    def __init__(self, num_features: int, epsilon: float = 1e-5, momentum: float = 0.9, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCDHW", name: str | None = None):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


class LocalResponseNorm(Layer):
    """Division by a power of the mean square of neighbouring channels (`nn.functional.local_response_norm`).

    >>> import proa as paddle
    >>> paddle.nn.LocalResponseNorm(size=5)(paddle.rand([2, 6, 4, 4])).shape
    [2, 6, 4, 4]
    """

    __shows_its_name__ = True

    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0, data_format: str = "NCHW",
                 name: str | None = None):
        super().__init__()
        self.name = name
        self.size, self.alpha, self.beta, self.k, self.data_format = size, alpha, beta, k, data_format

    def forward(self, input: Any) -> Any:
        """The normalized input."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k, self.data_format)

    def extra_repr(self) -> str:
        """The settings."""
        text = f"size={self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
        return text if self.data_format == "NCHW" else f"{text}, data_format={self.data_format}"


class SpectralNorm(Layer):
    """A weight divided by its largest singular value, as a matrix of dimension `dim` by all others.

    The value is found by `power_iters` steps of the power method from two random vectors, which are part of the
    state. Miyato et al., Spectral Normalization for Generative Adversarial Networks, 2018.

    >>> import proa as paddle
    >>> weight = paddle.to_tensor([[3.0, 0.0], [0.0, 4.0]])
    >>> paddle.nn.SpectralNorm([2, 2], power_iters=50)(weight).max().item()
    1.0
    """

    def __init__(self, weight_shape: Sequence[int], dim: int = 0, power_iters: int = 1, eps: float = 1e-12,
                 dtype: str = "float32"):
        super().__init__(dtype=dtype)
        if not 0 <= dim < len(weight_shape):
            raise AssertedError(f"SpectralNorm(dim): must name a dimension of weight_shape={list(weight_shape)}. "
                             f"Received {dim}.")
        self._dim, self._power_iters, self._eps = dim, power_iters, eps
        self._weight_shape = list(weight_shape)
        height, count = weight_shape[dim], math.prod(weight_shape)
        fixed, drawn = ParamAttr(trainable=False), Normal(0.0, 1.0)
        self.weight_u = self.create_parameter([height], fixed, self._dtype, default_initializer=drawn)
        self.weight_v = self.create_parameter([count // height], fixed, self._dtype, default_initializer=drawn)

    def forward(self, x: Any) -> Any:
        """The normalized weight."""
        return spectral_norm(x, self.weight_u, self.weight_v, self._dim, self._power_iters, self._eps, self._full_name)

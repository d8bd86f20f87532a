"""Normalization layers of dynamic mode: BatchNorm, LayerNorm, GroupNorm, InstanceNorm, SpectralNorm; Dropout, PRelu."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from ...core.param_attr import ParamAttr, to_param_attr
from ...nn.initializer import Constant
from ...ops.core.operator import find
from ...ops.core.trace import apply
from ...static.building.mode import default_main_program
from ..initializer import Normal
from .applied import activated, channels
from .layers import Layer, older


class BatchNorm(Layer):
    """Normalization of each channel by the batch's statistics, in evaluation by running ones.

    Its state holds `weight`, `bias`, `_mean` and `_variance`. 1.5's form: `BatchNorm(name_scope, num_channels, …)`.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     norm = fluid.dygraph.BatchNorm(3)
    ...     [parameter.name for parameter in norm.parameters()]
    ['batch_norm_0.w_0', 'batch_norm_0.b_0', 'batch_norm_0.w_1', 'batch_norm_0.w_2']
    """

    @older("num_channels act is_test momentum epsilon param_attr bias_attr dtype data_layout in_place "
           "moving_mean_name moving_variance_name do_model_average_for_mean_and_var fuse_with_relu use_global_stats "
           "trainable_statistics")
    def __init__(self, num_channels: int, act: str | None = None, is_test: bool = False, momentum: float = 0.9,
                 epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None, dtype: str = "float32",
                 data_layout: str = "NCHW", in_place: bool = False, moving_mean_name: str | None = None,
                 moving_variance_name: str | None = None, do_model_average_for_mean_and_var: bool = True,
                 use_global_stats: bool = False, trainable_statistics: bool = False, fuse_with_relu: bool = False):
        super().__init__()
        if bias_attr is False:
            raise ValueError("BatchNorm(bias_attr): must not be False.")
        self._dtype = "float32" if dtype == "float16" else dtype
        shape = [num_channels]
        self.weight = self.create_parameter(shape, param_attr, self._dtype, default_initializer=Constant(1.0))
        self.bias = self.create_parameter(shape, bias_attr, self._dtype, is_bias=True)
        given = to_param_attr(param_attr)
        if use_global_stats and given is not None and given.learning_rate == 0.0:
            for parameter in (self.weight, self.bias):
                parameter.stop_gradient = True
        self._mean, self._variance = (
            self.create_parameter(shape, ParamAttr(name, initializer=Constant(value), trainable=False,
                                                   do_model_average=do_model_average_for_mean_and_var), self._dtype)
            for name, value in ((moving_mean_name, 0.0), (moving_variance_name, 1.0)))
        self._act, self._momentum, self._epsilon, self._data_layout = act, momentum, epsilon, data_layout
        self._use_global_stats, self._trainable_statistics = use_global_stats, trainable_statistics
        self._fuse_with_relu = fuse_with_relu

    def forward(self, input: Any) -> Any:
        """The normalized input, activated."""
        result = apply(find("batch_norm"), input, self.weight, self.bias, self._mean, self._variance, None,
                       momentum=self._momentum, epsilon=self._epsilon, is_test=not self.training,
                       data_layout=self._data_layout, use_global_stats=self._use_global_stats,
                       trainable_statistics=self._trainable_statistics)[0]
        return activated(activated(result, "relu" if self._fuse_with_relu else None), self._act)


class LayerNorm(Layer):
    """Normalization over the last dimensions, those of `normalized_shape`.

    1.5's form: `LayerNorm(name_scope, scale, shift, begin_norm_axis, …)`: over all from `begin_norm_axis` on.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.arange(6, dtype="float32").reshape([2, 3]))
    ...     fluid.dygraph.LayerNorm([3])(x).numpy().astype("float16").tolist()[0]
    [-1.224609375, 0.0, 1.224609375]
    """

    @older("scale shift begin_norm_axis epsilon param_attr bias_attr act dtype",
           normalized_shape=lambda given, x: list(x.shape[given.get("begin_norm_axis", 1):]))
    def __init__(self, normalized_shape: int | Sequence[int], scale: bool = True, shift: bool = True,
                 epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None, act: str | None = None,
                 dtype: str = "float32", begin_norm_axis: int | None = None):
        super().__init__()
        self._normalized_shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self._epsilon, self._act, self._dtype = epsilon, act, dtype
        count = [math.prod(self._normalized_shape)]
        for name, attr, wanted in (("scale", param_attr, scale), ("shift", bias_attr, shift)):
            if attr and not wanted:
                warnings.warn(f"LayerNorm: the attr of its {name} says nothing where {name}=False.", stacklevel=3)
        self.weight = self.create_parameter(
            count, param_attr, dtype, default_initializer=Constant(1.0)) if scale else None
        self.bias = self.create_parameter(count, bias_attr, dtype, is_bias=True) if shift else None

    def forward(self, input: Any) -> Any:
        """The normalized input; ValueError where its last sizes are others."""
        behind = len(input.shape) - len(self._normalized_shape)
        if behind < 0 or list(input.shape[behind:]) != self._normalized_shape:
            raise ValueError(f"LayerNorm: the input's last sizes must be {self._normalized_shape}. Received shape "
                             f"{list(input.shape)}.")
        result = apply(find("layer_norm"), input, self.weight, self.bias, epsilon=self._epsilon,
                       begin_norm_axis=behind)[0]
        return activated(result, self._act)


class GroupNorm(Layer):
    """Normalization of groups of channels. As in Paddle 1.8 a scale and a bias are there only where an attr is given.

    1.5's form: `GroupNorm(name_scope, groups, …)`.
    """

    @older("groups epsilon param_attr bias_attr act data_layout", channels=channels)
    def __init__(self, channels: int, groups: int, epsilon: float = 1e-5, param_attr: Any = None,
                 bias_attr: Any = None, act: str | None = None, data_layout: str = "NCHW", dtype: str = "float32"):
        super().__init__()
        if data_layout != "NCHW":
            raise ValueError(f"GroupNorm(data_layout): must be 'NCHW'. Received {data_layout!r}.")
        self._epsilon, self._groups, self._act, self._dtype = epsilon, groups, act, dtype
        self.weight = self.create_parameter([channels], param_attr or False, dtype, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([channels], bias_attr or False, dtype, is_bias=True)

    def forward(self, input: Any) -> Any:
        """The normalized input, activated."""
        result = apply(find("group_norm"), input, self.weight, self.bias, epsilon=self._epsilon,
                       groups=self._groups)[0]
        return activated(result, self._act)


class InstanceNorm(Layer):
    """Normalization of each sample and channel. 1.5's form: `InstanceNorm(name_scope, epsilon, …)`."""

    @older("epsilon param_attr bias_attr dtype", num_channels=channels)
    def __init__(self, num_channels: int, epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None,
                 dtype: str = "float32"):
        super().__init__()
        if bias_attr is False:
            raise ValueError("InstanceNorm(bias_attr): must not be False.")
        self._epsilon, self._dtype = epsilon, dtype
        self.scale = self.create_parameter([num_channels], param_attr, dtype, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_channels], bias_attr, dtype, True, Constant(0.0))

    def forward(self, input: Any) -> Any:
        """The normalized input."""
        return apply(find("instance_norm"), input, self.scale, self.bias, epsilon=self._epsilon)[0]


class SpectralNorm(Layer):
    """A weight divided by its largest singular value, as a matrix of dimension `dim` by all others.

    1.5's form: `SpectralNorm(name_scope, dim, power_iters, eps)`.
    """

    @older("dim power_iters eps name", weight_shape=lambda given, weight: list(weight.shape))
    def __init__(self, weight_shape: Sequence[int], dim: int = 0, power_iters: int = 1, eps: float = 1e-12,
                 dtype: str = "float32", name: str | None = None):
        super().__init__()
        self._dim, self._power_iters, self._eps, self._dtype = dim, power_iters, eps, dtype
        height = weight_shape[dim]
        self.weight_u, self.weight_v = (
            self.create_parameter([n], ParamAttr(initializer=Normal(0.0, 1.0), trainable=False), dtype)
            for n in (height, math.prod(weight_shape) // height))

    def forward(self, weight: Any) -> Any:
        """The normalized weight."""
        return apply(find("spectral_norm"), weight, self.weight_u, self.weight_v, dim=self._dim,
                     power_iters=self._power_iters, eps=self._eps)


class Dropout(Layer):
    """Elements that are zero with the probability `p`, in training.

    'downgrade_in_infer' multiplies by 1 - p in evaluation, 'upscale_in_train' divides by it in training.
    """

    def __init__(self, p: float = 0.5, seed: int | None = None, dropout_implementation: str = "downgrade_in_infer",
                 is_test: bool = False):
        super().__init__()
        if not isinstance(p, (int, float)) or not 0 <= p <= 1:
            raise ValueError(f"Dropout(p): must be a number in [0, 1]. Received {p!r}.")
        if seed is not None and not isinstance(seed, int):
            raise TypeError(f"Dropout(seed): must be an int or None. Received {type(seed).__name__}.")
        if dropout_implementation not in ("downgrade_in_infer", "upscale_in_train"):
            raise ValueError("Dropout(dropout_implementation): must be 'downgrade_in_infer' or 'upscale_in_train'. "
                             f"Received {dropout_implementation!r}.")
        self._dropout_prob, self._seed, self._dropout_implementation = p, seed, dropout_implementation

    def forward(self, input: Any) -> Any:
        """The input with some elements zero; the same ones at each call where there is a seed."""
        seed = self._seed or getattr(default_main_program(), "random_seed", 0) or self._seed
        return apply(find("dropout"), input, None, dropout_prob=float(self._dropout_prob), is_test=not self.training,
                     fix_seed=seed is not None and seed != 0, seed=seed or 0,
                     dropout_implementation=self._dropout_implementation)[0]


_MODES = ("all", "channel", "element")


class PRelu(Layer):
    """max(x, 0) + weight * min(x, 0), with one weight, one for each channel, or one for each element of a sample.

    1.5's form: `PRelu(name_scope, mode, param_attr)`.
    """

    @older("mode param_attr", lambda args: len(args) > 1 and args[1] in _MODES or args[0] not in _MODES,
           channel=lambda given, x: int(x.shape[1]), input_shape=lambda given, x: list(x.shape))
    def __init__(self, mode: str, channel: int | None = None, input_shape: Sequence[int] | None = None,
                 param_attr: Any = None, dtype: str = "float32"):
        super().__init__("prelu")
        if mode == "all":
            shape = [1]
        elif mode == "channel":
            if not isinstance(channel, int):
                raise ValueError(f"PRelu(channel): must be an int with mode='channel'. Received {channel!r}.")
            shape = [1, channel, 1, 1]
        elif mode == "element":
            if not isinstance(input_shape, (list, tuple)):
                raise ValueError(f"PRelu(input_shape): must be a list with mode='element'. Received {input_shape!r}.")
            shape = [1, *input_shape[1:]]
        else:
            raise ValueError(f"PRelu(mode): must be one of {list(_MODES)}. Received {mode!r}.")
        self._mode, self._dtype = mode, dtype
        self.weight = self.create_parameter(shape, param_attr, "float32", default_initializer=Constant(1.0))

    def forward(self, input: Any) -> Any:
        """What it makes of the input's elements."""
        return apply(find("prelu"), input, self.weight, mode=self._mode)


__all__ = ["BatchNorm", "Dropout", "GroupNorm", "InstanceNorm", "LayerNorm", "PRelu", "SpectralNorm"]

"""Batch and layer normalization."""

from __future__ import annotations

from typing import Any

from ...core.param_attr import ParamAttr
from .. import functional as F
from ..initializer import Constant
from ..layer import Layer


class _BatchNorm(Layer):
    """Normalization by the statistics of the batch in training, by running ones in evaluation.

    y = (x - mean) / sqrt(variance + epsilon) * weight + bias, channel by channel; running = momentum * running +
    (1 - momentum) * batch. Ioffe and Szegedy, Batch Normalization, 2015.
    """

    ranks: tuple[int, ...] = ()

    def __init__(self, num_features: int, momentum: float = 0.9, epsilon: float = 1e-5, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCHW", use_global_stats: bool | None = None,
                 name: str | None = None):
        super().__init__()
        self._num_features, self._momentum, self._epsilon = num_features, momentum, epsilon
        self._data_format, self._use_global_stats = data_format, use_global_stats
        self.weight = self.create_parameter([num_features], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, is_bias=True)
        fixed: dict[str, Any] = {"trainable": False, "do_model_average": True}
        self._mean = self.create_parameter([num_features], ParamAttr(initializer=Constant(0.0), **fixed))
        self._variance = self.create_parameter([num_features], ParamAttr(initializer=Constant(1.0), **fixed))

    def forward(self, input: Any) -> Any:
        """The normalized input."""
        if self.ranks and len(input.shape) not in self.ranks:
            raise ValueError(f"{type(self).__name__} takes {' or '.join(map(str, self.ranks))} dimensions. "
                             f"Received shape {list(input.shape)}.")
        return F.batch_norm(input, self._mean, self._variance, self.weight, self.bias, self.training, self._momentum,
                            self._epsilon, self._data_format, self._use_global_stats)

    def extra_repr(self) -> str:
        """The settings."""
        text = f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}"
        return text if self._data_format == "NCHW" else f"{text}, data_format={self._data_format}"


class BatchNorm1D(_BatchNorm):
    """Batch normalization of [N, C] or [N, C, L]."""

    ranks = (2, 3)

    def __init__(self, num_features: int, momentum: float = 0.9, epsilon: float = 1e-5, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCL", use_global_stats: bool | None = None,
                 name: str | None = None):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, _plain_format(data_format),
                         use_global_stats, name)


class BatchNorm2D(_BatchNorm):
    """Batch normalization of [N, C, H, W].

    >>> import proa as paddle
    >>> paddle.nn.BatchNorm2D(3)(paddle.ones([2, 3, 4, 4])).shape
    [2, 3, 4, 4]
    """

    ranks = (4,)


class BatchNorm3D(_BatchNorm):
    """Batch normalization of [N, C, D, H, W]."""

    ranks = (5,)

    def __init__(self, num_features: int, momentum: float = 0.9, epsilon: float = 1e-5, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCDHW", use_global_stats: bool | None = None,
                 name: str | None = None):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, _plain_format(data_format),
                         use_global_stats, name)


class BatchNorm(_BatchNorm):
    """Batch normalization with Paddle 1.x's arguments; `act` names an activation to follow."""

    def __init__(self, num_channels: int, act: str | None = None, is_test: bool = False, momentum: float = 0.9,
                 epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None, dtype: str = "float32",
                 data_layout: str = "NCHW", in_place: bool = False, moving_mean_name: str | None = None,
                 moving_variance_name: str | None = None, do_model_average_for_mean_and_var: bool = True,
                 use_global_stats: bool = False, trainable_statistics: bool = False):
        super().__init__(num_channels, momentum, epsilon, param_attr, bias_attr, data_layout, use_global_stats)
        self._act, self._trainable_statistics = act, trainable_statistics
        for value, name in ((self._mean, moving_mean_name), (self._variance, moving_variance_name)):
            if name is not None:
                value.name = name
        if is_test:
            self.eval()

    def forward(self, input: Any) -> Any:
        """The normalized input, activated."""
        training = self.training or self._trainable_statistics
        result = F.batch_norm(input, self._mean, self._variance, self.weight, self.bias, training, self._momentum,
                              self._epsilon, self._data_format, self._use_global_stats)
        return result if self._act is None else getattr(F, self._act)(result)


def _plain_format(data_format: str) -> str:
    """Channels second or last, as the operator names it."""
    if data_format in ("NC", "NCL", "NCHW", "NCDHW"):
        return "NCHW"
    if data_format in ("NLC", "NHWC", "NDHWC"):
        return "NHWC"
    raise ValueError(f"data_format: 'NC', 'NCL', 'NLC', 'NCHW', 'NHWC', 'NCDHW' or 'NDHWC'. Received {data_format!r}.")


class LayerNorm(Layer):
    """Normalization over the last dimensions: (x - mean) / sqrt(variance + epsilon) * weight + bias.

    Ba et al., Layer Normalization, 2016.

    >>> import proa as paddle
    >>> paddle.nn.LayerNorm(4)(paddle.randn([2, 4])).shape
    [2, 4]
    """

    def __init__(self, normalized_shape: Any, epsilon: float = 1e-5, weight_attr: Any = None, bias_attr: Any = None,
                 name: str | None = None):
        super().__init__()
        self._normalized_shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self._epsilon = epsilon
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



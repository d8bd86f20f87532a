"""Batch normalization, of one device and, by name, of several."""

from __future__ import annotations

from typing import Any

from ...core import launched
from ...core.param_attr import ParamAttr
from ...ops.core.infer import shape_in
from ...ops.core.operator import find, is_declared
from ...ops.core.trace import apply
from ...ops.nn.window_arguments import check_format
from .. import functional as F
from ..functional.shared_batch_norm import shared_batch_norm
from ..initializer import Constant
from ..layer import Layer


class _BatchNormBase(Layer):
    """Normalization by the statistics of the batch in training, by running ones in evaluation.

    y = (x - mean) / sqrt(variance + epsilon) * weight + bias, channel by channel; running = momentum * running +
    (1 - momentum) * batch. Ioffe and Szegedy, Batch Normalization, 2015.
    """

    ranks: tuple[int, ...] = ()
    formats: tuple[str, ...] = ("NCHW", "NHWC")
    _in_place = _fuse_with_relu = False  # packages' layers that extend these read them

    def __init__(self, num_features: int, momentum: float = 0.9, epsilon: float = 1e-5, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCHW", use_global_stats: bool | None = None,
                 name: str | None = None):
        super().__init__()
        self._name = name
        mean, variance = (None, None) if name is None else (f"{name}_mean", f"{name}_variance")
        self._settle(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, use_global_stats, mean,
                     variance)

    def _settle(self, num_features: int, momentum: float, epsilon: float, weight_attr: Any, bias_attr: Any,
                data_format: str, use_global_stats: bool | None, mean_name: str | None = None,
                variance_name: str | None = None, dtype: Any = None) -> None:
        self._num_features, self._momentum, self._epsilon = num_features, momentum, epsilon
        self._data_format, self._use_global_stats = data_format, use_global_stats
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        shape = [num_features]
        self.weight = self.create_parameter(shape, weight_attr, dtype, default_initializer=Constant(1.0))
        self.bias = self.create_parameter(shape, bias_attr, dtype, is_bias=True)
        mean, variance = (ParamAttr(name, initializer=Constant(value), trainable=False, do_model_average=True)
                          for name, value in ((mean_name, 0.0), (variance_name, 1.0)))
        self._mean = self.create_parameter(shape, mean, dtype)
        self._variance = self.create_parameter(shape, variance, dtype)

    def _check_data_format(self, input: str) -> None:
        """Sets the data format; packages' layers that extend these call it."""
        self._data_format = check_format(type(self).__name__, input, self.formats)

    def _check_input_dim(self, input: Any) -> None:
        if self.ranks and len(shape_in(input)) not in self.ranks:
            raise ValueError(f"{type(self).__name__} takes {' or '.join(map(str, self.ranks))} dimensions. "
                             f"Received shape {list(input.shape)}.")

    def forward(self, input: Any) -> Any:
        """The normalized input."""
        self._check_input_dim(input)
        return F.batch_norm(input, self._mean, self._variance, self.weight, self.bias, self.training, self._momentum,
                            self._epsilon, self._data_format, self._use_global_stats)

    def extra_repr(self) -> str:
        """The settings."""
        text = f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}"
        return text if self._data_format == "NCHW" else f"{text}, data_format={self._data_format}"


class BatchNorm1D(_BatchNormBase):
    """Batch normalization of [N, C] or [N, C, L], channel by channel; see `BatchNorm2D`.

    `data_format`: 'NC', 'NCL', or 'NLC' for channels last.

    >>> import proa as paddle
    >>> y = paddle.nn.BatchNorm1D(3)(5 + 2 * paddle.randn([16, 3]))
    >>> y.shape, abs(y.mean().item()) < 0.001
    ([16, 3], True)
    """

    __shows_its_name__ = True

    ranks = (2, 3)
    formats = ("NC", "NCL", "NLC")

    def __init__(self, num_features: int, momentum: float = 0.9, epsilon: float = 1e-5, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCL", use_global_stats: bool | None = None,
                 name: str | None = None):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr,
                         check_format("BatchNorm1D", data_format, self.formats), use_global_stats, name)


class BatchNorm2D(_BatchNormBase):
    """Batch normalization of [N, C, H, W]: (x - mean) / sqrt(variance + epsilon) * weight + bias, channel by channel.

    In training mean and variance are those of the batch, and the running ones follow: running = momentum * running +
    (1 - momentum) * batch, so that `momentum=0.9` is PyTorch's 0.1. After `net.eval()` the running ones count;
    `use_global_stats=True` and `False` ask for these and for the batch's, in both. They are the buffers `_mean` and
    `_variance`; `weight` begins with ones, `bias` with zeros, and `weight_attr=False` or `bias_attr=False` leave them
    out. `data_format`: 'NCHW' or 'NHWC'. Ioffe and Szegedy, Batch Normalization, 2015.

    >>> import proa as paddle
    >>> norm = paddle.nn.BatchNorm2D(3)
    >>> y = norm(5 + 2 * paddle.randn([8, 3, 4, 4]))
    >>> y.shape, abs(y.mean().item()) < 0.001, norm._mean.shape
    ([8, 3, 4, 4], True, [3])
    """

    ranks = (4,)


class BatchNorm3D(_BatchNormBase):
    """Batch normalization of [N, C, D, H, W], channel by channel; see `BatchNorm2D`.

    `data_format`: 'NCDHW', or 'NDHWC' for channels last.

    >>> import proa as paddle
    >>> y = paddle.nn.BatchNorm3D(3)(5 + 2 * paddle.randn([4, 3, 2, 2, 2]))
    >>> y.shape, abs(y.mean().item()) < 0.001
    ([4, 3, 2, 2, 2], True)
    """

    ranks = (5,)
    formats = ("NCDHW", "NDHWC")

    def __init__(self, num_features: int, momentum: float = 0.9, epsilon: float = 1e-5, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCDHW", use_global_stats: bool | None = None,
                 name: str | None = None):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr,
                         check_format("BatchNorm3D", data_format, self.formats), use_global_stats, name)


class SyncBatchNorm(_BatchNormBase):
    """Batch normalization of two to five dimensions, in training by the batches of all processes together.

    The mean and the variance are those of what all processes have given, whose batches may have several sizes, and
    gradients flow through them. Of a process alone, and in evaluation, it is batch normalization.
    """

    ranks = (2, 3, 4, 5)

    def __init__(self, num_features: int, momentum: float = 0.9, epsilon: float = 1e-5, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCHW", name: str | None = None):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, None, name)
        if weight_attr is False:
            self.weight = fixed_parameter(self, num_features, 1.0)
        if bias_attr is False:
            self.bias = fixed_parameter(self, num_features, 0.0)

    def forward(self, x: Any) -> Any:
        """The normalized input."""
        if launched.size() == 1 or not self.training or self._use_global_stats:
            return super().forward(x)
        self._check_input_dim(x)
        return shared_batch_norm(x, self._mean, self._variance, self.weight, self.bias, self._momentum,
                                 self._epsilon, self._data_format[-1] == "C" and self._data_format != "NC")

    @classmethod
    def convert_sync_batchnorm(cls, layer: Layer) -> Layer:
        """`layer` with every batch normalization in it replaced by a SyncBatchNorm that has its parameters.

        Sublayers are replaced in place; the layer itself is given, or what takes its place.

        >>> import proa as paddle
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.BatchNorm1D(2))
        >>> type(paddle.nn.SyncBatchNorm.convert_sync_batchnorm(net)[1]).__name__
        'SyncBatchNorm'
        """
        result = layer
        if isinstance(layer, _BatchNormBase) and not isinstance(layer, SyncBatchNorm):
            result = cls(layer._num_features, layer._momentum, layer._epsilon, data_format=layer._data_format)
            result.weight, result.bias = layer.weight, layer.bias
            result._mean, result._variance = layer._mean, layer._variance
            result._use_global_stats = layer._use_global_stats
            result.training = layer.training
        for name, sublayer in layer.named_children():
            converted = cls.convert_sync_batchnorm(sublayer)
            if converted is not sublayer:
                result.add_sublayer(name, converted)
        return result


def fixed_parameter(layer: Layer, count: int, value: float) -> Any:
    """A parameter of equal elements that is not trained, for a layer whose state has it all the same."""
    return layer.create_parameter([count], ParamAttr(initializer=Constant(value), trainable=False))


class BatchNorm(_BatchNormBase):
    """Batch normalization with Paddle 1.x's arguments; `BatchNorm2D` and its like are what new code has.

    `act` is the type of an operator that follows, such as 'relu', 'hard_swish' or 'leaky_relu', with constants that are
    the operator's own: a slope of 0.02, where the function has 0.01. ValueError where there is none of that type.
    `is_test=True` and `use_global_stats=True` take the running statistics, which `moving_mean_name` and
    `moving_variance_name` name.

    >>> import proa as paddle
    >>> x = paddle.randn([8, 3, 4, 4])
    >>> paddle.nn.BatchNorm(3, act="relu")(x).min().item() == 0
    True
    """

    __keeps_its_dtype__ = True

    def __init__(self, num_channels: int, act: str | None = None, is_test: bool = False, momentum: float = 0.9,
                 epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None, dtype: str = "float32",
                 data_layout: str = "NCHW", in_place: bool = False, moving_mean_name: str | None = None,
                 moving_variance_name: str | None = None, do_model_average_for_mean_and_var: bool = True,
                 use_global_stats: bool = False, trainable_statistics: bool = False):
        if act is not None and not is_declared(act):
            raise ValueError("BatchNorm(act): must be the type of an operator, such as 'relu' or 'hard_swish'; names "
                             f"of functions, such as 'hardswish', are not among them. Received {act!r}.")
        Layer.__init__(self, dtype="float32" if dtype == "float16" else dtype)
        self._settle(num_channels, momentum, epsilon, param_attr, bias_attr, data_layout, use_global_stats,
                     moving_mean_name, moving_variance_name, self._dtype)
        self._act, self._trainable_statistics, self._param_attr = act, trainable_statistics, param_attr
        if is_test:
            self.eval()

    def forward(self, input: Any) -> Any:
        """The normalized input, activated."""
        running = True if self._use_global_stats else False if self._trainable_statistics else None
        result = F.batch_norm(input, self._mean, self._variance, self.weight, self.bias, self.training, self._momentum,
                              self._epsilon, self._data_format, running, self._full_name)
        return result if self._act is None else apply(find(self._act), result)

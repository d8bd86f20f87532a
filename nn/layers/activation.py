"""Activations as layers: each is a function of `nn.functional` with its settings kept."""

from __future__ import annotations

import inspect
from typing import Any

from .. import functional as F
from ..initializer import Constant
from ..layer import Layer


class _Activation(Layer):
    """A function of one tensor; the constructor's arguments are the names in `settings`, with these defaults."""

    function = ""
    settings: dict[str, Any] = {}

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()
        names = [*self.settings, "name"]
        parameters = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=self.settings.get(n))
                      for n in names]
        bound = inspect.Signature(parameters).bind(*args, **kwargs)
        bound.apply_defaults()
        self._arguments = {n: v for n, v in bound.arguments.items() if n in self.settings}

    def forward(self, x: Any) -> Any:
        """The function of x, element by element."""
        return getattr(F, self.function)(x, **self._arguments)

    def extra_repr(self) -> str:
        """The settings."""
        return ", ".join(f"{k}={v}" for k, v in self._arguments.items())


class ReLU(_Activation):
    """max(x, 0)."""

    function = "relu"


class ReLU6(_Activation):
    """min(max(x, 0), 6)."""

    function = "relu6"


class LeakyReLU(_Activation):
    """x where positive, negative_slope * x elsewhere."""

    function, settings = "leaky_relu", {"negative_slope": 0.01}


class ELU(_Activation):
    """x where positive, alpha * (e^x - 1) elsewhere."""

    function, settings = "elu", {"alpha": 1.0}


class CELU(_Activation):
    """max(0, x) + min(0, alpha * (e^(x / alpha) - 1))."""

    function, settings = "celu", {"alpha": 1.0}


class SELU(_Activation):
    """ELU scaled so that signals keep mean 0 and variance 1."""

    function = "selu"
    settings = {"scale": 1.0507009873554804934193349852946, "alpha": 1.6732632423543772848170429916717}


class GELU(_Activation):
    """x times the normal distribution function of x, or its approximation by tanh."""

    function, settings = "gelu", {"approximate": False}


class Sigmoid(_Activation):
    """1 / (1 + e^-x)."""

    function = "sigmoid"


class LogSigmoid(_Activation):
    """log(1 / (1 + e^-x))."""

    function = "log_sigmoid"


class Tanh(_Activation):
    """The hyperbolic tangent."""

    function = "tanh"


class Silu(_Activation):
    """x / (1 + e^-x)."""

    function = "silu"


class Swish(_Activation):
    """x / (1 + e^-x)."""

    function = "swish"


class Mish(_Activation):
    """x * tanh(softplus(x))."""

    function = "mish"


class Hardswish(_Activation):
    """x * relu6(x + 3) / 6."""

    function = "hardswish"


class Hardsigmoid(_Activation):
    """x / 6 + 1 / 2 between 0 and 1."""

    function = "hardsigmoid"


class Hardtanh(_Activation):
    """x between min and max."""

    function, settings = "hardtanh", {"min": -1.0, "max": 1.0}


class Softplus(_Activation):
    """log(1 + e^(beta * x)) / beta; x itself where beta * x exceeds threshold."""

    function, settings = "softplus", {"beta": 1, "threshold": 20}


class Softsign(_Activation):
    """x / (1 + |x|)."""

    function = "softsign"


class Softshrink(_Activation):
    """x moved towards 0 by threshold."""

    function, settings = "softshrink", {"threshold": 0.5}


class Hardshrink(_Activation):
    """x where |x| exceeds threshold, 0 elsewhere."""

    function, settings = "hardshrink", {"threshold": 0.5}


class Tanhshrink(_Activation):
    """x - tanh(x)."""

    function = "tanhshrink"


class ThresholdedReLU(_Activation):
    """x where above threshold, 0 elsewhere."""

    function, settings = "thresholded_relu", {"threshold": 1.0}


class Softmax(_Activation):
    """e^x over the sum of e^x along an axis.

    >>> import proa as paddle
    >>> paddle.nn.Softmax()(paddle.zeros([2])).tolist()
    [0.5, 0.5]
    """

    function, settings = "softmax", {"axis": -1}


class LogSoftmax(_Activation):
    """The logarithm of softmax, computed without overflow."""

    function, settings = "log_softmax", {"axis": -1}


class PReLU(Layer):
    """x where positive, a learnt slope times x elsewhere: one slope, or one a channel."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, weight_attr: Any = None, data_format: str = "NCHW",
                 name: str | None = None):
        super().__init__()
        self._data_format = data_format
        self._weight = self.create_parameter([num_parameters], weight_attr, default_initializer=Constant(init))

    def forward(self, x: Any) -> Any:
        """The function of x."""
        return F.prelu(x, self._weight, self._data_format)

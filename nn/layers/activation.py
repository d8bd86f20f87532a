"""Activations as layers: each is a function of `nn.functional` with its settings kept."""

from __future__ import annotations

import inspect
from typing import Any

from ...core.errors import AssertedError
from ...ops.core.infer import shape_in
from .. import functional as F
from ..initializer import Constant
from ..layer import Layer


class _Activation(Layer):
    """A function of one tensor; the constructor's arguments are the names in `settings`, with these defaults."""

    __shows_its_name__ = True

    function = ""
    settings: dict[str, Any] = {}
    __signature__ = inspect.Signature()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__signature__ = inspect.Signature([
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=cls.settings.get(name))
            for name in [*cls.settings, "name"]])

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()
        bound = self.__signature__.bind(*args, **kwargs)
        bound.apply_defaults()
        self._arguments = {n: v for n, v in bound.arguments.items() if n in self.settings}
        for name, value in bound.arguments.items():
            setattr(self, f"_{name}", value)  # as Paddle calls them: subclasses read them

    def forward(self, x: Any) -> Any:
        """The function of x, element by element."""
        return getattr(F, self.function)(x, **self._arguments)

    def extra_repr(self) -> str:
        """The settings."""
        return ", ".join(f"{k}={v}" for k, v in self._arguments.items())


class ReLU(_Activation):
    """max(x, 0).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.ReLU()(x).numpy().round(3).tolist()
    [0.0, 0.0, 0.0, 1.0, 4.0]
    """

    function = "relu"


class ReLU6(_Activation):
    """min(max(x, 0), 6).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.ReLU6()(x).numpy().round(3).tolist()
    [0.0, 0.0, 0.0, 1.0, 4.0]
    """

    function = "relu6"


class LeakyReLU(_Activation):
    """x where positive, negative_slope * x elsewhere.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.LeakyReLU()(x).numpy().round(3).tolist()
    [-0.02, -0.005, 0.0, 1.0, 4.0]
    """

    function, settings = "leaky_relu", {"negative_slope": 0.01}


class ELU(_Activation):
    """x where positive, alpha * (e^x - 1) elsewhere.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.ELU()(x).numpy().round(3).tolist()
    [-0.865, -0.393, 0.0, 1.0, 4.0]
    """

    function, settings = "elu", {"alpha": 1.0}


class CELU(_Activation):
    """max(0, x) + min(0, alpha * (e^(x / alpha) - 1)).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.CELU()(x).numpy().round(3).tolist()
    [-0.865, -0.393, 0.0, 1.0, 4.0]
    """

    function, settings = "celu", {"alpha": 1.0}


class SELU(_Activation):
    """ELU scaled so that signals keep mean 0 and variance 1.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.SELU()(x).numpy().round(3).tolist()
    [-1.52, -0.692, 0.0, 1.051, 4.203]
    """

    function = "selu"
    settings = {"scale": 1.0507009873554804934193349852946, "alpha": 1.6732632423543772848170429916717}


class GELU(_Activation):
    """x times the normal distribution function of x, or its approximation by tanh.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.GELU()(x).numpy().round(3).tolist()
    [-0.046, -0.154, 0.0, 0.841, 4.0]
    """

    function, settings = "gelu", {"approximate": False}


class Sigmoid(_Activation):
    """1 / (1 + e^-x).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.Sigmoid()(x).numpy().round(3).tolist()
    [0.119, 0.378, 0.5, 0.731, 0.982]
    """

    function = "sigmoid"

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.name = self._name


class LogSigmoid(_Activation):
    """log(1 / (1 + e^-x)).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.LogSigmoid()(x).numpy().round(3).tolist()
    [-2.127, -0.974, -0.693, -0.313, -0.018]
    """

    function = "log_sigmoid"


class Tanh(_Activation):
    """The hyperbolic tangent.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.Tanh()(x).numpy().round(3).tolist()
    [-0.964, -0.462, 0.0, 0.762, 0.999]
    """

    function = "tanh"


class Silu(_Activation):
    """x / (1 + e^-x).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.Silu()(x).numpy().round(3).tolist()
    [-0.238, -0.189, 0.0, 0.731, 3.928]
    """

    function = "silu"


class Swish(_Activation):
    """x / (1 + e^-x).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.Swish()(x).numpy().round(3).tolist()
    [-0.238, -0.189, 0.0, 0.731, 3.928]
    """

    function = "swish"


class Mish(_Activation):
    """x * tanh(softplus(x)).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.Mish()(x).numpy().round(3).tolist()
    [-0.253, -0.221, 0.0, 0.865, 3.997]
    """

    function = "mish"


class Hardswish(_Activation):
    """x * relu6(x + 3) / 6.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.Hardswish()(x).numpy().round(3).tolist()
    [-0.333, -0.208, 0.0, 0.667, 4.0]
    """

    function = "hardswish"


class Hardsigmoid(_Activation):
    """x / 6 + 1 / 2 between 0 and 1.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.Hardsigmoid()(x).numpy().round(3).tolist()
    [0.167, 0.417, 0.5, 0.667, 1.0]
    """

    function = "hardsigmoid"

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.name = self._name


class Hardtanh(_Activation):
    """x between min and max.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.Hardtanh()(x).numpy().round(3).tolist()
    [-1.0, -0.5, 0.0, 1.0, 1.0]
    """

    function, settings = "hardtanh", {"min": -1.0, "max": 1.0}


class Softplus(_Activation):
    """log(1 + e^(beta * x)) / beta; x itself where beta * x exceeds threshold.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.Softplus()(x).numpy().round(3).tolist()
    [0.127, 0.474, 0.693, 1.313, 4.018]
    """

    function, settings = "softplus", {"beta": 1, "threshold": 20}


class Softsign(_Activation):
    """x / (1 + |x|).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.Softsign()(x).numpy().round(3).tolist()
    [-0.667, -0.333, 0.0, 0.5, 0.8]
    """

    function = "softsign"


class Softshrink(_Activation):
    """x moved towards 0 by threshold.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.Softshrink()(x).numpy().round(3).tolist()
    [-1.5, 0.0, 0.0, 0.5, 3.5]
    """

    function, settings = "softshrink", {"threshold": 0.5}


class Hardshrink(_Activation):
    """x where |x| exceeds threshold, 0 elsewhere.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.Hardshrink()(x).numpy().round(3).tolist()
    [-2.0, -0.0, 0.0, 1.0, 4.0]
    """

    function, settings = "hardshrink", {"threshold": 0.5}


class Tanhshrink(_Activation):
    """x - tanh(x).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.Tanhshrink()(x).numpy().round(3).tolist()
    [-1.036, -0.038, 0.0, 0.238, 3.001]
    """

    function = "tanhshrink"


class ThresholdedReLU(_Activation):
    """x where above threshold, 0 elsewhere.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.ThresholdedReLU()(x).numpy().round(3).tolist()
    [-0.0, -0.0, 0.0, 0.0, 4.0]
    """

    function, settings = "thresholded_relu", {"threshold": 1.0}


class Softmax(_Activation):
    """e^x over the sum of e^x along an axis.

    >>> import proa as paddle
    >>> paddle.nn.Softmax()(paddle.zeros([2])).tolist()
    [0.5, 0.5]
    """

    function, settings = "softmax", {"axis": -1}


class LogSoftmax(_Activation):
    """The logarithm of softmax, computed without overflow.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[0.0, 0.0, 1.0]], "float64")
    >>> paddle.nn.LogSoftmax()(x).numpy().round(3).tolist()
    [[-1.551, -1.551, -0.551]]
    """

    function, settings = "log_softmax", {"axis": -1}


class Softmax2D(Layer):
    """Softmax over the channels of [N, C, H, W] or [C, H, W].

    >>> import proa as paddle
    >>> paddle.nn.Softmax2D()(paddle.zeros([1, 4, 1, 1])).flatten().tolist()
    [0.25, 0.25, 0.25, 0.25]
    """

    __shows_its_name__ = True

    def __init__(self, name: str | None = None):
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """The shares of the channels, place by place."""
        if len(shape_in(x)) not in (3, 4):
            raise AssertedError(f"Softmax2D takes 3 or 4 dimensions. Received shape {list(x.shape)}.")
        return F.softmax(x, axis=-3)


class Maxout(Layer):
    """The largest of each `groups` neighbouring channels (Goodfellow et al., Maxout Networks, 2013).

    >>> import proa as paddle
    >>> paddle.nn.Maxout(2)(paddle.ones([1, 6, 3, 3])).shape
    [1, 3, 3, 3]
    """

    __shows_its_name__ = True

    def __init__(self, groups: int, axis: int = 1, name: str | None = None):
        super().__init__()
        self._name = name
        self._groups, self._axis = groups, axis

    def forward(self, x: Any) -> Any:
        """The input with fewer channels."""
        return F.maxout(x, self._groups, self._axis)

    def extra_repr(self) -> str:
        """The settings."""
        return f"groups={self._groups}, axis={self._axis}"


class GLU(Layer):
    """The first half of x along an axis times the sigmoid of the second (Dauphin et al., 2017).

    >>> import proa as paddle
    >>> paddle.nn.GLU()(paddle.ones([2, 6])).shape
    [2, 3]
    """

    __shows_its_name__ = True

    def __init__(self, axis: int = -1, name: str | None = None):
        super().__init__()
        self._name = name
        self._axis = axis

    def forward(self, x: Any) -> Any:
        """Half of the input, gated by the other half."""
        return F.glu(x, self._axis)

    def extra_repr(self) -> str:
        """The setting."""
        return f"axis={self._axis}"


class RReLU(Layer):
    """leaky_relu with slopes drawn evenly from `lower` to `upper` in training, and their mean in evaluation.

    >>> import proa as paddle
    >>> rrelu = paddle.nn.RReLU(0.25, 0.75)
    >>> rrelu.eval()
    >>> rrelu(paddle.to_tensor([-2.0, 4.0])).tolist()
    [-1.0, 4.0]
    """

    __shows_its_name__ = True

    def __init__(self, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0, name: str | None = None):
        super().__init__()
        self._name = name
        self._lower, self._upper = lower, upper

    def forward(self, x: Any) -> Any:
        """The function of x."""
        return F.rrelu(x, self._lower, self._upper, self.training)

    def extra_repr(self) -> str:
        """The settings."""
        return f"lower={self._lower}, upper={self._upper}, training={self.training}, dtype={self._dtype}"


class PReLU(Layer):
    """x where positive, a learnt slope times x elsewhere: one slope, or one a channel.

    >>> import proa as paddle
    >>> prelu = paddle.nn.PReLU(init=0.5)  # the slope is a parameter
    >>> prelu(paddle.to_tensor([-2.0, 4.0])).tolist()
    [-1.0, 4.0]
    """

    __shows_its_name__ = True

    def __init__(self, num_parameters: int = 1, init: float = 0.25, weight_attr: Any = None, data_format: str = "NCHW",
                 name: str | None = None):
        super().__init__()
        self._name = name
        self._num_parameters, self._init, self._data_format = num_parameters, init, data_format
        self._weight_attr = weight_attr
        self._weight = self.create_parameter([num_parameters], weight_attr, default_initializer=Constant(init))

    def forward(self, x: Any) -> Any:
        """The function of x."""
        return F.prelu(x, self._weight, self._data_format)

    def extra_repr(self) -> str:
        """The settings."""
        return (f"num_parameters={self._num_parameters}, data_format={self._data_format}, init={self._init}, "
                f"dtype={self._dtype}")

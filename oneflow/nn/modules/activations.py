"""Activations as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...functions import creation
from .. import functional as F
from ..module import Module, Parameter


def _module(name: str, function: Callable, doc: str, *settings: str, **usual: Any) -> Any:
    """A module that applies a function with settings; `inplace` is one where it is named."""
    names = [*usual, *settings]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        Module.__init__(self)
        given = {**usual, **dict.fromkeys(settings, False), **dict(zip(names, args, strict=False)), **kwargs}
        if len(args) > len(names) or given.keys() - set(names):
            raise TypeError(f"{name}({', '.join(names)}): received {args} and {kwargs}.")
        for key, value in given.items():
            setattr(self, key, value)

    def forward(self: Any, x: Any) -> Any:
        """The function of each element."""
        return function(self, x)

    def extra_repr(self: Any) -> str:
        """Its settings."""
        shown = [f"{key}={getattr(self, key)}" for key in usual]
        return ", ".join([*shown, *(["inplace=True"] if getattr(self, "inplace", False) else [])])

    return type(name, (Module,), {"__init__": __init__, "forward": forward, "extra_repr": extra_repr, "__doc__": doc,
                                  "__module__": __name__})


ReLU = _module("ReLU", lambda m, x: F.relu(x, m.inplace), "max(x, 0).", "inplace")
ReLU6 = _module("ReLU6", lambda m, x: F.relu6(x, inplace=m.inplace), "min(max(x, 0), 6).", "inplace")
LeakyReLU = _module("LeakyReLU", lambda m, x: F.leaky_relu(x, m.negative_slope, m.inplace),
                    "x where it is positive, negative_slope * x elsewhere.", "inplace", negative_slope=0.01)
ELU = _module("ELU", lambda m, x: F.elu(x, m.alpha, m.inplace),
              "x where it is positive, alpha * (exp(x) - 1) elsewhere.", "inplace", alpha=1.0)
CELU = _module("CELU", lambda m, x: F.celu(x, m.alpha, m.inplace),
               "max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0).", "inplace", alpha=1.0)
SELU = _module("SELU", lambda m, x: F.selu(x, inplace=m.inplace), "elu, scaled.", "inplace")
SiLU = _module("SiLU", lambda m, x: F.silu(x, inplace=m.inplace), "x * sigmoid(x).", "inplace")
Mish = _module("Mish", lambda m, x: F.mish(x, inplace=m.inplace), "x * tanh(softplus(x)).", "inplace")
Sigmoid = _module("Sigmoid", lambda m, x: F.sigmoid(x), "1 / (1 + exp(-x)).")
Tanh = _module("Tanh", lambda m, x: F.tanh(x), "The hyperbolic tangent.")
GELU = _module("GELU", lambda m, x: F.gelu(x, m.approximate), "x * P(X <= x) for a standard normal X.",
               approximate="none")
QuickGELU = _module("QuickGELU", lambda m, x: F.quick_gelu(x), "x * sigmoid(1.702 * x).")
Hardsigmoid = _module("Hardsigmoid", lambda m, x: F.hardsigmoid(x, inplace=m.inplace), "relu6(x + 3) / 6.", "inplace")
Hardswish = _module("Hardswish", lambda m, x: F.hardswish(x, inplace=m.inplace), "x * relu6(x + 3) / 6.", "inplace")
Hardshrink = _module("Hardshrink", lambda m, x: F.hardshrink(x, m.lambd, m.inplace),
                     "x where its magnitude is above lambd, 0 elsewhere.", "inplace", lambd=0.5)
Softshrink = _module("Softshrink", lambda m, x: F.softshrink(x, m.lambd, m.inplace), "x drawn towards 0 by lambd.",
                     "inplace", lambd=0.5)
Hardtanh = _module("Hardtanh", lambda m, x: F.hardtanh(x, m.min_val, m.max_val, m.inplace), "x between two limits.",
                   "inplace", min_val=-1.0, max_val=1.0)
Softsign = _module("Softsign", lambda m, x: F.softsign(x, inplace=m.inplace), "x / (1 + |x|).", "inplace")
LogSigmoid = _module("LogSigmoid", lambda m, x: F.logsigmoid(x), "log(sigmoid(x)).")
Softplus = _module("Softplus", lambda m, x: F.softplus(x, m.beta, m.threshold), "log(1 + exp(beta * x)) / beta.",
                   beta=1, threshold=20)
Threshold = _module("Threshold", lambda m, x: F.threshold(x, m.threshold, m.value),
                    "x where it is above the threshold, `value` elsewhere.", threshold=0.0, value=0.0)
Softmax = _module("Softmax", lambda m, x: F.softmax(x, m.dim), "exp(x) / sum(exp(x)) along a dimension.", dim=None)
LogSoftmax = _module("LogSoftmax", lambda m, x: F.log_softmax(x, m.dim), "log(softmax(x)).", dim=None)
GLU = _module("GLU", lambda m, x: F.glu(x, m.dim), "The first half times the sigmoid of the second.", dim=-1)


class PReLU(Module):
    """x where it is positive, weight * x elsewhere; the weight is trained."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None):
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(creation.full_([num_parameters], float(init), dtype, device))

    def forward(self, x: Any) -> Any:
        """The function of each element."""
        return F.prelu(x, self.weight)

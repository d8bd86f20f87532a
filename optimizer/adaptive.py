"""Adagrad, Adadelta, Adamax and RMSProp: rules with a learning rate for each element."""

from __future__ import annotations

from typing import Any

from ..core.dtype import float32
from ..ops.elementwise import scale
from ..ops.optim_adaptive import adadelta_op, adagrad_op, adamax_op, rmsprop_op
from ..ops.trace import apply, current_trace
from .optimizer import Optimizer


def check_factor(rule: str, label: str, value: float) -> float:
    """The value as a float; ValueError unless it lies in [0, 1)."""
    if value is None or not 0 <= value < 1:
        raise ValueError(f"{rule}({label}): must lie in [0, 1). Received {value}.")
    return float(value)


def check_epsilon(rule: str, value: float) -> float:
    """The value as a float; ValueError where it is negative."""
    if value is None or value < 0:
        raise ValueError(f"{rule}(epsilon): must be at least 0. Received {value}.")
    return float(value)


class Adagrad(Optimizer):
    """m ← m + g²; w ← w − lr · g / (√m + ε), m starting at `initial_accumulator_value`.

    Duchi, Hazan and Singer, Adaptive Subgradient Methods for Online Learning and Stochastic Optimization, 2011.

    >>> import proa as paddle
    >>> layer = paddle.nn.Linear(2, 1)
    >>> rule = paddle.optimizer.Adagrad(0.1, parameters=layer.parameters())
    >>> layer(paddle.ones([1, 2])).sum().backward(); rule.step(); rule.clear_grad()
    """

    _kinds = ("moment",)

    def __init__(self, learning_rate: Any, epsilon: float = 1e-6, parameters: Any = None, weight_decay: Any = None,
                 grad_clip: Any = None, name: str | None = None, initial_accumulator_value: float = 0.0):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._epsilon, self._start = check_epsilon("Adagrad", epsilon), float(initial_accumulator_value)

    def _update(self, parameter: Any, gradient: Any, rate: Any) -> None:
        moment = self._accumulator("moment", parameter, self._start)
        apply(adagrad_op, parameter, gradient, moment, rate, epsilon=self._epsilon)


class Adadelta(Optimizer):
    """E[g²] ← ρE[g²] + (1−ρ)g²; Δ = √((E[Δ²]+ε) / (E[g²]+ε)) · g; E[Δ²] ← ρE[Δ²] + (1−ρ)Δ²; w ← w − lr · Δ.

    Zeiler, ADADELTA: An Adaptive Learning Rate Method, 2012.
    """

    _kinds = ("_avg_squared_grad", "_avg_squared_update")

    def __init__(self, learning_rate: Any = 0.001, epsilon: float = 1e-6, rho: float = 0.95, parameters: Any = None,
                 weight_decay: Any = None, grad_clip: Any = None, name: str | None = None):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._epsilon, self._rho = check_epsilon("Adadelta", epsilon), check_factor("Adadelta", "rho", rho)

    def _update(self, parameter: Any, gradient: Any, rate: Any) -> None:
        means = [self._accumulator(kind, parameter) for kind in self._kinds]
        apply(adadelta_op, parameter, gradient, *means, rate, rho=self._rho, epsilon=self._epsilon)


class Adamax(Optimizer):
    """m ← β₁m + (1−β₁)g; u ← max(β₂u + ε, |g|); w ← w − lr / (1−β₁ᵗ) · m / u: Adam with the largest gradient seen.

    Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015, section 7.1.
    """

    _kinds = ("moment", "inf_norm", "beta1_pow_acc")

    def __init__(self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 parameters: Any = None, weight_decay: Any = None, grad_clip: Any = None, name: str | None = None):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._beta1, self._beta2 = check_factor("Adamax", "beta1", beta1), check_factor("Adamax", "beta2", beta2)
        self._epsilon = check_epsilon("Adamax", epsilon)

    def _update(self, parameter: Any, gradient: Any, rate: Any) -> None:
        moment, norm = self._accumulator("moment", parameter), self._accumulator("inf_norm", parameter)
        power = self._accumulator("beta1_pow_acc", parameter, self._beta1, (1,), float32)
        apply(adamax_op, parameter, gradient, rate, moment, norm, power, beta1=self._beta1, beta2=self._beta2,
              epsilon=self._epsilon)
        current_trace().store(power, scale(power, self._beta1))


class RMSProp(Optimizer):
    """r ← ρr + (1−ρ)g²; v ← μv + lr · g / √(r + ε); w ← w − v. With `centered`, r has the squared mean of g taken off.

    Hinton, Neural Networks for Machine Learning, lecture 6e, 2012.
    """

    _kinds = ("momentum", "mean_square", "mean_grad")

    def __init__(self, learning_rate: Any, rho: float = 0.95, epsilon: float = 1e-6, momentum: float = 0.0,
                 centered: bool = False, parameters: Any = None, weight_decay: Any = None, grad_clip: Any = None,
                 name: str | None = None):
        if momentum is None or momentum < 0:
            raise ValueError(f"RMSProp(momentum): must be at least 0. Received {momentum}.")
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._rho, self._epsilon = check_factor("RMSProp", "rho", rho), check_epsilon("RMSProp", epsilon)
        self._momentum, self._centered = float(momentum), bool(centered)

    def _update(self, parameter: Any, gradient: Any, rate: Any) -> None:
        momentum, square, mean = (self._accumulator(kind, parameter) for kind in self._kinds)
        apply(rmsprop_op, parameter, square, gradient, momentum, rate, mean, epsilon=self._epsilon, decay=self._rho,
              momentum=self._momentum, centered=self._centered)

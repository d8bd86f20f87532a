"""Adagrad, Adadelta, Adamax and RMSProp: rules with a learning rate for each element."""

from __future__ import annotations

from typing import Any

from ..backend.kernels.optim import rest_of
from ..ops.core.trace import apply, current_trace
from ..ops.math.elementwise import scale
from ..ops.optim.adaptive_rules import adadelta_op, adagrad_op, adamax_op, rmsprop_op
from .compiled_step import StepForm
from .optimizer import Optimizer
from .options import Check, Options, flag, fraction, not_negative, number


class Adagrad(Optimizer):
    """m ← m + g²; w ← w − lr · g / (√m + ε), m starting at `initial_accumulator_value`.

    Duchi, Hazan and Singer, Adaptive Subgradient Methods for Online Learning and Stochastic Optimization, 2011.

    >>> import proa as paddle
    >>> layer = paddle.nn.Linear(2, 1)
    >>> rule = paddle.optimizer.Adagrad(0.1, parameters=layer.parameters())
    >>> layer(paddle.ones([1, 2])).sum().backward(); rule.step(); rule.clear_grad()
    """

    type = "adagrad"
    _kinds = ("moment",)
    _form_of_step = StepForm(3, adagrad_op, lambda rule, options: (options["epsilon"],))
    _checks: dict[str, Check] = {"epsilon": not_negative, "initial_accumulator_value": number}

    def __init__(self, learning_rate: Any, epsilon: float = 1e-6, parameters: Any = None, weight_decay: Any = None,
                 grad_clip: Any = None, name: str | None = None, initial_accumulator_value: float = 0.0):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, options={
            "epsilon": epsilon, "initial_accumulator_value": initial_accumulator_value})

    def _state(self, parameter: Any, options: Options) -> tuple[Any, ...]:
        return (self._accumulator("moment", parameter, options["initial_accumulator_value"]),)

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        apply(adagrad_op, parameter, gradient, *self._state(parameter, options), rate, epsilon=options["epsilon"])


class Adadelta(Optimizer):
    """E[g²] ← ρE[g²] + (1−ρ)g²; Δ = √((E[Δ²]+ε) / (E[g²]+ε)) · g; E[Δ²] ← ρE[Δ²] + (1−ρ)Δ²; w ← w − lr · Δ.

    Zeiler, ADADELTA: An Adaptive Learning Rate Method, 2012.

    >>> import proa as paddle
    >>> w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    >>> optimizer = paddle.optimizer.Adadelta(0.05, parameters=[w])
    >>> for _ in range(3):
    ...     (w ** 2).sum().backward()
    ...     optimizer.step()
    ...     optimizer.clear_grad()
    >>> w.item() < 1
    True
    """

    type = "adadelta"
    _kinds = ("_avg_squared_grad", "_avg_squared_update")
    _form_of_step = StepForm(4, adadelta_op, lambda rule, options: (
        options["rho"], rest_of(options["rho"]), options["epsilon"]))
    _checks: dict[str, Check] = {"epsilon": not_negative, "rho": fraction}

    def __init__(self, learning_rate: Any = 0.001, epsilon: float = 1e-6, rho: float = 0.95, parameters: Any = None,
                 weight_decay: Any = None, grad_clip: Any = None, name: str | None = None):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name,
                         options={"epsilon": epsilon, "rho": rho})

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        apply(adadelta_op, parameter, gradient, *self._state(parameter, options), rate, **options)


class Adamax(Optimizer):
    """m ← β₁m + (1−β₁)g; u ← max(β₂u + ε, |g|); w ← w − lr / (1−β₁ᵗ) · m / u: Adam with the largest gradient seen.

    Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015, section 7.1.

    >>> import proa as paddle
    >>> w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    >>> optimizer = paddle.optimizer.Adamax(0.05, parameters=[w])
    >>> for _ in range(3):
    ...     (w ** 2).sum().backward()
    ...     optimizer.step()
    ...     optimizer.clear_grad()
    >>> w.item() < 1
    True
    """

    type = "adamax"
    _kinds = ("moment", "inf_norm", "beta1_pow_acc")
    _form_of_step = StepForm(5, adamax_op, lambda rule, options: (
        options["beta1"], rest_of(options["beta1"]), options["beta2"], options["epsilon"]))
    _checks: dict[str, Check] = {"beta1": fraction, "beta2": fraction, "epsilon": not_negative}

    def __init__(self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 parameters: Any = None, weight_decay: Any = None, grad_clip: Any = None, name: str | None = None):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name,
                         options={"beta1": beta1, "beta2": beta2, "epsilon": epsilon})

    def _state(self, parameter: Any, options: Options) -> tuple[Any, ...]:
        return (self._accumulator("moment", parameter), self._accumulator("inf_norm", parameter),
                self._power("beta1_pow_acc", parameter, options["beta1"]))

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        moment, norm, power = self._state(parameter, options)
        apply(adamax_op, parameter, gradient, rate, moment, norm, power, **options)
        current_trace().store(power, scale(power, options["beta1"]))


class RMSProp(Optimizer):
    """r ← ρr + (1−ρ)g²; v ← μv + lr · g / √(r + ε); w ← w − v. With `centered`, r has the squared mean of g taken off.

    Hinton, Neural Networks for Machine Learning, lecture 6e, 2012.

    >>> import proa as paddle
    >>> w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    >>> optimizer = paddle.optimizer.RMSProp(0.05, parameters=[w])
    >>> for _ in range(3):
    ...     (w ** 2).sum().backward()
    ...     optimizer.step()
    ...     optimizer.clear_grad()
    >>> w.item() < 1
    True
    """

    type = "rmsprop"
    _kinds = ("momentum", "mean_square", "mean_grad")
    _form_of_step = StepForm(6, rmsprop_op, lambda rule, options: (
        options["rho"], rest_of(options["rho"]), options["epsilon"], options["momentum"], float(options["centered"])))
    _checks: dict[str, Check] = {"rho": fraction, "epsilon": not_negative, "momentum": not_negative, "centered": flag}

    def __init__(self, learning_rate: Any, rho: float = 0.95, epsilon: float = 1e-6, momentum: float = 0.0,
                 centered: bool = False, parameters: Any = None, weight_decay: Any = None, grad_clip: Any = None,
                 name: str | None = None):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, options={
            "rho": rho, "epsilon": epsilon, "momentum": momentum, "centered": centered})

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        momentum, square, mean = self._state(parameter, options)
        apply(rmsprop_op, parameter, square, gradient, momentum, rate, mean, epsilon=options["epsilon"],
              decay=options["rho"], momentum=options["momentum"], centered=options["centered"])

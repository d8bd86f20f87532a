"""`fluid.optimizer`: the rules of `paddle.optimizer`, and those of 1.x alone, with the arguments of Paddle 1.x."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import optimizer as rules
from ..core.lazy import listed
from ..ops.array.full import is_value
from ..ops.core.trace import apply, current_trace
from ..ops.fluid.older_updates import decayed_adagrad_op, dpsgd_op, ftrl_op, lars_momentum_op
from ..ops.math.unary import sqrt
from ..ops.optim.adaptive_rules import adadelta_op
from ..optimizer.options import Check, Options, fraction, not_negative, number
from ..optimizer.updates import Update
from .optimizer_base import FluidOptimizer as Optimizer
from .optimizer_wrappers import (
    DGCMomentumOptimizer,
    ExponentialMovingAverage,
    LookaheadOptimizer,
    ModelAverage,
    PipelineOptimizer,
    RecomputeOptimizer,
)

_BETAS = {"beta1": 0.9, "beta2": 0.999}  # and what their powers begin with where they are Variables


class SGDOptimizer(Optimizer, rules.SGD):
    """w ← w − lr · g.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
    ...     operations, pairs = fluid.optimizer.SGD(learning_rate=0.1).minimize(loss)
    >>> len(pairs)
    2
    """


class MomentumOptimizer(Optimizer, rules.Momentum):
    """v ← μ·v + g; w ← w − lr · v, or w ← w − lr · (g + μ·v) with Nesterov's form."""

    def __init__(self, learning_rate: Any, momentum: float, parameter_list: Any = None, use_nesterov: bool = False,
                 regularization: Any = None, grad_clip: Any = None, name: str | None = None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name, momentum=momentum,
                         use_nesterov=bool(use_nesterov), rescale_grad=1.0)


class AdagradOptimizer(Optimizer, rules.Adagrad):
    """m ← m + g²; w ← w − lr · g / (√m + ε)."""

    def __init__(self, learning_rate: Any, epsilon: float = 1e-6, parameter_list: Any = None,
                 regularization: Any = None, grad_clip: Any = None, name: str | None = None,
                 initial_accumulator_value: float = 0.0):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name, epsilon=epsilon,
                         initial_accumulator_value=initial_accumulator_value)


def _fraction_or_variable(where: str, value: Any) -> Any:
    return value if is_value(value) else fraction(where, value)


class AdamOptimizer(Optimizer, rules.Adam):
    """m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², w ← w − lr √(1−β₂ᵗ) / (1−β₁ᵗ) · m / (√v + ε); 2.x has ε √(1−β₂ᵗ).

    `beta1`, `beta2`: numbers, or Variables of one element, as which they may change from step to step.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 4]), 1))
    ...     _ = fluid.optimizer.Adam(learning_rate=1e-3).minimize(loss)
    ...     [op.type for op in fluid.default_main_program().global_block().ops][-2:]
    ['adam', 'adam']
    """

    _of_1 = True
    _checks: dict[str, Check] = {**rules.Adam._checks, "beta1": _fraction_or_variable, "beta2": _fraction_or_variable}

    def __init__(self, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: float = 1e-8,
                 parameter_list: Any = None, regularization: Any = None, grad_clip: Any = None,
                 name: str | None = None, lazy_mode: bool = False):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name, beta1=beta1, beta2=beta2,
                         epsilon=epsilon, lazy_mode=bool(lazy_mode))

    def _options_of(self, group: Options | None) -> Options:
        options = super()._options_of(group)
        if not any(is_value(options[name]) for name in _BETAS) or not current_trace().computes:
            return options
        return {**options, **{name: float(options[name]) for name in _BETAS}}

    def _power(self, kind: str, parameter: Any, base: Any) -> Any:
        name = kind.removesuffix("_pow_acc")
        return super()._power(kind, parameter, _BETAS[name] if is_value(self._options[name]) else base)

    def _update_together(self, updates: list[Update], options: Options) -> None:
        if any(is_value(options[name]) for name in _BETAS):
            rules.Optimizer._update_together(self, updates, options)  # one by one, by `_update`
        else:
            super()._update_together(updates, options)

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        """With Variables of a Program as the powers' bases, which the operator takes as numbers alone."""
        trace = current_trace()
        moment1, moment2, power1, power2 = self._state(parameter, options)
        beta1, beta2 = options["beta1"], options["beta2"]
        mean = moment1 * beta1 + gradient * (1.0 - beta1)
        square = moment2 * beta2 + gradient * gradient * (1.0 - beta2)
        step = mean / (sqrt(square) + options["epsilon"]) * (rate * sqrt(1.0 - power2) / (1.0 - power1))
        for kept, new in ((parameter, parameter - step), (moment1, mean), (moment2, square),
                          (power1, power1 * beta1), (power2, power2 * beta2)):
            trace.store(kept, new)


class AdamaxOptimizer(Optimizer, rules.Adamax):
    """m ← β₁m + (1−β₁)g; u ← max(β₂u + ε, |g|); w ← w − lr / (1−β₁ᵗ) · m / u."""

    def __init__(self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 parameter_list: Any = None, regularization: Any = None, grad_clip: Any = None,
                 name: str | None = None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name, beta1=beta1, beta2=beta2,
                         epsilon=epsilon)


class RMSPropOptimizer(Optimizer, rules.RMSProp):
    """r ← ρr + (1−ρ)g²; v ← μv + lr · g / √(r + ε); w ← w − v. `centered` takes the squared mean of g off r."""

    def __init__(self, learning_rate: Any, rho: float = 0.95, epsilon: float = 1e-6, momentum: float = 0.0,
                 centered: bool = False, parameter_list: Any = None, regularization: Any = None,
                 grad_clip: Any = None, name: str | None = None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name, rho=rho, epsilon=epsilon,
                         momentum=momentum, centered=bool(centered))


class AdadeltaOptimizer(Optimizer, rules.Adadelta):
    """E[g²] ← ρE[g²] + (1−ρ)g²; Δ = √((E[Δ²]+ε) / (E[g²]+ε)) · g; w ← w − Δ: 1.x has no learning rate in it."""

    def __init__(self, learning_rate: Any, epsilon: float = 1e-6, rho: float = 0.95, parameter_list: Any = None,
                 regularization: Any = None, grad_clip: Any = None, name: str | None = None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name, epsilon=epsilon, rho=rho)

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        means = [self._accumulator(kind, parameter) for kind in self._kinds]
        apply(adadelta_op, parameter, gradient, *means, None, **options)


class LambOptimizer(Optimizer, rules.Lamb):
    """s = m / (√v + ε) + λw; w ← w − lr · ‖w‖ / ‖s‖ · s, with moments that are not corrected, as 1.x has them."""

    _forms = {"correct_moments": False}

    def __init__(self, learning_rate: Any = 0.001, lamb_weight_decay: float = 0.01, beta1: float = 0.9,
                 beta2: float = 0.999, epsilon: float = 1e-6, parameter_list: Any = None, regularization: Any = None,
                 grad_clip: Any = None, exclude_from_weight_decay_fn: Callable[[Any], bool] | None = None,
                 name: str | None = None):
        super().__init__(
            learning_rate, parameter_list, regularization, grad_clip, name, lamb_weight_decay=lamb_weight_decay,
            beta1=beta1, beta2=beta2, epsilon=epsilon, exclude_from_weight_decay_fn=exclude_from_weight_decay_fn,
            always_adapt=True)


class DecayedAdagradOptimizer(Optimizer):
    """m ← δm + (1−δ)g²; w ← w − lr · g / (√m + ε)."""

    _kinds = ("moment",)
    _checks: dict[str, Check] = {"decay": number, "epsilon": not_negative}

    def __init__(self, learning_rate: Any, decay: float = 0.95, epsilon: float = 1e-6, parameter_list: Any = None,
                 regularization: Any = None, grad_clip: Any = None, name: str | None = None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name, decay=decay, epsilon=epsilon)

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        apply(decayed_adagrad_op, parameter, gradient, self._accumulator("moment", parameter), rate, **options)


class FtrlOptimizer(Optimizer):
    """Follow the regularized leader, each weight by its own history, with l1 and l2 penalties.

    McMahan et al., Ad Click Prediction: a View from the Trenches, 2013.
    """

    _kinds = ("squared", "linear")
    _checks: dict[str, Check] = {"l1": number, "l2": number, "lr_power": number}

    def __init__(self, learning_rate: Any, l1: float = 0.0, l2: float = 0.0, lr_power: float = -0.5,
                 parameter_list: Any = None, regularization: Any = None, grad_clip: Any = None,
                 name: str | None = None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name, l1=l1, l2=l2,
                         lr_power=lr_power)

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        squared, linear = (self._accumulator(kind, parameter) for kind in self._kinds)
        apply(ftrl_op, parameter, squared, linear, gradient, rate, **options)


class LarsMomentumOptimizer(Optimizer):
    """Momentum whose rate is lr · coeff · ‖w‖ / (‖g‖ + λ‖w‖), with the decay λ added to the gradient.

    You et al., Large Batch Training of Convolutional Networks, 2017.
    """

    _kinds = ("velocity",)
    _checks: dict[str, Check] = {"mu": number, "lars_coeff": number, "lars_weight_decay": number}

    def __init__(self, learning_rate: Any, momentum: float, lars_coeff: float = 0.001,
                 lars_weight_decay: float = 0.0005, parameter_list: Any = None, regularization: Any = None,
                 grad_clip: Any = None, name: str | None = None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name, mu=momentum,
                         lars_coeff=lars_coeff, lars_weight_decay=lars_weight_decay)

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        apply(lars_momentum_op, parameter, gradient, self._accumulator("velocity", parameter), rate, **options)


class DpsgdOptimizer(Optimizer):
    """w ← w − lr · (g / max(1, ‖g‖ / clip) + noise / batch_size), the noise normal with deviation clip · sigma.

    Abadi et al., Deep Learning with Differential Privacy, 2016.
    """

    _checks: dict[str, Check] = {"clip": number, "batch_size": number, "sigma": number}

    def __init__(self, learning_rate: Any = 0.001, clip: float = 0.9, batch_size: float = 0.999,
                 sigma: float = 1e-8, parameter_list: Any = None):
        super().__init__(learning_rate, parameter_list, clip=clip, batch_size=batch_size, sigma=sigma)

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        apply(dpsgd_op, parameter, gradient, rate, **options)


SGD, Momentum, Adagrad, Adam, Adamax = (
    SGDOptimizer, MomentumOptimizer, AdagradOptimizer, AdamOptimizer, AdamaxOptimizer)
RMSProp, Adadelta, Lamb, Ftrl, LarsMomentum = (
    RMSPropOptimizer, AdadeltaOptimizer, LambOptimizer, FtrlOptimizer, LarsMomentumOptimizer)
DecayedAdagrad, Dpsgd = DecayedAdagradOptimizer, DpsgdOptimizer

__all__ = [
    "Adadelta", "AdadeltaOptimizer", "Adagrad", "AdagradOptimizer", "Adam", "AdamOptimizer", "Adamax",
    "AdamaxOptimizer", "DGCMomentumOptimizer", "DecayedAdagrad", "DecayedAdagradOptimizer", "Dpsgd", "DpsgdOptimizer",
    "ExponentialMovingAverage", "Ftrl", "FtrlOptimizer", "Lamb", "LambOptimizer", "LarsMomentum",
    "LarsMomentumOptimizer", "LookaheadOptimizer", "ModelAverage", "Momentum", "MomentumOptimizer", "Optimizer",
    "PipelineOptimizer", "RMSProp", "RMSPropOptimizer", "RecomputeOptimizer", "SGD", "SGDOptimizer",
]
__dir__ = listed(__name__)

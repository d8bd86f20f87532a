"""Adam, AdamW, LazyAdam, LAMB: steps by moments of gradients."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...core.dtype import float64
from ...ops.array.assign import clone
from ...ops.array.full import full
from ...ops.array.where import where
from ...ops.core.trace import apply
from ...ops.math.casting import cast
from ...ops.math.comparison import greater_equal
from ...ops.math.elementwise import add, divide, scale, subtract
from ...ops.math.elementwise import pow as power_of
from ...ops.math.unary import abs as absolute
from ...ops.math.unary import sqrt, square
from ...ops.optim.rules import adam_op, adamw_op, rest_of
from .grad_clipping import by_global_norm
from .loss_scale import LossScalePolicy
from .optimizer import Names, Optimizer, Patterns, WithWeightDecay, variables_of_current_job
from .schedules import LrScheduler
from .sgd import norm, where_above_zero
from .state import done, slot, written
from .training import Step

_NOTHING = 1e-12  # a gradient below this is none, to LazyAdam


def power(beta: float, step: Step, dtype: Any) -> Any:
    """beta ^ (step + 1), one element of this dtype; of beta as that holds it."""
    def make() -> Any:
        held = float(beta if dtype is float64 else np.float32(beta))
        return cast(power_of(full([1], held, float64), cast(step.value, float64) + 1.0), dtype)

    return step.once(("power", beta, dtype), make)


class _WithMoments(Optimizer):
    """Rules with `NAME-m`, the running mean of gradients, and `NAME-v`, of their squares."""

    beta1: float
    beta2: float
    epsilon: float

    def _kinds(self) -> tuple[str, ...] | None:
        return "m", "v"

    def _powers(self, variable: Any, step: Step, corrects: bool) -> tuple[Any, Any]:
        """What the moments' beginning with zeros has to be corrected by; zeros where it is not."""
        dtype = variable.dtype
        if corrects:  # a variable's update writes over its powers: each has its own
            return clone(power(self.beta1, step, dtype)), clone(power(self.beta2, step, dtype))
        return full([1], 0.0, dtype), full([1], 0.0, dtype)

    def _inputs(self, variable: Any, gradient: Any, rate: Any, step: Step, corrects: bool) -> tuple[Any, ...]:
        return (variable, gradient, rate, slot(variable, "m"), slot(variable, "v"),
                *self._powers(variable, step, corrects))

    def _attributes(self) -> dict[str, Any]:
        return {"beta1": float(self.beta1), "beta2": float(self.beta2), "epsilon": float(self.epsilon)}

    def _moments(self, variable: Any, gradient: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """Of each moment what the new one is the sum of."""
        dtype = variable.dtype.dtype
        return ((slot(variable, "m") * self.beta1, gradient * rest_of(self.beta1, dtype)),
                (slot(variable, "v") * self.beta2, square(gradient) * rest_of(self.beta2, dtype)))


class Adam(_WithMoments):
    """m ← β₁ · m + (1 - β₁) · g, v ← β₂ · v + (1 - β₂) · g²; w ← w - rate · m / (√v + ε).

    With `do_bias_correction` m and v are divided by 1 - β₁ᵗ and 1 - β₂ᵗ there, t counting from 1, as Kingma and Ba
    have it (Adam, 2014). OneFlow's job functions leave it out unless it is asked for. For the other arguments see
    `Optimizer`.

    >>> import proa.oneflow as flow
    >>> flow.optimizer.Adam(flow.optimizer.PiecewiseConstantScheduler([], [0.001])).do_bias_correction
    False
    """

    def __init__(self, lr_scheduler: LrScheduler, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 do_bias_correction: bool = False, loss_scale_factor: float | None = None,
                 grad_clipping: by_global_norm | None = None, train_step_lbn: str | None = None,
                 loss_scale_policy: LossScalePolicy | None = None, variables: Names = variables_of_current_job):
        super().__init__(lr_scheduler, grad_clipping, variables, loss_scale_factor, train_step_lbn, loss_scale_policy)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.do_bias_correction = do_bias_correction

    def _update(self, variable: Any, gradient: Any, rate: Any, step: Step) -> Callable[[], Any]:
        inputs = self._inputs(variable, gradient, rate, step, self.do_bias_correction)
        return partial(apply, adam_op, *inputs, **self._attributes())


class AdamW(_WithMoments, WithWeightDecay):
    """As `Adam`, where variables shrink by rate · `weight_decay` of themselves besides.

    For the other arguments see `Optimizer` and `WithWeightDecay`.

    >>> import proa.oneflow as flow
    >>> rate = flow.optimizer.PiecewiseConstantScheduler([], [0.001])
    >>> flow.optimizer.AdamW(rate, weight_decay=0.01, weight_decay_includes=["weight"]).weight_decay_includes
    ['weight']
    """

    def __init__(self, lr_scheduler: LrScheduler, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 do_bias_correction: bool = False, loss_scale_factor: float | None = None,
                 weight_decay: float | None = None, weight_decay_includes: Patterns = None,
                 weight_decay_excludes: Patterns = None, grad_clipping: by_global_norm | None = None,
                 train_step_lbn: str | None = None, loss_scale_policy: LossScalePolicy | None = None,
                 variables: Names = variables_of_current_job):
        WithWeightDecay.__init__(self, lr_scheduler, weight_decay, weight_decay_includes, weight_decay_excludes,
                                 grad_clipping=grad_clipping, variables=variables, loss_scale_factor=loss_scale_factor,
                                 train_step_lbn=train_step_lbn, loss_scale_policy=loss_scale_policy)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.do_bias_correction = do_bias_correction

    def _update(self, variable: Any, gradient: Any, rate: Any, step: Step) -> Callable[[], Any]:
        inputs = self._inputs(variable, gradient, rate, step, self.do_bias_correction)
        if not self.weight_decay:
            return partial(apply, adam_op, *inputs, **self._attributes())
        return partial(apply, adamw_op, *inputs, coeff=float(self.weight_decay),
                       with_decay=bool(self.decay_of(variable)), **self._attributes())


class LazyAdam(_WithMoments):
    """As `Adam` with the correction, where an element without a gradient (|g| < 1e-12) stays as it is, and its moments.

    So rows of an embedding that a batch does not use are not moved by what earlier batches left. For the other
    arguments see `Optimizer`.

    >>> import proa.oneflow as flow
    >>> flow.optimizer.LazyAdam(flow.optimizer.PiecewiseConstantScheduler([], [0.001])).beta2
    0.999
    """

    def __init__(self, lr_scheduler: LrScheduler, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 loss_scale_factor: float | None = None, grad_clipping: by_global_norm | None = None,
                 train_step_lbn: str | None = None, loss_scale_policy: LossScalePolicy | None = None,
                 variables: Names = variables_of_current_job):
        super().__init__(lr_scheduler, grad_clipping, variables, loss_scale_factor, train_step_lbn, loss_scale_policy)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon

    def _update(self, variable: Any, gradient: Any, rate: Any, step: Step) -> Callable[[], Any]:
        dtype = variable.dtype
        correction1, correction2 = (1.0 - power(beta, step, dtype) for beta in (self.beta1, self.beta2))
        m, v = (add(*parts) for parts in self._moments(variable, gradient))
        after = variable - m / (sqrt(v) / sqrt(correction2) + self.epsilon) * (rate / correction1)
        moved = greater_equal(absolute(gradient), full([1], _NOTHING, dtype))
        for target, value in ((slot(variable, "m"), m), (slot(variable, "v"), v), (variable, after)):
            written(target, where, moved, value, target)
        return done


class LAMB(_WithMoments, WithWeightDecay):
    """Steps of Adam, scaled for each variable: u = m̂ / √(v̂ + ε), w ← w - rate · ‖w‖ / ‖u‖ · (u + weight_decay · w).

    m̂ = m / (1 - b₁), v̂ = v / (1 - b₂), where b₁ and b₂ begin with β₁ and β₂, and each step multiplies them by these
    before it uses them; they are the variables `NAME-beta1_t` and `NAME-beta2_t`. Where one of both norms is zero, the
    learning rate is `rate`. You et al., Large batch optimization for deep learning, 2019. For the other arguments see
    `Optimizer` and `WithWeightDecay`.

    >>> import proa.oneflow as flow
    >>> flow.optimizer.LAMB(flow.optimizer.PiecewiseConstantScheduler([], [0.001])).epsilon
    1e-06
    """

    def __init__(self, lr_scheduler: LrScheduler, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-6,
                 loss_scale_factor: float | None = None, weight_decay: float | None = None,
                 weight_decay_includes: Patterns = None, weight_decay_excludes: Patterns = None,
                 grad_clipping: by_global_norm | None = None, train_step_lbn: str | None = None,
                 loss_scale_policy: LossScalePolicy | None = None, variables: Names = variables_of_current_job):
        WithWeightDecay.__init__(self, lr_scheduler, weight_decay, weight_decay_includes, weight_decay_excludes,
                                 grad_clipping=grad_clipping, variables=variables, loss_scale_factor=loss_scale_factor,
                                 train_step_lbn=train_step_lbn, loss_scale_policy=loss_scale_policy)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon

    def _kinds(self) -> tuple[str, ...] | None:
        return None

    def _update(self, variable: Any, gradient: Any, rate: Any, step: Step) -> Callable[[], Any]:
        decay = self.decay_of(variable)
        power1, power2 = slot(variable, "beta1_t", self.beta1, (1,)), slot(variable, "beta2_t", self.beta2, (1,))
        written(power1, scale, power1, float(self.beta1))
        written(power2, scale, power2, float(self.beta2))
        of_m, of_v = self._moments(variable, gradient)
        m, v = written(slot(variable, "m"), add, *of_m), written(slot(variable, "v"), add, *of_v)
        direction = divide(m / (1.0 - power1), sqrt(v / (1.0 - power2) + self.epsilon))
        weights, change = norm(variable), norm(direction)
        trust = where_above_zero(weights, change, weights / change)
        if decay:
            direction = direction + variable * decay
        written(variable, subtract, variable, direction * (rate * trust))
        return done

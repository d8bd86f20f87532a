"""Gradient descent: SGD, SGDW, LARS."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...ops.array.full import full
from ...ops.array.where import where
from ...ops.core.trace import apply
from ...ops.math.comparison import greater_than
from ...ops.math.elementwise import add, minimum, subtract
from ...ops.math.reduce import sum as total
from ...ops.math.unary import sqrt, square
from ...ops.optim.rules import momentum_op, sgd_op
from .grad_clipping import by_global_norm
from .loss_scale import LossScalePolicy
from .optimizer import Names, Optimizer, Patterns, WithWeightDecay, variables_of_current_job
from .schedules import LrScheduler
from .state import done, slot, written
from .training import Step


class SGD(Optimizer):
    """w ← w - rate · g without `momentum`; with it m ← momentum · m - rate · g, w ← w + m.

    So a change of the learning rate reaches the steps that come, and not what the momentum holds. The state of a
    variable is `NAME-momentum`. For the other arguments see `Optimizer`.

    >>> import proa.oneflow as flow
    >>> rate = flow.optimizer.PiecewiseConstantScheduler([], [0.1])
    >>> flow.optimizer.SGD(rate, momentum=0.9).momentum
    0.9
    """

    def __init__(self, lr_scheduler: LrScheduler, loss_scale_factor: float | None = None, momentum: float | None = 0.9,
                 grad_clipping: by_global_norm | None = None, train_step_lbn: str | None = None,
                 loss_scale_policy: LossScalePolicy | None = None, variables: Names = variables_of_current_job):
        super().__init__(lr_scheduler, grad_clipping, variables, loss_scale_factor, train_step_lbn, loss_scale_policy)
        self.momentum = momentum

    def _kinds(self) -> tuple[str, ...] | None:
        return ("momentum",) if self.momentum else None

    def _update(self, variable: Any, gradient: Any, rate: Any, step: Step) -> Callable[[], Any]:
        return descent(variable, gradient, rate, self.momentum)


def descent(variable: Any, gradient: Any, rate: Any, momentum: float | None) -> Callable[[], Any]:
    """What appends a step of gradient descent."""
    if not momentum:
        return partial(apply, sgd_op, variable, rate, gradient)
    return partial(apply, momentum_op, variable, gradient, slot(variable, "momentum"), rate, mu=float(momentum),
                   rate_in_velocity=True)


class SGDW(WithWeightDecay):
    """As `SGD`, where variables shrink by rate · `weight_decay` of themselves besides; momentum knows nothing of that.

    For the other arguments see `Optimizer` and `WithWeightDecay`.

    >>> import proa.oneflow as flow
    >>> rate = flow.optimizer.PiecewiseConstantScheduler([], [0.1])
    >>> flow.optimizer.SGDW(rate, weight_decay=1e-4, weight_decay_excludes="bias").weight_decay_excludes
    ['bias']
    """

    def __init__(self, lr_scheduler: LrScheduler, loss_scale_factor: float | None = None, momentum: float | None = 0.9,
                 weight_decay: float | None = None, weight_decay_includes: Patterns = None,
                 weight_decay_excludes: Patterns = None, grad_clipping: by_global_norm | None = None,
                 train_step_lbn: str | None = None, loss_scale_policy: LossScalePolicy | None = None,
                 variables: Names = variables_of_current_job):
        super().__init__(lr_scheduler, weight_decay, weight_decay_includes, weight_decay_excludes,
                         grad_clipping=grad_clipping, variables=variables, loss_scale_factor=loss_scale_factor,
                         train_step_lbn=train_step_lbn, loss_scale_policy=loss_scale_policy)
        self.momentum = momentum

    def _kinds(self) -> tuple[str, ...] | None:
        return ("momentum",) if self.momentum else ()

    def _update(self, variable: Any, gradient: Any, rate: Any, step: Step) -> Callable[[], Any]:
        decay = self.decay_of(variable)
        if not decay:
            return descent(variable, gradient, rate, self.momentum)
        if not self.momentum:
            return descent(variable, gradient + variable * decay, rate, None)
        return shrinking_step(variable, gradient, rate, float(self.momentum), decay)


def shrinking_step(variable: Any, gradient: Any, rate: Any, momentum: float, decay: float) -> Callable[[], Any]:
    """Appends m ← momentum · m - rate · g, w ← w + m - rate · decay · w."""
    held = slot(variable, "momentum")
    written(held, subtract, held * momentum, gradient * rate)
    if decay:
        written(variable, subtract, variable + held, variable * (rate * decay))
    else:
        written(variable, add, variable, held)
    return done


class LARS(WithWeightDecay):
    """As `SGDW`, with a learning rate for each variable, rate · c · ‖w‖ / (‖g‖ + weight_decay · ‖w‖ + ε).

    c = `lars_coefficient`, ε = `epsilon`. Where one of both norms is zero, the learning rate is `rate`. You et al.,
    Large batch training of convolutional networks, 2017. For the other arguments see `Optimizer` and `WithWeightDecay`.

    >>> import proa.oneflow as flow
    >>> flow.optimizer.LARS(flow.optimizer.PiecewiseConstantScheduler([], [0.1])).lars_coefficient
    0.0001
    """

    def __init__(self, lr_scheduler: LrScheduler, momentum_beta: float | None = 0.9, epsilon: float = 1e-9,
                 lars_coefficient: float = 0.0001, loss_scale_factor: float | None = None,
                 weight_decay: float | None = None, weight_decay_includes: Patterns = None,
                 weight_decay_excludes: Patterns = None, grad_clipping: by_global_norm | None = None,
                 train_step_lbn: str | None = None, loss_scale_policy: LossScalePolicy | None = None,
                 variables: Names = variables_of_current_job):
        super().__init__(lr_scheduler, weight_decay, weight_decay_includes, weight_decay_excludes,
                         grad_clipping=grad_clipping, variables=variables, loss_scale_factor=loss_scale_factor,
                         train_step_lbn=train_step_lbn, loss_scale_policy=loss_scale_policy)
        self.momentum_beta, self.epsilon, self.lars_coefficient = momentum_beta, epsilon, lars_coefficient

    def _update(self, variable: Any, gradient: Any, rate: Any, step: Step) -> Callable[[], Any]:
        decay = self.decay_of(variable)
        weights, change = norm(variable), norm(gradient)
        ratio = weights * self.lars_coefficient / (self.epsilon + change + weights * decay)
        rate = rate * where_above_zero(weights, change, ratio)
        return shrinking_step(variable, gradient, rate, float(self.momentum_beta or 0.0), decay)


def norm(x: Any) -> Any:
    """The Euclidean norm, without dimensions."""
    return sqrt(total(square(x)))


def where_above_zero(x: Any, y: Any, ratio: Any) -> Any:
    """The ratio where two norms are above zero, else 1."""
    return where(greater_than(minimum(x, y), full([], 0.0, x.dtype)), ratio, full([], 1.0, x.dtype))

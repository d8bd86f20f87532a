"""RMSProp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.math.elementwise import add, subtract
from ...ops.math.unary import rsqrt, square
from .grad_clipping import by_global_norm
from .loss_scale import LossScalePolicy
from .optimizer import Names, Optimizer, variables_of_current_job
from .schedules import LrScheduler
from .state import done, slot, written
from .training import Step


class RMSProp(Optimizer):
    """s ← d · s + (1 - d) · g², w ← w - rate · g / √(s + ε), with d = `decay_rate`.

    With `centered` s - a² takes the place of s in the step, where a ← d · a + (1 - d) · g. The state of a variable is
    `NAME-mean_square`, and `NAME-mean_gradient` where it is centered. For the other arguments see `Optimizer`.

    >>> import proa.oneflow as flow
    >>> flow.optimizer.RMSProp(flow.optimizer.PiecewiseConstantScheduler([], [0.001])).decay_rate
    0.99
    """

    def __init__(self, lr_scheduler: LrScheduler, decay_rate: float = 0.99, epsilon: float = 1e-8,
                 centered: bool = False, loss_scale_factor: float | None = None,
                 grad_clipping: by_global_norm | None = None, train_step_lbn: str | None = None,
                 loss_scale_policy: LossScalePolicy | None = None, variables: Names = variables_of_current_job):
        super().__init__(lr_scheduler, grad_clipping, variables, loss_scale_factor, train_step_lbn, loss_scale_policy)
        self.decay_rate, self.epsilon, self.centered = decay_rate, epsilon, centered

    def _update(self, variable: Any, gradient: Any, rate: Any, step: Step) -> Callable[[], Any]:
        decay = self.decay_rate
        squares = slot(variable, "mean_square")
        spread = written(squares, add, square(gradient) * (1.0 - decay), squares * decay)
        if self.centered:
            center = slot(variable, "mean_gradient")
            written(center, add, gradient * (1.0 - decay), center * decay)
            spread = squares - square(center)
        written(variable, subtract, variable, gradient * rate * rsqrt(spread + self.epsilon))
        return done

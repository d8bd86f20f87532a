"""Gradient descent with momentum."""

from __future__ import annotations

from typing import Any

from ..ops.core.trace import apply
from ..ops.optim.merged import merged_momentum_op
from ..ops.optim.row_updates import momentum_rows_op
from .compiled_step import StepForm
from .optimizer import Optimizer
from .options import Check, Options, flag, number
from .updates import Update


def _numbers(rule: Any, options: Options) -> tuple[float, ...]:
    return options["momentum"], float(options["use_nesterov"]), options["rescale_grad"]


class Momentum(Optimizer):
    """v ← μ·v + g; w ← w − lr · v, or w ← w − lr · (g + μ·v) with Nesterov's form.

    Sutskever et al., On the importance of initialization and momentum in deep learning, 2013. `rescale_grad` multiplies
    every gradient.

    >>> import proa as paddle
    >>> w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    >>> optimizer = paddle.optimizer.Momentum(0.05, parameters=[w])
    >>> for _ in range(3):
    ...     (w ** 2).sum().backward()
    ...     optimizer.step()
    ...     optimizer.clear_grad()
    >>> w.item() < 1
    True
    """

    type = "momentum"
    _kinds = ("velocity",)
    _form_of_step = StepForm(1, merged_momentum_op, _numbers)

    _checks: dict[str, Check] = {"momentum": number, "use_nesterov": flag, "rescale_grad": number}

    def __init__(self, learning_rate: Any = 0.001, momentum: float = 0.9, parameters: Any = None,
                 use_nesterov: bool = False, weight_decay: Any = None, grad_clip: Any = None,
                 multi_precision: bool = False, rescale_grad: float = 1.0, use_multi_tensor: bool = False,
                 name: str | None = None):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, multi_precision,
                         {"momentum": momentum, "use_nesterov": use_nesterov, "rescale_grad": rescale_grad})

    def _shared_penalty(self, group: Options | None) -> Any:
        if group is not None and group.get("weight_decay", "the optimizer's") is None:
            return None  # as in PaddlePaddle, where to the other rules None says nothing
        return super()._shared_penalty(group)

    def _update_together(self, updates: list[Update], options: Options) -> None:
        parameters, gradients, rates, decays = map(list, zip(*updates, strict=True))
        velocities = [self._state(parameter, options)[0] for parameter in parameters]
        apply(merged_momentum_op, parameters, gradients, velocities, rates, None, mu=options["momentum"],
              use_nesterov=options["use_nesterov"], rescale_grad=options["rescale_grad"], regularization_coeff=decays,
              regularization_method=["l2_decay" if decay else "" for decay in decays])

    def _update_rows(self, update: Update, options: Options) -> None:
        parameter, gradient = update.parameter, update.gradient
        apply(momentum_rows_op, parameter, gradient.merged_values(), gradient.merged_rows(),
              *self._state(parameter, options), update.rate, mu=options["momentum"],
              use_nesterov=options["use_nesterov"], rescale_grad=options["rescale_grad"])

"""LarsMomentumOptimizer: momentum with a rate for each parameter, for large batches."""

from __future__ import annotations

from typing import Any

from ...ops.core.trace import apply
from ...ops.fluid.older_updates import lars_momentum_op
from ...optimizer.optimizer import Optimizer
from ...optimizer.options import Check, Options, number


class LarsMomentumOptimizer(Optimizer):
    """v ← μ·v + lr · coeff · ‖w‖ / (‖g‖ + λ‖w‖ + ε) · (g + λ·w); w ← w − v.

    You et al., Large Batch Training of Convolutional Networks, 2017. λ is 0 for parameters in whose names one of
    `exclude_from_weight_decay` stands. `rescale_grad` multiplies every gradient.

    >>> import proa as paddle
    >>> w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    >>> lars = paddle.incubate.optimizer.LarsMomentumOptimizer(0.5, 0.9, lars_coeff=0.1, parameter_list=[w])
    >>> (w ** 2).sum().backward()
    >>> lars.step()
    >>> round(w.item(), 3)
    0.95
    """

    type = "lars_momentum"
    _kinds = ("velocity",)
    _checks: dict[str, Check] = {"mu": number, "lars_coeff": number, "lars_weight_decay": number, "epsilon": number,
                                 "rescale_grad": number}

    def __init__(self, learning_rate: Any, momentum: float, lars_coeff: float = 0.001,
                 lars_weight_decay: float = 0.0005, parameter_list: Any = None, regularization: Any = None,
                 grad_clip: Any = None, name: str | None = None, exclude_from_weight_decay: list[str] | None = None,
                 epsilon: float = 0, multi_precision: bool = False, rescale_grad: float = 1.0):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name, multi_precision, {
            "mu": momentum, "lars_coeff": lars_coeff, "lars_weight_decay": lars_weight_decay, "epsilon": epsilon,
            "rescale_grad": rescale_grad})
        self._excluded = tuple(exclude_from_weight_decay or ())

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        settings = {name: value for name, value in options.items() if name != "rescale_grad"}
        if any(part in self._trained(parameter).name for part in self._excluded):
            settings["lars_weight_decay"] = 0.0
        if options["rescale_grad"] != 1.0:
            gradient = gradient * options["rescale_grad"]
        apply(lars_momentum_op, parameter, gradient, self._accumulator("velocity", parameter), rate, **settings)

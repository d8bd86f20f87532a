"""Gradient descent with momentum."""

from __future__ import annotations

from typing import Any

from ..ops.optim import momentum_op
from ..ops.trace import apply
from .optimizer import Optimizer


class Momentum(Optimizer):
    """v ← μ·v + g; w ← w − lr · v, or w ← w − lr · (g + μ·v) with Nesterov's form.

    Sutskever et al., On the importance of initialization and momentum in deep learning, 2013. `rescale_grad` multiplies
    every gradient.
    """

    _kinds = ("velocity",)

    def __init__(self, learning_rate: Any = 0.001, momentum: float = 0.9, parameters: Any = None,
                 use_nesterov: bool = False, weight_decay: Any = None, grad_clip: Any = None,
                 multi_precision: bool = False, rescale_grad: float = 1.0, use_multi_tensor: bool = False,
                 name: str | None = None):
        if momentum is None:
            raise ValueError("Momentum(momentum): must be a number.")
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, multi_precision)
        self._momentum, self._use_nesterov, self._rescale = float(momentum), bool(use_nesterov), float(rescale_grad)

    def _update(self, parameter: Any, gradient: Any, rate: Any) -> None:
        velocity = self._accumulator("velocity", parameter)
        apply(momentum_op, parameter, gradient, velocity, rate, mu=self._momentum,
              use_nesterov=self._use_nesterov, rescale_grad=self._rescale)

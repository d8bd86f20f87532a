"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from ..ops.optim import sgd_op
from ..ops.trace import apply
from .optimizer import Optimizer


class SGD(Optimizer):
    """w ← w − lr · g."""

    def __init__(self, learning_rate: Any = 0.001, parameters: Any = None, weight_decay: Any = None,
                 grad_clip: Any = None, multi_precision: bool = False, name: str | None = None):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, multi_precision)

    def _update(self, parameter: Any, gradient: Any, rate: Any) -> None:
        apply(sgd_op, parameter, rate, gradient)

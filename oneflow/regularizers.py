"""`flow.regularizers`: l1, l2, l1_l2: what is added to a variable's gradient before its update."""

from __future__ import annotations

from typing import Any

from ..ops.math.elementwise import add, scale
from ..ops.math.unary import sign
from ..regularizer import WeightDecayRegularizer


class L1L2Regularizer(WeightDecayRegularizer):
    """Adds l1 * sign(w) + l2 * w to the gradient of w: the slope of l1 * sum(abs(w)) + l2 / 2 * sum(w * w)."""

    def __init__(self, l1: float, l2: float):
        super().__init__(l1 + l2)
        self.l1, self.l2 = float(l1), float(l2)

    def __call__(self, param: Any, grad: Any, block: Any = None) -> Any:
        """l1 * sign(param) + l2 * param."""
        if not self.l1:
            return scale(param, self.l2)
        first = scale(sign(param), self.l1)
        return add(first, scale(param, self.l2)) if self.l2 else first

    def added(self, param: Any, grad: Any) -> Any:
        """The gradient of a parameter with the penalty's added."""
        return add(grad, self(param, grad))

    def penalty(self, parameter: Any) -> Any:
        """l1 * sum(abs(w)) + l2 / 2 * sum(w * w)."""
        return parameter.abs().sum() * self.l1 + (parameter * parameter).sum() * (self.l2 / 2)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(l1={self.l1}, l2={self.l2})"


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2Regularizer:
    """Adds l1 * sign(w) + l2 * w to the gradient of w.

    >>> import proa.oneflow as flow
    >>> flow.regularizers.l1_l2(0.1, 0.2)
    L1L2Regularizer(l1=0.1, l2=0.2)
    """
    return L1L2Regularizer(l1, l2)


def l1(l: float = 0.01) -> L1L2Regularizer:  # noqa: E741 - OneFlow's argument
    """Adds l * sign(w) to the gradient of w."""
    return L1L2Regularizer(l, 0.0)


def l2(l: float = 0.01) -> L1L2Regularizer:  # noqa: E741
    """Adds l * w to the gradient of w."""
    return L1L2Regularizer(0.0, l)


l1_regularizer, l2_regularizer, l1_l2_regularizer = l1, l2, l1_l2

"""Losses as layers of dynamic mode: MSELoss, L1Loss, BCELoss, NLLLoss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.core.operator import find
from ...ops.core.trace import apply
from ...ops.math.reduce import mean
from ...ops.math.reduce import sum as total
from ...ops.math.unary import abs as magnitude
from ...ops.math.unary import square
from .layers import Layer

_REDUCTIONS: dict[str, Callable[[Any], Any]] = {"sum": total, "mean": mean, "none": lambda x: x}


class _Loss(Layer):
    """What a loss makes of its elements: their sum, their mean, or themselves."""

    def _set_reduction(self, reduction: str) -> None:
        if reduction not in _REDUCTIONS:
            raise ValueError(f"{type(self).__name__}(reduction): must be one of {list(_REDUCTIONS)}. "
                             f"Received {reduction!r}.")
        self.reduction = reduction

    def _reduced(self, x: Any) -> Any:
        return _REDUCTIONS[self.reduction](x)


class MSELoss(_Loss):
    """(input - label)².

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     x, y = (fluid.dygraph.to_variable(np.array(v, "float32")) for v in ([1.0, 3.0], [1.0, 1.0]))
    ...     fluid.dygraph.MSELoss()(x, y).numpy().tolist()
    [2.0]
    """

    def __init__(self, reduction: str = "mean"):
        super().__init__()
        self._set_reduction(reduction)

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return self._reduced(square(input - label))


class L1Loss(_Loss):
    """|input - label|."""

    def __init__(self, reduction: str = "mean"):
        super().__init__()
        self._set_reduction(reduction)

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return self._reduced(magnitude(input - label))


class BCELoss(_Loss):
    """The cross entropy of probabilities and labels, both in [0, 1]; `weight` is a factor of each element."""

    def __init__(self, weight: Any = None, reduction: str = "mean"):
        super().__init__()
        self._set_reduction(reduction)
        self.weight = weight

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        loss = apply(find("bce_loss"), input, label)
        return self._reduced(loss if self.weight is None else loss * self.weight)


class NLLLoss(_Loss):
    """Minus the logarithm, which the input [N, C, …] holds, of the chance of each label; weighted by class."""

    def __init__(self, weight: Any = None, reduction: str = "mean", ignore_index: int = -100):
        super().__init__()
        self._set_reduction(reduction)
        self.weight, self.ignore_index = weight, ignore_index

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        shape = list(input.shape)
        if len(shape) < 2:
            raise ValueError(f"NLLLoss: the input has two dimensions at least. Received shape {shape}.")
        is_flat = len(shape) in (2, 4)
        reshape = find("reshape2")
        if not is_flat:
            input = apply(reshape, input, None, None, shape=[shape[0], shape[1], 1, -1])
            label = apply(reshape, label, None, None, shape=[shape[0], 1, -1])
        loss = apply(find("nll_loss"), input, label, self.weight, reduction=self.reduction,
                     ignore_index=self.ignore_index)[0]
        if is_flat or self.reduction != "none":
            return loss
        return apply(reshape, loss, None, None, shape=[shape[0], *shape[2:]])


__all__ = ["BCELoss", "L1Loss", "MSELoss", "NLLLoss"]

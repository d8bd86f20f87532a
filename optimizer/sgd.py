"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from ..ops.core.trace import apply
from ..ops.optim.merged import merged_sgd_op
from ..ops.optim.row_updates import sgd_rows_op
from .optimizer import Optimizer, Update, decays_of
from .options import Options


class SGD(Optimizer):
    """w ← w − lr · g.

    >>> import proa as paddle
    >>> net = paddle.nn.Linear(2, 1)
    >>> optimizer = paddle.optimizer.SGD(0.05, parameters=net.parameters())
    >>> before = net(paddle.ones([4, 2])).abs().mean().item()
    >>> for _ in range(3):
    ...     loss = (net(paddle.ones([4, 2])) ** 2).mean()
    ...     loss.backward()
    ...     optimizer.step()
    ...     optimizer.clear_grad()
    >>> net(paddle.ones([4, 2])).abs().mean().item() < before
    True
    """

    type = "sgd"

    def __init__(self, learning_rate: Any = 0.001, parameters: Any = None, weight_decay: Any = None,
                 grad_clip: Any = None, multi_precision: bool = False, name: str | None = None):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, multi_precision)

    def _update_together(self, updates: list[Update], options: Options) -> None:
        parameters, gradients, rates, _ = map(list, zip(*updates, strict=True))
        apply(merged_sgd_op, parameters, rates, gradients, decay=decays_of(updates))

    def _update_rows(self, update: Update, options: Options) -> None:
        gradient = update.gradient
        apply(sgd_rows_op, update.parameter, update.rate, gradient.merged_values(), gradient.merged_rows())

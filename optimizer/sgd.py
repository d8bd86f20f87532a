"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from ..ops.core.trace import apply
from ..ops.optim.merged import merged_sgd_op
from ..ops.optim.row_updates import sgd_rows_op
from .compiled_step import StepForm
from .optimizer import Optimizer
from .options import Options
from .updates import Update, decays_of


class SGD(Optimizer):
    """w ← w − lr · g.

    `learning_rate`: a number or a schedule of `paddle.optimizer.lr`. `parameters`: `net.parameters()`, or a list of
    dicts for groups with settings of their own (see `paddle.optimizer.Optimizer`); None in a Program, for all of its
    parameters. `weight_decay`: a number (L2: it is added to the gradient) or a `paddle.regularizer`. `grad_clip`:
    `nn.ClipGradByGlobalNorm` and the like.

    >>> import proa as paddle
    >>> w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    >>> optimizer = paddle.optimizer.SGD(0.25, parameters=[w])
    >>> for _ in range(2):
    ...     (w ** 2).sum().backward()
    ...     optimizer.step()
    ...     optimizer.clear_grad()
    >>> w.tolist()
    [0.25]
    """

    type = "sgd"
    _form_of_step = StepForm(0, merged_sgd_op, lambda rule, options: ())

    def __init__(self, learning_rate: Any = 0.001, parameters: Any = None, weight_decay: Any = None,
                 grad_clip: Any = None, multi_precision: bool = False, name: str | None = None):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, multi_precision)

    def _update_together(self, updates: list[Update], options: Options) -> None:
        parameters, gradients, rates, _ = map(list, zip(*updates, strict=True))
        apply(merged_sgd_op, parameters, rates, gradients, decay=decays_of(updates))

    def _update_rows(self, update: Update, options: Options) -> None:
        gradient = update.gradient
        apply(sgd_rows_op, update.parameter, update.rate, gradient.merged_values(), gradient.merged_rows())

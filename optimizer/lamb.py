"""LAMB: Adam whose step of each parameter is as long, relative to the parameter, as the learning rate says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.dtype import float32
from ..ops.optim_adaptive import lamb_op
from ..ops.trace import apply
from .adaptive import check_epsilon, check_factor
from .optimizer import Optimizer


class Lamb(Optimizer):
    """s = m̂ / (√v̂ + ε) + λw; w ← w − lr · ‖w‖ / ‖s‖ · s, with Adam's corrected moments m̂ and v̂.

    You et al., Large Batch Optimization for Deep Learning: Training BERT in 76 minutes, 2020. λ is `lamb_weight_decay`,
    0 where `exclude_from_weight_decay_fn(parameter)` is true; there the lengths count only with `always_adapt`.

    >>> import proa as paddle
    >>> layer = paddle.nn.Linear(2, 1)
    >>> rule = paddle.optimizer.Lamb(0.1, parameters=layer.parameters())
    >>> layer(paddle.ones([1, 2])).sum().backward(); rule.step(); rule.clear_grad()
    """

    _kinds = ("moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc")

    def __init__(self, learning_rate: Any = 0.001, lamb_weight_decay: float = 0.01, beta1: float = 0.9,
                 beta2: float = 0.999, epsilon: float = 1e-6, parameters: Any = None, grad_clip: Any = None,
                 exclude_from_weight_decay_fn: Callable[[Any], bool] | None = None, multi_precision: bool = False,
                 always_adapt: bool = False, name: str | None = None):
        super().__init__(learning_rate, parameters, None, grad_clip, name, multi_precision)
        self._decay, self._excluded = float(lamb_weight_decay), exclude_from_weight_decay_fn
        self._beta1, self._beta2 = check_factor("Lamb", "beta1", beta1), check_factor("Lamb", "beta2", beta2)
        self._epsilon, self._always_adapt = check_epsilon("Lamb", epsilon), bool(always_adapt)

    def _update(self, parameter: Any, gradient: Any, rate: Any) -> None:
        excluded = self._excluded is not None and self._excluded(self._trained(parameter))
        moments = [self._accumulator(kind, parameter) for kind in ("moment1", "moment2")]
        powers = [self._accumulator("beta1_pow_acc", parameter, self._beta1, (1,), float32),
                  self._accumulator("beta2_pow_acc", parameter, self._beta2, (1,), float32)]
        apply(lamb_op, parameter, gradient, rate, *moments, *powers, weight_decay=0.0 if excluded else self._decay,
              beta1=self._beta1, beta2=self._beta2, epsilon=self._epsilon, always_adapt=self._always_adapt)

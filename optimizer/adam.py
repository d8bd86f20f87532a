"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.dtype import float32
from ..ops.merged import merged_adam_op, merged_adamw_op
from ..ops.row_updates import adam_rows_op, adamw_rows_op
from ..ops.trace import apply
from .optimizer import Optimizer, Update, decays_of


class Adam(Optimizer):
    """m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², w ← w − lr · m̂ / (√v̂ + ε), m̂ and v̂ corrected for their zero start.

    Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015. `weight_decay` is added to the gradient (L2); for
    decay apart from the gradient see AdamW. With `lazy_mode`, rows of an embedding with sparse gradients that were not
    looked up keep their weights and moments as they are.
    """

    _kinds = ("moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc")

    def __init__(self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 parameters: Any = None, weight_decay: Any = None, grad_clip: Any = None, lazy_mode: bool = False,
                 multi_precision: bool = False, use_multi_tensor: bool = False, name: str | None = None):
        for label, value in (("beta1", beta1), ("beta2", beta2)):
            if not 0 <= value < 1:
                raise ValueError(f"{type(self).__name__}({label}): must lie in [0, 1). Received {value}.")
        if epsilon < 0:
            raise ValueError(f"{type(self).__name__}(epsilon): must be at least 0. Received {epsilon}.")
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, multi_precision)
        self._beta1, self._beta2, self._epsilon = float(beta1), float(beta2), float(epsilon)
        self._lazy_mode = bool(lazy_mode)

    def _state(self, parameter: Any) -> tuple[Any, Any, Any, Any]:
        moments = float32 if parameter.dtype.itemsize == 2 else parameter.dtype
        return (
            self._accumulator("moment1", parameter, dtype=moments),
            self._accumulator("moment2", parameter, dtype=moments),
            self._accumulator("beta1_pow_acc", parameter, self._beta1, (1,), float32),
            self._accumulator("beta2_pow_acc", parameter, self._beta2, (1,), float32),
        )

    def _states(self, parameters: list[Any]) -> list[list[Any]]:
        return [list(state) for state in zip(*map(self._state, parameters), strict=True)]

    def _update_together(self, updates: list[Update]) -> None:
        parameters, gradients, rates, _ = map(list, zip(*updates, strict=True))
        apply(merged_adam_op, parameters, gradients, rates, *self._states(parameters), None, beta1=self._beta1,
              beta2=self._beta2, epsilon=self._epsilon, decay=decays_of(updates))

    def _update_rows(self, update: Update) -> None:
        parameter, gradient = update.parameter, update.gradient
        apply(adam_rows_op, parameter, gradient.merged_values(), gradient.merged_rows(), update.rate,
              *self._state(parameter), beta1=self._beta1, beta2=self._beta2, epsilon=self._epsilon,
              lazy_mode=self._lazy_mode)


class AdamW(Adam):
    """Adam with the decay w ← w − lr · coeff · w apart from the gradient.

    Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019. `apply_decay_param_fun(name)` tells which
    parameters decay; `lr_ratio(parameter)` gives a factor of the learning rate.
    """

    def __init__(self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 parameters: Any = None, weight_decay: float = 0.01, lr_ratio: Callable | None = None,
                 apply_decay_param_fun: Callable[[str], bool] | None = None, grad_clip: Any = None,
                 lazy_mode: bool = False, multi_precision: bool = False, name: str | None = None):
        if not isinstance(weight_decay, (int, float)):
            raise TypeError(f"AdamW(weight_decay): must be a number. Received {type(weight_decay).__name__}.")
        super().__init__(learning_rate, beta1, beta2, epsilon, parameters, None, grad_clip,
                         lazy_mode, multi_precision, name=name)
        self._coeff, self._decays_parameter, self._lr_ratio = float(weight_decay), apply_decay_param_fun, lr_ratio

    def _update_together(self, updates: list[Update]) -> None:
        parameters, gradients, rates, _ = map(list, zip(*updates, strict=True))
        chosen, ratio = self._decays_parameter, self._lr_ratio
        apply(merged_adamw_op, parameters, gradients, rates, *self._states(parameters), beta1=self._beta1,
              beta2=self._beta2, epsilon=self._epsilon, coeff=self._coeff,
              with_decay=[] if chosen is None else [
                  int(bool(chosen(self._trained(p).name))) for p in parameters],
              lr_ratio=[] if ratio is None else [float(ratio(self._trained(p))) for p in parameters])

    def _update_rows(self, update: Update) -> None:
        parameter, gradient = update.parameter, update.gradient
        chosen, ratio = self._decays_parameter, self._lr_ratio
        apply(adamw_rows_op, parameter, gradient.merged_values(), gradient.merged_rows(), update.rate,
              *self._state(parameter), beta1=self._beta1, beta2=self._beta2, epsilon=self._epsilon, coeff=self._coeff,
              with_decay=chosen is None or bool(chosen(self._trained(parameter).name)),
              lr_ratio=1.0 if ratio is None else float(ratio(self._trained(parameter))), lazy_mode=self._lazy_mode)

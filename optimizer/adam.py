"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.dtype import float32
from ..ops.optim import adam_op, adamw_op
from ..ops.trace import apply
from .optimizer import Optimizer


class Adam(Optimizer):
    """m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², w ← w − lr · m̂ / (√v̂ + ε), m̂ and v̂ corrected for their zero start.

    Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015. `weight_decay` is added to the gradient (L2); for
    decay apart from the gradient see AdamW.
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

    def _state(self, parameter: Any) -> tuple[Any, Any, Any, Any]:
        return (
            self._accumulator("moment1", parameter),
            self._accumulator("moment2", parameter),
            self._accumulator("beta1_pow_acc", parameter, self._beta1, (1,), float32),
            self._accumulator("beta2_pow_acc", parameter, self._beta2, (1,), float32),
        )

    def _update(self, parameter: Any, gradient: Any, rate: Any) -> None:
        apply(adam_op, parameter, gradient, rate, *self._state(parameter), beta1=self._beta1,
              beta2=self._beta2, epsilon=self._epsilon)


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
                         multi_precision=multi_precision, name=name)
        self._coeff, self._decays_parameter, self._lr_ratio = float(weight_decay), apply_decay_param_fun, lr_ratio

    def _update(self, parameter: Any, gradient: Any, rate: Any) -> None:
        decays = self._decays_parameter is None or bool(self._decays_parameter(parameter.name))
        apply(adamw_op, parameter, gradient, rate, *self._state(parameter), beta1=self._beta1,
              beta2=self._beta2, epsilon=self._epsilon, coeff=self._coeff, with_decay=decays,
              lr_ratio=1.0 if self._lr_ratio is None else float(self._lr_ratio(parameter)))

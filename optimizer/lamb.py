"""LAMB: Adam whose step of each parameter is as long, relative to the parameter, as the learning rate says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backend.kernels.optim import rest_of
from ..ops.core.trace import apply
from ..ops.optim.adaptive_rules import lamb_op
from .compiled_step import Asked, StepForm
from .optimizer import Optimizer
from .options import Check, Options, flag, fraction, function, not_negative, number


def _numbers(options: Options, decays: bool) -> tuple[float, ...]:
    beta1, beta2 = options["beta1"], options["beta2"]
    return (beta1, rest_of(beta1), beta2, rest_of(beta2), options["epsilon"],
            options["lamb_weight_decay"] if decays else 0.0, float(options["always_adapt"]))


def _numbers_of_parameters(rule: Any, options: Options) -> Asked | None:
    if options["exclude_from_weight_decay_fn"] is None:
        return None
    return lambda parameters: [_numbers(options, rule._decays_parameter(p, options)) for p in parameters]


class Lamb(Optimizer):
    """s = m̂ / (√v̂ + ε) + λw; w ← w − lr · ‖w‖ / ‖s‖ · s, with Adam's corrected moments m̂ and v̂.

    You et al., Large Batch Optimization for Deep Learning: Training BERT in 76 minutes, 2020. λ is `lamb_weight_decay`,
    0 where `exclude_from_weight_decay_fn(parameter)` is true; there the lengths count only with `always_adapt`.

    >>> import proa as paddle
    >>> layer = paddle.nn.Linear(2, 1)
    >>> rule = paddle.optimizer.Lamb(0.1, parameters=layer.parameters())
    >>> layer(paddle.ones([1, 2])).sum().backward(); rule.step(); rule.clear_grad()
    """

    type = "lamb"
    _kinds = ("moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc")
    _form_of_step = StepForm(7, lamb_op, lambda rule, options: _numbers(options, True), _numbers_of_parameters)
    _forms: dict[str, bool] = {}
    """Further attributes of the operator, for another form of the rule."""

    _checks: dict[str, Check] = {
        "beta1": fraction, "beta2": fraction, "epsilon": not_negative, "lamb_weight_decay": number,
        "exclude_from_weight_decay_fn": function, "always_adapt": flag}

    def __init__(self, learning_rate: Any = 0.001, lamb_weight_decay: float = 0.01, beta1: float = 0.9,
                 beta2: float = 0.999, epsilon: float = 1e-6, parameters: Any = None, grad_clip: Any = None,
                 exclude_from_weight_decay_fn: Callable[[Any], bool] | None = None, multi_precision: bool = False,
                 always_adapt: bool = False, name: str | None = None):
        super().__init__(learning_rate, parameters, None, grad_clip, name, multi_precision, {
            "beta1": beta1, "beta2": beta2, "epsilon": epsilon, "lamb_weight_decay": lamb_weight_decay,
            "exclude_from_weight_decay_fn": exclude_from_weight_decay_fn, "always_adapt": always_adapt})

    def _state(self, parameter: Any, options: Options) -> tuple[Any, ...]:
        return (self._accumulator("moment1", parameter), self._accumulator("moment2", parameter),
                self._power("beta1_pow_acc", parameter, options["beta1"]),
                self._power("beta2_pow_acc", parameter, options["beta2"]))

    def _decays_parameter(self, parameter: Any, options: Options) -> bool:
        excluded = options["exclude_from_weight_decay_fn"]
        return excluded is None or not excluded(self._trained(parameter))

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        decays = self._decays_parameter(parameter, options)
        apply(lamb_op, parameter, gradient, rate, *self._state(parameter, options),
              weight_decay=options["lamb_weight_decay"] if decays else 0.0, beta1=options["beta1"],
              beta2=options["beta2"], epsilon=options["epsilon"], always_adapt=options["always_adapt"], **self._forms)

"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backend.kernels.optim import rest_of
from ..core.dtype import float32
from ..ops.core.trace import apply
from ..ops.optim.merged import merged_adam_op, merged_adamw_op
from ..ops.optim.row_updates import adam_rows_op, adamw_rows_op
from .compiled_step import Asked, StepForm
from .optimizer import Optimizer
from .options import Check, Options, checked, flag, fraction, function, not_negative, number
from .updates import Update, decayed_gradients, decays_of


def _numbers(options: Options) -> tuple[float, ...]:
    beta1, beta2 = options["beta1"], options["beta2"]
    return beta1, rest_of(beta1), beta2, rest_of(beta2), options["epsilon"]


def _adam_numbers(rule: Any, options: Options) -> tuple[float, ...] | None:
    return (*_numbers(options), 0.0, 1.0) if rule._of_1 is None else None


def _adamw_numbers(rule: Any, options: Options) -> tuple[float, ...] | None:
    return (*_numbers(options), options["weight_decay"], 1.0) if rule._of_1 is None else None


def _adamw_numbers_of_parameters(rule: Any, options: Options) -> Asked | None:
    """The share that decays and the ratio of each parameter, as the functions among the options say."""
    if options["lr_ratio"] is None and options["apply_decay_param_fun"] is None:
        return None

    def asked(parameters: list[Any]) -> list[tuple[float, ...]]:
        shares = [options["weight_decay"] if rule._decays_parameter(p, options) else 0.0 for p in parameters]
        ratios = [rule._ratio(p, options) for p in parameters]
        return [(*_numbers(options), *each) for each in zip(shares, ratios, strict=True)]

    return asked


class Adam(Optimizer):
    """m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², w ← w − lr · m̂ / (√v̂ + ε), m̂ and v̂ corrected for their zero start.

    Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015. `learning_rate`, `parameters` and `grad_clip` as
    in `SGD`. `weight_decay` is added to the gradient (L2); for decay apart from the gradient see AdamW. With
    `lazy_mode`, rows of an embedding with sparse gradients that were not looked up keep their weights and moments as
    they are. `multi_precision`: 16-bit parameters are updated by way of float32 copies. `use_multi_tensor` changes
    nothing.

    >>> import proa as paddle
    >>> w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    >>> optimizer = paddle.optimizer.Adam(0.05, parameters=[w])
    >>> for _ in range(3):
    ...     (w ** 2).sum().backward()
    ...     optimizer.step()
    ...     optimizer.clear_grad()
    >>> w.item() < 1
    True
    """

    type = "adam"
    _kinds = ("moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc")
    _form_of_step = StepForm(2, merged_adam_op, _adam_numbers)
    _of_1: bool | None = None  # whether epsilon is not corrected for the moments' zero start, as in Paddle 1.x
    _checks: dict[str, Check] = {"beta1": fraction, "beta2": fraction, "epsilon": not_negative, "lazy_mode": flag}

    def __init__(self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 parameters: Any = None, weight_decay: Any = None, grad_clip: Any = None, lazy_mode: bool = False,
                 multi_precision: bool = False, use_multi_tensor: bool = False, name: str | None = None):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, multi_precision,
                         {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "lazy_mode": lazy_mode})

    def _state(self, parameter: Any, options: Options) -> tuple[Any, ...]:
        moments = float32 if parameter.dtype.itemsize == 2 else parameter.dtype
        return (
            self._accumulator("moment1", parameter, dtype=moments),
            self._accumulator("moment2", parameter, dtype=moments),
            self._power("beta1_pow_acc", parameter, options["beta1"]),
            self._power("beta2_pow_acc", parameter, options["beta2"]),
        )

    def _update_together(self, updates: list[Update], options: Options) -> None:
        parameters, gradients, rates, _ = map(list, zip(*updates, strict=True))
        apply(merged_adam_op, parameters, gradients, rates, *self._states_of(parameters, options), None,
              beta1=options["beta1"], beta2=options["beta2"], epsilon=options["epsilon"], decay=decays_of(updates),
              **self._form())

    def _update_rows(self, update: Update, options: Options) -> None:
        parameter, gradient = update.parameter, update.gradient
        apply(adam_rows_op, parameter, gradient.merged_values(), gradient.merged_rows(), update.rate,
              *self._state(parameter, options), **options, **self._form())

    def _form(self) -> dict[str, Any]:
        return {} if self._of_1 is None else {"of_1": self._of_1}


class AdamW(Adam):
    """Adam with the decay w ← w − lr · coeff · w apart from the gradient.

    Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019. `weight_decay` is coeff;
    `apply_decay_param_fun(name)` tells which parameters decay; `lr_ratio(parameter)` gives a factor of the learning
    rate. The other arguments are Adam's.

    >>> import proa as paddle
    >>> net = paddle.nn.Linear(2, 2)
    >>> adamw = paddle.optimizer.AdamW(1e-3, parameters=net.parameters(), weight_decay=0.1,
    ...                                apply_decay_param_fun=lambda name: ".w_" in name)  # biases do not decay
    >>> net(paddle.ones([1, 2])).sum().backward()
    >>> adamw.step()
    >>> adamw.clear_grad()
    """

    type = "adamw"
    _form_of_step = StepForm(2, merged_adamw_op, _adamw_numbers, _adamw_numbers_of_parameters)
    _checks = Adam._checks | {"weight_decay": number, "lr_ratio": function, "apply_decay_param_fun": function}

    def __init__(self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 parameters: Any = None, weight_decay: float = 0.01, lr_ratio: Callable[..., Any] | None = None,
                 apply_decay_param_fun: Callable[[str], bool] | None = None, grad_clip: Any = None,
                 lazy_mode: bool = False, multi_precision: bool = False, name: str | None = None):
        super().__init__(learning_rate, beta1, beta2, epsilon, parameters, None, grad_clip, lazy_mode, multi_precision,
                         name=name)
        self._options |= checked(self._checks, type(self).__name__, {
            "weight_decay": weight_decay, "lr_ratio": lr_ratio, "apply_decay_param_fun": apply_decay_param_fun})
        self._default_dict |= self._options

    def _regularizer_of(self, parameter: Any, group: Options | None) -> Any:
        return getattr(parameter, "regularizer", None)

    def _shared_penalty(self, group: Options | None) -> Any:
        return None

    def _decays_parameter(self, parameter: Any, options: Options) -> bool:
        chosen = options["apply_decay_param_fun"]
        return chosen is None or bool(chosen(self._trained(parameter).name))

    def _ratio(self, parameter: Any, options: Options) -> float:
        ratio = options["lr_ratio"]
        return 1.0 if ratio is None else float(ratio(self._trained(parameter)))

    def _update_together(self, updates: list[Update], options: Options) -> None:
        parameters, _, rates, _ = map(list, zip(*updates, strict=True))
        apply(merged_adamw_op, parameters, decayed_gradients(updates), rates, *self._states_of(parameters, options),
              beta1=options["beta1"], beta2=options["beta2"], epsilon=options["epsilon"], coeff=options["weight_decay"],
              with_decay=[] if options["apply_decay_param_fun"] is None else [
                  int(self._decays_parameter(p, options)) for p in parameters],
              lr_ratio=[] if options["lr_ratio"] is None else [self._ratio(p, options) for p in parameters])

    def _update_rows(self, update: Update, options: Options) -> None:
        parameter, gradient = update.parameter, update.gradient
        apply(adamw_rows_op, parameter, gradient.merged_values(), gradient.merged_rows(), update.rate,
              *self._state(parameter, options), beta1=options["beta1"], beta2=options["beta2"],
              epsilon=options["epsilon"], coeff=options["weight_decay"], lazy_mode=options["lazy_mode"],
              with_decay=self._decays_parameter(parameter, options), lr_ratio=self._ratio(parameter, options))

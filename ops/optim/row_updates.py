"""Updates of a parameter by a gradient that is zero but for some rows: sgd, momentum, adam, adamw.

Such a gradient is a value of its own in eager code; see `backend/selected_rows.py`. The operators compute what those of
the same names in `rules.py` compute with the whole gradient, which is never made. The rows are given each once. Where
the rule moves every row (a velocity, a moment that fades), every row is touched; sgd, and adam with `lazy_mode`, touch
the given rows alone: with `lazy_mode` the others' moments rest. No file holds these operators.
"""

from typing import Any

from ...backend.aliasing import changing
from ...backend.engines import LOOPS
from ...backend.kernels import row_updates as fast
from ..core.kernels import by
from ..core.operator import operator
from .rules import adam_step, as_scalar, moved_by_adam, rest_of, updates


def holds_rows(gradient: Any) -> bool:
    """Whether a gradient holds some rows only."""
    asked = getattr(gradient, "is_selected_rows", None)
    return asked is not None and asked()


def held_values(gradient: Any) -> Any:
    """The values that a gradient holds: itself, or those of its rows, each of which is there once."""
    return gradient.merged_values() if holds_rows(gradient) else gradient


def with_held_values(gradient: Any, values: Any) -> Any:
    """The gradient with other values in place of `held_values(gradient)`."""
    return gradient.with_values(values) if holds_rows(gradient) else values


def sum_of(gradient: Any, *others: Any) -> Any:
    """The sum of gradients, a value that does not change with them: rows where each holds rows."""
    for other in others:
        both = holds_rows(gradient) and holds_rows(other)
        gradient = gradient.with_rows_of(other) if both else gradient + other
    return gradient if others or holds_rows(gradient) else gradient * 1.0


def _sgd(xp, param, learning_rate, values, rows):
    param = changing(param)
    param[rows] -= as_scalar(learning_rate, param.dtype) * values
    return param


sgd_rows_op = operator("sgd_rows", "Param, LearningRate, Values, Rows -> ParamOut:=Param", kernel=_sgd,
                       engines=[by(LOOPS, fast.sgd)], infer=updates(0), precision="keep", only_here=True,
                       fails="values")


def _momentum(xp, param, values, rows, velocity, learning_rate, *, mu: float, use_nesterov: bool = False,
              rescale_grad: float = 1.0):
    param, velocity, rate = changing(param), changing(velocity), as_scalar(learning_rate, param.dtype)
    values = values * rescale_grad if rescale_grad != 1.0 else values
    velocity *= mu
    velocity[rows] += values
    if use_nesterov:
        param -= (rate * mu) * velocity
        param[rows] -= rate * values
    else:
        param -= rate * velocity
    return param, velocity


momentum_rows_op = operator(
    "momentum_rows", "Param, Values, Rows, Velocity, LearningRate -> ParamOut:=Param, VelocityOut:=Velocity",
    kernel=_momentum, infer=updates(0, 3), precision="keep", only_here=True, fails="values")

_ADAM_SLOTS = ("Param, Values, Rows, LearningRate, Moment1, Moment2, Beta1Pow, Beta2Pow -> ParamOut:=Param, "
               "Moment1Out:=Moment1, Moment2Out:=Moment2, Beta1PowOut=Beta1Pow, Beta2PowOut=Beta2Pow")


def _moved_by_adam(xp, param, values, rows, learning_rate, moment1, moment2, beta1_pow, beta2_pow, beta1, beta2,
                   epsilon, lazy_mode, of_1=None):
    """Adam's step in the memory of the parameter that it is given; with `lazy_mode` of the given rows alone."""
    moment1, moment2 = changing(moment1), changing(moment2)
    if lazy_mode:
        param[rows], moment1[rows], moment2[rows], beta1_pow, beta2_pow = moved_by_adam(
            xp, param[rows], values, learning_rate, moment1[rows], moment2[rows], beta1_pow, beta2_pow, beta1, beta2,
            epsilon, of_1)
        return param, moment1, moment2, beta1_pow, beta2_pow
    moment1 *= beta1
    moment1[rows] += values * rest_of(beta1, moment1.dtype)
    moment2 *= beta2
    moment2[rows] += values * values * rest_of(beta2, moment2.dtype)
    param -= adam_step(xp, param.dtype, learning_rate, moment1, moment2, beta1_pow, beta2_pow, epsilon, of_1)
    return param, moment1, moment2, beta1_pow * beta1, beta2_pow * beta2


def _adam(xp, param, values, rows, learning_rate, moment1, moment2, beta1_pow, beta2_pow, *, beta1: float = 0.9,
          beta2: float = 0.999, epsilon: float = 1e-8, lazy_mode: bool = False, of_1: bool | None = None):
    return _moved_by_adam(xp, changing(param), values, rows, learning_rate, moment1, moment2, beta1_pow, beta2_pow,
                          beta1, beta2, epsilon, lazy_mode, of_1)


adam_rows_op = operator("adam_rows", _ADAM_SLOTS, kernel=_adam, infer=updates(0, 4, 5, 6, 7),
                        precision="keep", only_here=True, fails="values")


def _adamw(xp, param, values, rows, learning_rate, moment1, moment2, beta1_pow, beta2_pow, *, beta1: float = 0.9,
           beta2: float = 0.999, epsilon: float = 1e-8, coeff: float = 0.01, lr_ratio: float = 1.0,
           with_decay: bool = True, lazy_mode: bool = False):
    rate, param = learning_rate * lr_ratio, changing(param)
    if with_decay:
        kept = (1 - rate.reshape(()) * coeff).astype(param.dtype)
        if lazy_mode:
            param[rows] *= kept
        else:
            param *= kept
    return _moved_by_adam(xp, param, values, rows, rate, moment1, moment2, beta1_pow, beta2_pow, beta1, beta2, epsilon,
                          lazy_mode)


adamw_rows_op = operator("adamw_rows", _ADAM_SLOTS, kernel=_adamw, infer=updates(0, 4, 5, 6, 7),
                         precision="keep", only_here=True, fails="values")

"""Updates of parameters, one operator a rule: sgd, momentum, adam, adamw; `merged.py` has those of many at once.

The new value of a parameter takes the old one's place (`ParamOut=Param`), so a kernel may write into the arrays of the
inputs that have an alias. Scalars such as the learning rate are one-element arrays.
"""


from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend.aliasing import changing
from ...backend.engines import LOOPS
from ...backend.kernels import optim as fast
from ..core.kernels import by
from ..core.operator import operator


def updates(*positions: int) -> Callable[..., Any]:
    """The infer rule of an update: the specs of the aliased inputs, by their positions."""
    return lambda *specs, **_: tuple(specs[p] for p in positions)


def as_scalar(x: Any, dtype: Any) -> Any:
    """A one-element array as a 0-d array of this dtype."""
    return x.reshape(()).astype(dtype)


def rest_of(share: float, dtype: Any) -> float:
    """1 - share, of the share as float32 has it (as float64 for float64).

    So corrections for moments that began with zeros, 1 - beta ** t of powers in that dtype, cancel it; 1 - 0.999 is
    1.3e-5 of itself off in float32.
    """
    number = np.float64 if dtype == np.float64 else np.float32
    return float(number(1) - number(share))


def _sgd(xp, param, learning_rate, grad):
    param = changing(param)
    param -= as_scalar(learning_rate, param.dtype) * grad
    return param


sgd_op = operator("sgd", "Param, LearningRate, Grad -> ParamOut:=Param", kernel=_sgd, engines=[by(LOOPS, fast.sgd)],
                  infer=updates(0), precision="keep")


def _momentum(xp, param, grad, velocity, learning_rate, *, mu: float, use_nesterov: bool = False,
              regularization_method: str = "", regularization_coeff: float = 0.0, rescale_grad: float = 1.0,
              rate_in_velocity: bool | None = None):
    """`rate_in_velocity`: velocity = mu * velocity - rate * grad, and param += velocity: as OneFlow has it."""
    param, velocity = changing(param), changing(velocity)
    if rescale_grad != 1.0:
        grad = grad * rescale_grad
    if regularization_method == "l2_decay":
        grad = grad + param * regularization_coeff
    velocity *= mu
    if rate_in_velocity:
        change = as_scalar(learning_rate, param.dtype) * grad
        velocity -= change
        param += velocity * mu - change if use_nesterov else velocity
        return param, velocity
    velocity += grad
    step = grad + velocity * mu if use_nesterov else velocity
    param -= as_scalar(learning_rate, param.dtype) * step
    return param, velocity


momentum_op = operator(
    "momentum", "Param, Grad, Velocity, LearningRate -> ParamOut:=Param, VelocityOut:=Velocity",
    kernel=_momentum, engines=[by(LOOPS, fast.momentum)], infer=updates(0, 2), precision="keep")

_ADAM_SLOTS = ("Param, Grad, LearningRate, Moment1, Moment2, Beta1Pow, Beta2Pow -> ParamOut:=Param, "
               "Moment1Out:=Moment1, Moment2Out:=Moment2, Beta1PowOut:=Beta1Pow, Beta2PowOut:=Beta2Pow")


def adam_step(xp, dtype, learning_rate, moment1, moment2, beta1_pow, beta2_pow, epsilon, of_1=None):
    """What Adam takes from a parameter of this dtype, once the moments are new.

    `of_1`: as Paddle 1.x computes it, whose epsilon stands beside the moment before its zero start is corrected.
    """
    correction2 = xp.sqrt(1 - beta2_pow.reshape(()))
    rate = learning_rate.reshape(()) * correction2 / (1 - beta1_pow.reshape(()))
    step = xp.asarray(xp.sqrt(moment2))  # of no dimensions, a function of NumPy gives no array
    step += xp.asarray(epsilon if of_1 else epsilon * correction2).astype(dtype)
    xp.divide(moment1, step, out=step)
    step *= rate.astype(dtype)
    return step


def _adam(xp, param, grad, learning_rate, moment1, moment2, beta1_pow, beta2_pow, *, beta1: float = 0.9,
          beta2: float = 0.999, epsilon: float = 1e-8, lazy_mode: bool = False, of_1: bool | None = None):
    return moved_by_adam(xp, changing(param), grad, learning_rate, changing(moment1), changing(moment2), beta1_pow,
                         beta2_pow, beta1, beta2, epsilon, of_1)


def moved_by_adam(xp, param, grad, learning_rate, moment1, moment2, beta1_pow, beta2_pow, beta1, beta2, epsilon,
                  of_1=None):
    """Adam's step, in the memory of the parameter and the moments that it is given."""
    moment1 *= beta1
    moment1 += grad * rest_of(beta1, moment1.dtype)
    moment2 *= beta2
    moment2 += grad * grad * rest_of(beta2, moment2.dtype)
    param -= adam_step(xp, param.dtype, learning_rate, moment1, moment2, beta1_pow, beta2_pow, epsilon, of_1)
    return param, moment1, moment2, beta1_pow * beta1, beta2_pow * beta2


adam_op = operator("adam", _ADAM_SLOTS, kernel=_adam, engines=[by(LOOPS, fast.adam)], infer=updates(0, 3, 4, 5, 6),
                   precision="keep")


def _adamw(xp, param, grad, learning_rate, moment1, moment2, beta1_pow, beta2_pow, *, beta1: float = 0.9,
           beta2: float = 0.999, epsilon: float = 1e-8, coeff: float = 0.01, lr_ratio: float = 1.0,
           with_decay: bool = True, lazy_mode: bool = False):
    rate, param = learning_rate * lr_ratio, changing(param)
    if with_decay:
        param *= (1 - rate.reshape(()) * coeff).astype(param.dtype)
    return moved_by_adam(xp, param, grad, rate, changing(moment1), changing(moment2), beta1_pow, beta2_pow, beta1,
                         beta2, epsilon)


adamw_op = operator("adamw", _ADAM_SLOTS, kernel=_adamw, engines=[by(LOOPS, fast.adamw)], infer=updates(0, 3, 4, 5, 6),
                    precision="keep", unsaid={"with_decay": False})

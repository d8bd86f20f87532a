"""Updates of parameters with a rate for each element: adagrad, adadelta, adamax, rmsprop, lamb.

As in `rules.py`, the new value of a parameter takes the old one's place, and kernels may write into their inputs.
"""

from ...backend.aliasing import changing
from ..core.operator import operator
from .rules import as_scalar, rest_of, updates


def _adagrad(xp, param, grad, moment, learning_rate, *, epsilon: float = 1e-6):
    param, moment = changing(param), changing(moment)
    moment += grad * grad
    param -= as_scalar(learning_rate, param.dtype) * grad / (xp.sqrt(moment) + epsilon)
    return param, moment


adagrad_op = operator("adagrad", "Param, Grad, Moment, LearningRate -> ParamOut:=Param, MomentOut:=Moment",
                      kernel=_adagrad, infer=updates(0, 2))


def _adadelta(xp, param, grad, squared_grad, squared_update, learning_rate=None, *, rho: float = 0.95,
              epsilon: float = 1e-6):
    param, squared_grad, squared_update = changing(param), changing(squared_grad), changing(squared_update)
    squared_grad *= rho
    squared_grad += rest_of(rho, param.dtype) * grad * grad
    step = xp.sqrt((squared_update + epsilon) / (squared_grad + epsilon)) * grad
    squared_update *= rho
    squared_update += rest_of(rho, param.dtype) * step * step
    param -= step if learning_rate is None else as_scalar(learning_rate, param.dtype) * step
    return param, squared_grad, squared_update


adadelta_op = operator(
    "adadelta", "Param, Grad, AvgSquaredGrad, AvgSquaredUpdate, LearningRate? -> ParamOut:=Param, "
                "AvgSquaredGradOut:=AvgSquaredGrad, AvgSquaredUpdateOut:=AvgSquaredUpdate",
    kernel=_adadelta, infer=updates(0, 2, 3))


def _adamax(xp, param, grad, learning_rate, moment, inf_norm, beta1_pow, *, beta1: float = 0.9, beta2: float = 0.999,
            epsilon: float = 1e-8):
    param, moment, inf_norm = changing(param), changing(moment), changing(inf_norm)
    moment *= beta1
    moment += rest_of(beta1, param.dtype) * grad
    inf_norm *= beta2
    inf_norm += epsilon
    xp.maximum(inf_norm, xp.abs(grad), out=inf_norm)
    rate = learning_rate.reshape(()) / (1 - beta1_pow.reshape(()))
    param -= rate.astype(param.dtype) * moment / inf_norm
    return param, moment, inf_norm


adamax_op = operator(
    "adamax", "Param, Grad, LearningRate, Moment, InfNorm, Beta1Pow -> ParamOut:=Param, MomentOut:=Moment, "
              "InfNormOut:=InfNorm",
    kernel=_adamax, infer=updates(0, 3, 4))


def _rmsprop(xp, param, mean_square, grad, moment, learning_rate, mean_grad=None, *, epsilon: float = 1e-10,
             decay: float = 0.9, momentum: float = 0.0, centered: bool = False):
    param, mean_square, moment = changing(param), changing(mean_square), changing(moment)
    mean_square *= decay
    mean_square += rest_of(decay, param.dtype) * grad * grad
    spread = mean_square
    if centered:
        mean_grad = changing(mean_grad)
        mean_grad *= decay
        mean_grad += rest_of(decay, param.dtype) * grad
        spread = mean_square - mean_grad * mean_grad
    moment *= momentum
    moment += as_scalar(learning_rate, param.dtype) * grad / xp.sqrt(spread + epsilon)
    param -= moment
    return param, moment, mean_square, mean_grad


rmsprop_op = operator(
    "rmsprop", "Param, MeanSquare, Grad, Moment, LearningRate, MeanGrad? -> ParamOut:=Param, MomentOut:=Moment, "
               "MeanSquareOut:=MeanSquare, MeanGradOut:=MeanGrad",
    kernel=_rmsprop, infer=updates(0, 3, 1, 5))


def _lamb(xp, param, grad, learning_rate, moment1, moment2, beta1_pow, beta2_pow, *, weight_decay: float = 0.01,
          beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-6, always_adapt: bool = False,
          correct_moments: bool = True):
    param, moment1, moment2 = changing(param), changing(moment1), changing(moment2)
    moment1 *= beta1
    moment1 += rest_of(beta1, param.dtype) * grad
    moment2 *= beta2
    moment2 += rest_of(beta2, param.dtype) * grad * grad
    first, second = moment1, moment2
    if correct_moments:  # Paddle 1.x takes them as they are, and leaves the powers
        first = moment1 / (1 - beta1_pow.reshape(())).astype(param.dtype)
        second = moment2 / (1 - beta2_pow.reshape(())).astype(param.dtype)
        beta1_pow, beta2_pow = beta1_pow * beta1, beta2_pow * beta2
    step = first / (xp.sqrt(second) + epsilon) + weight_decay * param
    rate = as_scalar(learning_rate, param.dtype)
    if weight_decay > 0 or always_adapt:
        length, step_length = xp.sqrt((param * param).sum()), xp.sqrt((step * step).sum())
        moves = (length > 0) & (step_length > 0)
        rate = xp.where(moves, rate * length / xp.where(moves, step_length, 1), rate).astype(param.dtype)
    param -= rate * step
    return param, moment1, moment2, beta1_pow, beta2_pow


lamb_op = operator(
    "lamb", "Param, Grad, LearningRate, Moment1, Moment2, Beta1Pow, Beta2Pow -> ParamOut:=Param, Moment1Out:=Moment1, "
            "Moment2Out:=Moment2, Beta1PowOut?=Beta1Pow, Beta2PowOut?=Beta2Pow",
    kernel=_lamb, infer=updates(0, 3, 4, 5, 6))

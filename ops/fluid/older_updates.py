"""Updates of parameters that Paddle 1.x alone has: decayed_adagrad, ftrl, lars_momentum, dpsgd, proximal_gd."""


from ...backend.aliasing import changing
from ...core.dtype import float32
from ..core.operator import operator
from ..optim.rules import as_scalar, updates
from ..random.draws import normal_array


def _decayed_adagrad(xp, param, grad, moment, learning_rate, *, decay: float = 0.95, epsilon: float = 1e-6):
    param, moment = changing(param), changing(moment)
    moment *= decay
    moment += (1 - decay) * grad * grad
    param -= as_scalar(learning_rate, param.dtype) * grad / (xp.sqrt(moment) + epsilon)
    return param, moment


decayed_adagrad_op = operator(
    "decayed_adagrad", "Param, Grad, Moment, LearningRate -> ParamOut:=Param, MomentOut:=Moment",
    kernel=_decayed_adagrad, infer=updates(0, 2), precision="keep")


def _ftrl(xp, param, squared, linear, grad, learning_rate, *, l1: float = 0.0, l2: float = 0.0,
          lr_power: float = -0.5):
    rate = as_scalar(learning_rate, param.dtype)
    param, squared, linear = changing(param), changing(squared), changing(linear)
    new = squared + grad * grad
    power = -lr_power
    linear += grad - (new**power - squared**power) / rate * param
    near = xp.abs(linear) > l1
    pulled = l1 * xp.sign(linear) - linear
    param[...] = xp.where(near, pulled / (new**power / rate + 2 * l2), xp.zeros_like(param))
    squared[...] = new
    return param, squared, linear


ftrl_op = operator(
    "ftrl", "Param, SquaredAccumulator, LinearAccumulator, Grad, LearningRate -> ParamOut:=Param, "
            "SquaredAccumOut:=SquaredAccumulator, LinearAccumOut:=LinearAccumulator",
    kernel=_ftrl, infer=updates(0, 1, 2), precision="keep")


def _lars(xp, param, grad, velocity, learning_rate, *, mu: float, lars_coeff: float = 0.001,
          lars_weight_decay: float = 0.0005, epsilon: float = 0.0, rescale_grad: float = 1.0):
    rate = as_scalar(learning_rate, param.dtype)
    grad = grad * rescale_grad if rescale_grad != 1 else grad
    length, slope = xp.sqrt((param * param).sum()), xp.sqrt((grad * grad).sum())
    if lars_weight_decay > 0 and float(length) > 0 and float(slope) > 0:
        rate = rate * lars_coeff * length / (slope + lars_weight_decay * length + epsilon)
    param, velocity = changing(param), changing(velocity)
    velocity *= mu
    velocity += (rate * (grad + lars_weight_decay * param)).astype(param.dtype)
    param -= velocity
    return param, velocity


lars_momentum_op = operator(
    "lars_momentum", "Param, Grad, Velocity, LearningRate -> ParamOut:=Param, VelocityOut:=Velocity", kernel=_lars,
    infer=updates(0, 2), precision="keep")


def _dpsgd(xp, param, grad, learning_rate, *, clip: float = 0.9, batch_size: float = 0.999, sigma: float = 1e-8,
           seed: int = 0):
    length = float(xp.sqrt((grad * grad).sum()))
    noise = float(normal_array(xp, (1,), float32, 0.0, sigma * clip, seed)[0]) / batch_size
    param = changing(param)
    param -= as_scalar(learning_rate, param.dtype) * (grad / max(length / clip, 1.0) + noise).astype(param.dtype)
    return param


dpsgd_op = operator("dpsgd", "Param, Grad, LearningRate -> ParamOut:=Param", kernel=_dpsgd, infer=updates(0),
                    precision="keep", effects="random", unsaid={"clip": 10.0, "batch_size": 16.0, "sigma": 1.0})


def _nearest(xp, moved, rate, l1, l2):
    """What a penalty of l1 |w| + l2 w² / 2 makes of a parameter that has been moved by this rate."""
    if l1 > 0:
        moved = xp.sign(moved) * xp.maximum(xp.abs(moved) - rate * l1, 0)
    return moved / (1 + rate * l2)


def _proximal(xp, param, grad, learning_rate, *, l1: float = 0.0, l2: float = 0.0):
    rate, param = as_scalar(learning_rate, param.dtype), changing(param)
    param[...] = _nearest(xp, param - rate * grad, rate, l1, l2)
    return param


proximal_gd_op = operator("proximal_gd", "Param, Grad, LearningRate -> ParamOut:=Param", kernel=_proximal,
                          infer=updates(0), precision="keep")


def _proximal_adagrad(xp, param, moment, grad, learning_rate, *, l1: float = 0.0, l2: float = 0.0):
    rate, param, moment = as_scalar(learning_rate, param.dtype), changing(param), changing(moment)
    moment += grad * grad
    param[...] = _nearest(xp, param - rate * grad / xp.sqrt(moment), rate, l1, l2)
    return param, moment


proximal_adagrad_op = operator(
    "proximal_adagrad", "Param, Moment, Grad, LearningRate -> ParamOut:=Param, MomentOut:=Moment",
    kernel=_proximal_adagrad, infer=updates(0, 1), precision="keep")

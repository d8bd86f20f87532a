"""Operators on many tensors at once: updates of all parameters, and what clipping by the norm of all gradients needs.

An update of many is that of each; Programs are written with the operators of one (see `composed` in `core.operator`),
so that `merged_adam` and `merged_momentum`, which Paddle knows, occur in files of its own only. Attributes that are
lists have an item a parameter; an empty one stands for what changes nothing.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ...backend.engines import LOOPS
from ...backend.kernels import optim as fast
from ...backend.kernels import reduce_many as fast_totals
from ...core.dtype import DType, float32
from ..core.kernels import by
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.add_n import add_n
from ..math.casting import cast, dtype_of
from ..math.reduce import sum as reduce_sum
from ..math.unary import abs, square
from .rules import adam_op, adamw_op, momentum_op, sgd_op, updates

_L2 = "l2_decay"


def _given(coefficients: Sequence[Any], count: int, default: Any) -> Sequence[Any]:
    return coefficients if len(coefficients) else [default] * count


def _decayed(grads: Sequence[Any], params: Sequence[Any], decay: Sequence[float]) -> list[Any]:
    """The gradients with decay * parameter added; of arrays and of a Program's values."""
    each = zip(grads, params, _given(decay, len(params), 0.0), strict=True)
    return [g + p * coefficient if coefficient else g for g, p, coefficient in each]


def _by_slot(found: Sequence[tuple], count: int) -> tuple[list, ...]:
    """The results of every parameter, as a list a slot."""
    return tuple(list(slot) for slot in zip(*found, strict=True)) if found else ([],) * count


def _on(xp: Any, op: Any) -> Callable[..., Any]:
    """The operator's kernel on arrays of a namespace."""
    return lambda *inputs, **attrs: op.kernel(xp, *inputs, **attrs)


def _in_program(op: Any) -> Callable[..., Any]:
    return lambda *inputs, **attrs: apply(op, *inputs, **attrs)


# sgd

def _each_sgd(update: Callable, params, rates, grads, decay):
    return [update(*each) for each in zip(params, rates, _decayed(grads, params, decay), strict=True)]


def _sgd(xp, params, learning_rates, grads, *, decay: list[float] = ()):
    return _each_sgd(_on(xp, sgd_op), params, learning_rates, grads, decay)


merged_sgd_op = operator(
    "merged_sgd", "Param*, LearningRate*, Grad* -> ParamOut*:=Param", kernel=_sgd, engines=[by(LOOPS, fast.merged_sgd)],
    composed=lambda params, rates, grads, *, decay=(): _each_sgd(_in_program(sgd_op), params, rates, grads, decay),
    infer=updates(0), precision="keep", merges=sgd_op)


# momentum

def _each_momentum(update: Callable, params, grads, velocities, rates, methods, coefficients, attrs):
    each = zip(params, grads, velocities, rates, _given(methods, len(params), ""),
               _given(coefficients, len(params), 0.0), strict=True)
    return _by_slot([update(*inputs, regularization_method=method, regularization_coeff=coefficient, **attrs)
                     for *inputs, method, coefficient in each], 2)


def _momentum(xp, params, grads, velocities, learning_rates, master_params=None, *, mu: float,
              use_nesterov: bool = False, regularization_method: list[str] = (),
              regularization_coeff: list[float] = (), multi_precision: bool = False, rescale_grad: float = 1.0,
              rate_in_velocity: bool | None = None):
    attrs = {"mu": mu, "use_nesterov": use_nesterov, "rescale_grad": rescale_grad, "rate_in_velocity": rate_in_velocity}
    return (*_each_momentum(_on(xp, momentum_op), params, grads, velocities, learning_rates, regularization_method,
                            regularization_coeff, attrs), master_params)


def _composed_momentum(params, grads, velocities, learning_rates, master_params=None, *, regularization_method=(),
                       regularization_coeff=(), multi_precision=False, **attrs):
    return (*_each_momentum(_in_program(momentum_op), params, grads, velocities, learning_rates, regularization_method,
                            regularization_coeff, attrs), master_params)


merged_momentum_op = operator(
    "merged_momentum",
    "Param*, Grad*, Velocity*, LearningRate*, MasterParam*? -> "
    "ParamOut*:=Param, VelocityOut*:=Velocity, MasterParamOut*=MasterParam",
    kernel=_momentum, engines=[by(LOOPS, fast.merged_momentum)], composed=_composed_momentum, infer=updates(0, 2, 4),
    precision="keep", merges=momentum_op)


# adam

def _each_adam(update: Callable, params, grads, states, decay, attrs):
    return _by_slot([update(*inputs, **attrs)
                     for inputs in zip(params, _decayed(grads, params, decay), *states, strict=True)], 5)


def _adam(xp, params, grads, learning_rates, moments1, moments2, beta1_pows, beta2_pows, master_params=None, *,
          beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8, multi_precision: bool = False,
          use_global_beta_pow: bool = False, decay: list[float] = (), of_1: bool | None = None):
    states = learning_rates, moments1, moments2, beta1_pows, beta2_pows
    attrs = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "of_1": of_1}
    return (*_each_adam(_on(xp, adam_op), params, grads, states, decay, attrs), master_params)


def _composed_adam(params, grads, learning_rates, moments1, moments2, beta1_pows, beta2_pows, master_params=None, *,
                   multi_precision=False, use_global_beta_pow=False, decay=(), **attrs):
    states = learning_rates, moments1, moments2, beta1_pows, beta2_pows
    return (*_each_adam(_in_program(adam_op), params, grads, states, decay, attrs), master_params)


_ADAM_INPUTS = "Param*, Grad*, LearningRate*, Moment1*, Moment2*, Beta1Pow*, Beta2Pow*"
_ADAM_OUTPUTS = ("ParamOut*:=Param, Moment1Out*:=Moment1, Moment2Out*:=Moment2, Beta1PowOut*:=Beta1Pow, "
                 "Beta2PowOut*:=Beta2Pow")
merged_adam_op = operator(
    "merged_adam", f"{_ADAM_INPUTS}, MasterParam*? -> {_ADAM_OUTPUTS}, MasterParamOut*=MasterParam",
    kernel=_adam, engines=[by(LOOPS, fast.merged_adam)], composed=_composed_adam, infer=updates(0, 3, 4, 5, 6, 7),
    precision="keep", merges=adam_op)


# adamw

def _each_adamw(update: Callable, inputs, with_decay, lr_ratio, attrs):
    count = len(inputs[0])
    each = zip(*inputs, _given(with_decay, count, 1), _given(lr_ratio, count, 1.0), strict=True)
    return _by_slot([update(*arrays, with_decay=bool(decays), lr_ratio=ratio, **attrs)
                     for *arrays, decays, ratio in each], 5)


def _adamw(xp, params, grads, learning_rates, moments1, moments2, beta1_pows, beta2_pows, *, beta1: float = 0.9,
           beta2: float = 0.999, epsilon: float = 1e-8, coeff: float = 0.01, with_decay: Ints = (),
           lr_ratio: list[float] = ()):
    inputs = params, grads, learning_rates, moments1, moments2, beta1_pows, beta2_pows
    attrs = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "coeff": coeff}
    return _each_adamw(_on(xp, adamw_op), inputs, with_decay, lr_ratio, attrs)


merged_adamw_op = operator(
    "merged_adamw", f"{_ADAM_INPUTS} -> {_ADAM_OUTPUTS}", kernel=_adamw, engines=[by(LOOPS, fast.merged_adamw)],
    infer=updates(0, 3, 4, 5, 6),
    composed=lambda *inputs, with_decay=(), lr_ratio=(), **attrs: _each_adamw(
        _in_program(adamw_op), inputs, with_decay, lr_ratio, attrs), precision="keep", merges=adamw_op)


# clipping

def _total_square(xp, arrays):
    return xp.asarray(sum(_squares(x) for x in arrays))


def _squares(x):
    x = x.astype("float32") if x.dtype.itemsize == 2 else x
    return (x * x).sum()


def _summed_in(dtype: DType) -> DType:
    """Squares of 16-bit floats are summed, and given, in float32, which holds them."""
    return float32 if dtype.is_floating and dtype.itemsize == 2 else dtype


def _widened(x: Any) -> Any:
    dtype = _summed_in(dtype_of(x))
    return x if dtype is dtype_of(x) else cast(x, dtype)


def _scale_all(xp, arrays, scale):
    return [x * scale.astype(x.dtype) for x in arrays]


total_square_op = operator(
    "total_square", "X* -> Out", kernel=_total_square, engines=[by(LOOPS, fast_totals.total_square)],
    composed=lambda values: add_n([reduce_sum(square(_widened(x))) for x in values]),
    infer=lambda specs: Spec((), _summed_in(specs[0].dtype)),
    grad={"X": lambda g, X: [x * cast(g * 2.0, dtype_of(x)) for x in X]})
scale_all_op = operator(
    "scale_all", "X*, Scale -> Out*", kernel=_scale_all, engines=[by(LOOPS, fast_totals.scale_all)],
    composed=lambda values, scale: [x * cast(scale, dtype_of(x)) for x in values],
    infer=lambda specs, scale: [(*specs,)],
    grad={"X": lambda g, Scale: [d * cast(Scale, dtype_of(d)) for d in g],
          "Scale": lambda g, X, Scale_dtype: cast(
              add_n([reduce_sum(d * x) for d, x in zip(g, X, strict=True)]), Scale_dtype)})


def total_square(values: Sequence[Any]) -> Any:
    """The sum of the squares of all elements of all of these, a 0-d value.

    >>> import proa as paddle
    >>> from proa.ops.optim.merged import total_square
    >>> float(total_square([paddle.ones([2]), paddle.full([1], 3.0)]))
    11.0
    """
    return apply(total_square_op, [abs(x) if dtype_of(x).is_complex else x for x in values])


def scale_all(values: Sequence[Any], scale: Any) -> list[Any]:
    """Each of these times a 0-d value."""
    return apply(scale_all_op, list(values), scale)

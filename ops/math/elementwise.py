"""Two operands, element by element, with NumPy's broadcasting: arithmetic, and what compares and combines them."""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import remainder as fast
from ...core import dtype as dt
from ...core.dtype import DType, promote
from ..array.full import constant, fill_zeros_like, is_value
from ..core.gradient import serve_conjugation
from ..core.infer import broadcast_shapes, same
from ..core.kernels import EngineKernel, by
from ..core.operator import Operator, find, is_declared, operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply, current_trace
from .casting import as_floating, cast, dtype_of
from .operands import NUMBERS, aligned, ones_behind, operand, sum_along, with_number, with_term
from .whole_numbers import cut_quotient, refusing_zero, whole_power


def binary(type: str, function: str | Callable[[Any], Callable], grad: Mapping | None = None,
           result: DType | None = None, formula: str | None = None, only_here: bool = False,
           alike: Mapping[str, str] | None = None, of_floats: str | None = None,
           engines: Sequence[EngineKernel] = (), holomorphic: bool = False, former: str = "", compiled: str = "",
           fails: str = "shapes", ordered: bool = False) -> Operator:
    """Declares an operator of x and y: `function` is named in `xp`, or given `xp` and gives the function.

    `of_floats` names the one of NumPy that it is for floats and complex numbers.
    """
    of = functools.partial(_named, function) if isinstance(function, str) else function

    def kernel(xp, x, y, *, axis: int = -1):
        return of(xp)(x, y) if axis == -1 else find(type).kernel_for(xp)(xp, *aligned(x, y, axis))

    def infer(x, y, *, axis=-1):
        shapes = [x.shape, y.shape]
        if axis != -1 and x.rank != y.rank:
            small = x.rank > y.rank  # the place of the one with fewer dimensions
            shapes[small] += (1,) * ones_behind(type, abs(x.rank - y.rank), axis)
        return Spec(broadcast_shapes(type, *shapes), result or promote(x.dtype, y.dtype))

    return operator(type, "X, Y -> Out", kernel=kernel, infer=infer, grad=grad, promotes=True,
                    ufunc=function if isinstance(function, str) else of_floats, ufunc_for="fc" if of_floats else "",
                    formula=formula and (lambda axis: formula if axis == -1 else None), only_here=only_here,
                    alike=alike, engines=engines, holomorphic=holomorphic, former=former, compiled=compiled,
                    fails=fails, ordered=ordered)


def _named(name: str, xp: Any) -> Callable:
    return getattr(xp, name)


def _scale(xp, x, scale_tensor=None, *, scale: float = 1.0, bias: float = 0.0, bias_after_scale: bool = True):
    if scale_tensor is None and x.dtype.kind == "f":
        if bias == 0.0:
            return x * scale
        if scale == 1.0:
            return x + bias
    factor = scale if scale_tensor is None else scale_tensor.reshape(()).astype(x.dtype)
    if x.dtype.kind not in "iub":
        return _scaled(x, factor, bias, bias_after_scale)
    factor = factor if scale_tensor is not None else _whole(factor, x.dtype)
    return _scaled(x, factor, _whole(bias, x.dtype), bias_after_scale).astype(x.dtype, copy=False)


def _scaled(x: Any, factor: Any, bias: Any, bias_after_scale: bool) -> Any:
    if not bias_after_scale:
        x, bias = (x + bias if bias else x), 0
    if isinstance(factor, (int, float)) and factor == 1:
        return x + bias
    x = x * factor
    return x + bias if bias else x


def _whole(number: Any, dtype: Any) -> Any:
    """A number as an integer of the dtype: cut towards zero, with its lowest bits where it is too large."""
    if not math.isfinite(number):
        return number
    return int(number) if dtype.kind == "b" else dt.from_numpy_dtype(dtype).wrapped(int(number))


scale_op = operator(
    "scale", "X, ScaleTensor? -> Out", kernel=_scale, infer=same, holomorphic=True,
    formula="X * scale + bias if bias_after_scale else (X + bias) * scale", loop_from=1 << 14,
    with_number={"scale": "multiply", "bias": "add"},
    grad={"X": lambda g, ScaleTensor, scale: apply(scale_op, g, ScaleTensor, scale=scale)}, alike={"X": "g * scale"},
    compiled="scale")


def _divide(xp):
    """The quotient; of integers that of files and of Paddle 1.x, cut towards zero (`x / y` makes floats of them)."""
    return lambda x, y: xp.divide(x, y) if x.dtype.kind not in "iu" else cut_quotient(xp, x, y)


def _powers(xp):
    """x to the power of y, which of integers may be negative: the whole part of the fraction."""
    return lambda x, y: xp.power(x, y) if {x.dtype.kind, y.dtype.kind} != {"i"} else whole_power(xp, x, y)


_LARGE = 1 << 15  # elements of an array that several threads are worth an operator's call for; others are NumPy's


def _product(x: Any, y: Any, axis: int = -1) -> Any:
    """x * y in a rule, where arrays are NumPy's own."""
    return x * y if axis == -1 and not is_large(x) else apply(multiply_op, x, y, axis=axis)


def is_large(x: Any) -> bool:
    """Whether a rule is given a large array of the host."""
    return type(x) is np.ndarray and x.size >= _LARGE


def _times(g: Any, y: Any, axis: int) -> Any:
    """The gradient times the conjugate of y."""
    return _product(g, conj_of(y) if y.dtype.kind == "c" else y, axis)


def _masked(g: Any, mask: Any) -> Any:
    """The gradient where the mask is true, 0 elsewhere."""
    return _product(g, cast(mask, dtype_of(g)))


add_op = binary("elementwise_add", "add", {
    "X": lambda g, X_shape, axis: sum_along(g, X_shape, axis),
    "Y": lambda g, Y_shape, axis, to_leaf: sum_along(g, Y_shape, axis, to_leaf)}, formula="X + Y",
    alike={"X": "g", "Y": "g"})
subtract_op = binary("elementwise_sub", "subtract", {
    "X": lambda g, X_shape, axis: sum_along(g, X_shape, axis),
    "Y": lambda g, Y_shape, axis: sum_along(-g, Y_shape, axis)}, formula="X - Y",
    alike={"X": "g", "Y": "-g"})
multiply_op = binary("elementwise_mul", "multiply", {
    "X": lambda g, Y, X_shape, axis: sum_along(_times(g, Y, axis), X_shape, axis),
    "Y": lambda g, X, Y_shape, axis: sum_along(_times(g, X, axis), Y_shape, axis)}, formula="X * Y",
    alike={"X": "g * Y", "Y": "g * X"})
divide_op = binary("elementwise_div", _divide, {
    "X": lambda g, Y, X_shape, axis: sum_along(apply(divide_op, g, conj_of(Y), axis=axis), X_shape, axis),
    "Y": lambda g, Y, Out, Y_shape, axis: sum_along(
        apply(divide_op, _product(g, conj_of(Out)), conj_of(-Y), axis=axis), Y_shape, axis)},
    formula="X / Y", of_floats="divide")
floor_divide_op = binary(
    "elementwise_floordiv", refusing_zero("floor_divide"), of_floats="floor_divide", compiled="floor_divide",
    fails="values", engines=[by(LOOPS, fast.floor_divide, fast.LEAST)])
mod_op = binary("elementwise_mod", refusing_zero("mod"), {
    "X": lambda g, X_shape, axis: sum_along(g, X_shape, axis),
    "Y": lambda g, X, Y, Y_shape, axis: sum_along(
        -g * apply(floor_divide_op, X, Y, axis=axis), Y_shape, axis)}, of_floats="mod", compiled="remainder",
    fails="values", engines=[by(LOOPS, fast.remainder, fast.LEAST)])


def _power_below(x: Any, y: Any, axis: int) -> Any:
    """x to the power of y - 1, but 1 where both are 0: times y, the slope of 0 to the power of 0 is 0."""
    both = apply(multiply_op, cast(x == 0.0, dtype_of(y)), cast(y == 0.0, dtype_of(y)), axis=axis)
    return apply(pow_op, x, apply(add_op, both, y - 1, axis=axis), axis=axis)


pow_op = binary("elementwise_pow", _powers, {
    "X": lambda g, X, Y, X_shape, axis: sum_along(
        g * apply(multiply_op, _power_below(X, Y, axis), Y, axis=axis), X_shape, axis),
    "Y": lambda g, X, Out, Y_shape, axis: sum_along(
        apply(multiply_op, g * Out, _log_or_zero(X), axis=axis), Y_shape, axis)},
    formula="pow(X, Y)", of_floats="power", holomorphic=True, former="Out")
# of equals, the gradient is y's

maximum_op = binary("elementwise_max", "maximum", {
    "X": lambda g, X, Y, X_shape, axis: sum_along(_masked(g, apply(greater_than_op, X, Y, axis=axis)), X_shape, axis),
    "Y": lambda g, X, Y, Y_shape, axis: sum_along(
        _masked(g, apply(less_equal_op, X, Y, axis=axis)), Y_shape, axis)}, formula="max(X, Y)", ordered=True)
minimum_op = binary("elementwise_min", "minimum", {
    "X": lambda g, X, Y, X_shape, axis: sum_along(_masked(g, apply(less_than_op, X, Y, axis=axis)), X_shape, axis),
    "Y": lambda g, X, Y, Y_shape, axis: sum_along(
        _masked(g, apply(greater_equal_op, X, Y, axis=axis)), Y_shape, axis)}, formula="min(X, Y)", ordered=True)

equal_op = binary("equal", "equal", result=dt.bool_, formula="X == Y")
not_equal_op = binary("not_equal", "not_equal", result=dt.bool_, formula="X != Y")
less_than_op = binary("less_than", "less", result=dt.bool_, formula="X < Y", ordered=True)
less_equal_op = binary("less_equal", "less_equal", result=dt.bool_, formula="X <= Y", ordered=True)
greater_than_op = binary("greater_than", "greater", result=dt.bool_, formula="X > Y", ordered=True)
greater_equal_op = binary("greater_equal", "greater_equal", result=dt.bool_, formula="X >= Y", ordered=True)
logical_and_op = binary("logical_and", "logical_and", result=dt.bool_, formula="X and Y")
logical_or_op = binary("logical_or", "logical_or", result=dt.bool_, formula="X or Y")
logical_xor_op = binary("logical_xor", "logical_xor", result=dt.bool_)
bitwise_and_op = binary("bitwise_and", "bitwise_and")
bitwise_or_op = binary("bitwise_or", "bitwise_or")
bitwise_xor_op = binary("bitwise_xor", "bitwise_xor")


def _power(xp, x, factor_tensor=None, *, factor: float = 1.0):
    if factor_tensor is not None:
        return xp.power(x, factor_tensor.reshape(()).astype(x.dtype))
    if factor == 2:
        return x * x
    if factor == 3 and x.dtype.kind == "f":
        return x * x * x  # as loops compute it, and several times as fast as a power
    if x.dtype.kind in "iu" and factor == int(factor):
        factor = int(factor)
        if factor < 0:  # a whole part is left of 1 and -1 alone, by whether the power is even
            return x * (x == 1) if x.dtype.kind == "u" else whole_power(xp, x, xp.full((), factor % 2 - 2, x.dtype))
    return xp.power(x, factor)


def _power_gradient(g: Any, x: Any, factor_tensor: Any, factor: float) -> Any:
    if factor_tensor is not None:
        return g * factor_tensor * apply(power_op, x, factor_tensor - 1)
    if factor == 1:
        return g
    if factor == 0:
        return apply(fill_zeros_like, g)
    slope = _product(x, x) if factor == 3 else x if factor == 2 else apply(power_op, x, None, factor=factor - 1.0)
    return _product(g, apply(scale_op, slope, scale=factor) if is_large(slope) else slope * factor)


_POWERS = {1.0: "X", 2.0: "X * X", 3.0: "X * X * X", 0.5: "sqrt(X)", -1.0: "1.0 / X"}

power_op = operator("pow", "X, FactorTensor? -> Out", kernel=_power, infer=same,
                    formula=lambda factor: _POWERS.get(factor, "pow(X, factor)"), loop_from=1 << 9, grad={
    "X": lambda g, X, FactorTensor, factor: _power_gradient(g, X, FactorTensor, factor)}, precision="black",
                    holomorphic=True)


def _log_or_zero(x: Any) -> Any:
    """log(x), and 0 at 0: the slope of x**y in y, over x**y; NaN where x is negative and x**y has no slope."""
    return apply(log_positive_op, x)


log_positive_op = operator(
    "log_positive", "X -> Out",
    kernel=lambda xp, x: xp.log(xp.where(x != 0, x, xp.ones_like(x))), infer=same,
    grad={"X": lambda g, X: apply(divide_op, _masked(g, X != 0), X)},
    only_here=True)

conj_op = operator("conj", "X -> Out", kernel=lambda xp, x: xp.conj(x), infer=same,
                   grad={"X": lambda g: apply(conj_op, g)})
serve_conjugation(conj_op)


def conj_of(x: Any) -> Any:
    """The complex conjugate; a real value as it is."""
    return apply(conj_op, x) if x.dtype.kind == "c" else x


@results_named("elementwise_add", bare=True)
def add(x: Any, y: Any, name: str | None = None) -> Any:
    """x + y, element by element, broadcasting.

    >>> import proa as paddle
    >>> paddle.add(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])).tolist()
    [4, 6]
    """
    if getattr(y, "_is_proa_value", False):
        return apply(add_op, x, y)
    if isinstance(y, NUMBERS):
        x, y = with_term(x, y)
        return apply(scale_op, x, None, bias=y)
    return apply(add_op, *operand(x, y))


@results_named("elementwise_sub", bare=True)
def subtract(x: Any, y: Any, name: str | None = None) -> Any:
    """x - y, element by element, broadcasting.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.subtract(x, y).tolist()
    [4.0, -4.0]
    """
    if getattr(y, "_is_proa_value", False):
        return apply(subtract_op, x, y)
    if isinstance(y, NUMBERS):
        x, y = with_term(x, y)
        return apply(scale_op, x, None, bias=-y)
    return apply(subtract_op, *operand(x, y))


def rsub(x: Any, y: Any) -> Any:
    """y - x, where y is no value."""
    if isinstance(y, NUMBERS):
        x, y = with_term(x, y)
        return apply(scale_op, x, None, scale=-1.0, bias=y)
    return apply(subtract_op, constant(y), x)


@results_named("elementwise_mul", bare=True)
def multiply(x: Any, y: Any, name: str | None = None) -> Any:
    """x * y, element by element, broadcasting.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.multiply(x, y).tolist()
    [12.0, 32.0]
    """
    if getattr(y, "_is_proa_value", False):
        return apply(multiply_op, x, y)
    if isinstance(y, NUMBERS):
        x, y = with_term(x, y)
        return apply(scale_op, x, None, scale=y)
    return apply(multiply_op, *operand(x, y))


@results_named("elementwise_div", bare=True)
def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, element by element, broadcasting; integers are divided as floats.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.divide(x, y).tolist()
    [3.0, 0.5]
    """
    if getattr(y, "_is_proa_value", False):
        return apply(divide_op, as_floating(x), as_floating(y))
    if isinstance(y, NUMBERS) and y != 0:
        x, y = with_number(as_floating(x), y)
        return apply(scale_op, x, None, scale=1.0 / y)
    x, y = operand(as_floating(x), y)
    return apply(divide_op, x, as_floating(y))


def _reversed(function: Callable) -> Callable:
    def reversed_function(x: Any, y: Any) -> Any:
        x, y = operand(x, y)
        return function(y, x)

    return reversed_function


def _reverse_divide(x: Any, y: Any) -> Any:
    x, y = operand(as_floating(x), y)
    return divide(y, x)


@results_named("elementwise_floordiv", bare=True)
def floor_divide(x: Any, y: Any, name: str | None = None) -> Any:
    """x // y, rounded down, element by element, broadcasting.

    ZeroDivisionError where an integer is divided by 0 on the host; on a device that is what CuPy makes of it.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([7, -7]), paddle.to_tensor([2, 2])
    >>> paddle.floor_divide(x, y).tolist()
    [3, -4]
    """
    return apply(floor_divide_op, *operand(x, y))


@results_named("elementwise_mod", bare=True)
def mod(x: Any, y: Any, name: str | None = None) -> Any:
    """x % y, with the sign of y. ZeroDivisionError where an integer is divided by 0, as `floor_divide`.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.mod(x, y).tolist()
    [0.0, 4.0]
    """
    return apply(mod_op, *operand(x, y))


remainder = floor_mod = mod


def pow(x: Any, y: Any, name: str | None = None) -> Any:
    """x ** y, element by element; y is a number or a tensor. Integers stay integers where y is a whole number.

    >>> import proa as paddle
    >>> paddle.pow(paddle.to_tensor([2.0, 3.0]), 2).tolist()
    [4.0, 9.0]
    """
    if isinstance(y, (float, np.floating)) and float(y).is_integer() and dtype_of(x).is_integer:
        y = int(y)
    return _power_operator(x, y)


def _power_operator(x: Any, y: Any) -> Any:
    """x ** y: integers become floating where y is a float, whatever its value."""
    if isinstance(y, NUMBERS):
        x, y = with_number(x, y)
        return apply(power_op, x, None, factor=y)
    return apply(pow_op, *operand(x, y))


@results_named("elementwise_max", bare=True)
def maximum(x: Any, y: Any, name: str | None = None) -> Any:
    """The larger of x and y, element by element.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.maximum(x, y).tolist()
    [6.0, 8.0]
    """
    return apply(maximum_op, *operand(x, y))


@results_named("elementwise_min", bare=True)
def minimum(x: Any, y: Any, name: str | None = None) -> Any:
    """The smaller of x and y, element by element.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.minimum(x, y).tolist()
    [2.0, 4.0]
    """
    return apply(minimum_op, *operand(x, y))


def scale(x: Any, scale: Any = 1.0, bias: float = 0.0, bias_after_scale: bool = True, act: str | None = None,
          name: str | None = None) -> Any:
    """x * scale + bias, or (x + bias) * scale; `scale` is a number or a one-element tensor.

    In x's dtype: to integers both numbers are integers, cut towards zero. `x * 2.5` makes floats of them. `act` names
    an operator that the result then goes through, such as "relu"; ValueError where there is none of that name.

    >>> import proa as paddle
    >>> paddle.scale(paddle.to_tensor([1.0, 2.0]), 2.0, bias=1.0).tolist()
    [3.0, 5.0]
    """
    tensor = scale if is_value(scale) else None
    scale, bias = _plain(scale), _plain(bias)
    scaled = apply(scale_op, x, tensor, scale=1.0 if tensor is not None else scale, bias=bias,
                   bias_after_scale=bias_after_scale)
    return scaled if act is None else activated("scale(act)", scaled, act)


def activated(what: str, value: Any, activation: str | None) -> Any:
    """The value after the operator of that type, with its default attributes; ValueError where there is none."""
    if activation is None:
        return value
    if not isinstance(activation, str) or not is_declared(activation):
        raise ValueError(f"{what}: must be the name of an operator, such as 'relu'. Received {activation!r}.")
    return apply(find(activation), value)


def into(out: Any, result: Any) -> Any:
    """The result; in a Program, where an `out` is given, that one, which then has the result."""
    return result if out is None or current_trace().computes else out._assigned(result)


def _plain(value: Any) -> Any:
    """A number of NumPy's as Python's: NumPy's own would decide the dtype of what it meets."""
    return value.item() if isinstance(value, (np.number, np.bool_)) else value


def neg(x: Any, name: str | None = None) -> Any:
    """-x.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-1.5, 1.5], "float64")
    >>> paddle.neg(x).numpy().round(3).tolist()
    [1.5, -1.5]
    """
    return apply(scale_op, x, None, scale=-1.0)


#: The operators of Python's syntax, as methods of Tensor and Variable.
SYNTAX: Mapping[str, Callable] = {
    "__add__": add, "__radd__": add,
    "__sub__": subtract, "__rsub__": rsub,
    "__mul__": multiply, "__rmul__": multiply,
    "__truediv__": divide, "__rtruediv__": _reverse_divide,
    "__div__": divide, "__rdiv__": _reverse_divide,  # as Python 2 called them: packages look them up still
    "__floordiv__": floor_divide, "__rfloordiv__": _reversed(floor_divide),
    "__mod__": mod, "__rmod__": _reversed(mod),
    "__pow__": _power_operator, "__rpow__": _reversed(pow),
    "__neg__": neg,
}

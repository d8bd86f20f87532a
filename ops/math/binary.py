"""Two operands, element by element, beyond arithmetic: atan2, fmax, fmin, gcd, lcm, heaviside, nextafter, lerp."""

from collections.abc import Callable
from typing import Any

from ...core import dtype as dt
from ...core.dtype import promote
from ..array.full import fill_zeros_like, full
from ..array.gradient_shapes import sum_to
from ..array.where import spread
from ..core.infer import broadcast_shapes
from ..core.operator import operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply, state
from .casting import as_floating, cast, dtype_of, in_dtype
from .comparison import greater_equal, less_equal
from .elementwise import binary, maximum
from .operands import operand
from .unary import abs, exp, isnan, log1p, logical_not


def _infer_pair(x: Spec, y: Spec) -> Spec:
    return Spec(broadcast_shapes("atan2", x.shape, y.shape), promote(x.dtype, y.dtype))


atan2_op = operator(
    "atan2", "X1, X2 -> Out", kernel=lambda xp, x, y: xp.arctan2(x, y), ufunc="arctan2", ufunc_for="f",
    infer=_infer_pair, promotes=True,
    formula="atan2(X1, X2)", adapted=lambda x, y: (spread(x, y), {}),
    grad={"X1": lambda g, X1, X2, X1_shape: sum_to(g * X2 / (X1 * X1 + X2 * X2), X1_shape),
          "X2": lambda g, X1, X2, X2_shape: sum_to(g * X1 * -1.0 / (X1 * X1 + X2 * X2), X2_shape)})


def _wins(test: Callable, x: Any, y: Any, g: Any) -> Any:
    """1 where x is taken: y is NaN, or the test holds."""
    return cast(isnan(y) | test(x, y), dtype_of(g))


def _loses(test: Callable, x: Any, y: Any, g: Any) -> Any:
    return cast(logical_not(isnan(y) | test(x, y)), dtype_of(g))


fmax_op = binary("elementwise_fmax", "fmax", {
    "X": lambda g, X, Y, X_shape: sum_to(g * _wins(greater_equal, X, Y, g), X_shape),
    "Y": lambda g, X, Y, Y_shape: sum_to(g * _loses(greater_equal, X, Y, g), Y_shape)})
fmin_op = binary("elementwise_fmin", "fmin", {
    "X": lambda g, X, Y, X_shape: sum_to(g * _wins(less_equal, X, Y, g), X_shape),
    "Y": lambda g, X, Y, Y_shape: sum_to(g * _loses(less_equal, X, Y, g), Y_shape)})

heaviside_op = binary("elementwise_heaviside", lambda xp: lambda x, y: xp.where(x == 0, y, (x > 0).astype(x.dtype)), {
    "X": lambda g, X_shape: sum_to(apply(fill_zeros_like, g), X_shape),
    "Y": lambda g, X, Y_shape: sum_to(g * cast(X == 0.0, dtype_of(g)), Y_shape)})
gcd_op = binary("gcd", "gcd", only_here=True)
lcm_op = binary("lcm", "lcm", only_here=True)
nextafter_op = operator("nextafter", "x, y -> out", kernel=lambda xp, x, y: xp.nextafter(x, y), promotes=True,
                        infer=_infer_pair, adapted=lambda x, y: (spread(x, y), {}))


def _infer_lerp(x, y, weight):
    shape = broadcast_shapes("lerp", broadcast_shapes("lerp", x.shape, y.shape), weight.shape)
    return Spec(shape, promote(x.dtype, y.dtype))


lerp_op = operator(
    "lerp", "X, Y, Weight -> Out", kernel=lambda xp, x, y, weight: x + weight.astype(x.dtype, copy=False) * (y - x),
    infer=_infer_lerp,
    grad={"X": lambda g, Weight, X_shape: sum_to(g * (Weight * -1.0 + 1.0), X_shape),
          "Y": lambda g, Weight, Y_shape: sum_to(g * Weight, Y_shape),
          "Weight": lambda g, X, Y, Weight_shape: sum_to(g * (Y - X), Weight_shape)})


def _integers(what: str, *values: Any) -> None:
    for value in values:
        if dtype_of(value).is_differentiable or dtype_of(value) is dt.bool_:
            raise TypeError(f"{what}(x, y): must hold integers. Received {dtype_of(value)}.")


def atan2(x: Any, y: Any, name: str | None = None) -> Any:
    """The angle of the point (y, x), in radians from -π to π: the inverse tangent of x / y in the right quadrant.

    Of integers in float64.

    >>> import proa as paddle
    >>> round(paddle.atan2(paddle.to_tensor(1.0), paddle.to_tensor(-1.0)).item(), 4)
    2.3562
    """
    x, y = operand(x, y)
    if not (dtype_of(x).is_differentiable or dtype_of(y).is_differentiable):
        return apply(atan2_op, cast(x, dt.float64), cast(y, dt.float64))
    return apply(atan2_op, as_floating(x), as_floating(y))


@results_named("elementwise_fmax", bare=True)
def fmax(x: Any, y: Any, name: str | None = None) -> Any:
    """The larger of two, element by element; the other one where one is NaN.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.fmax(x, y).tolist()
    [6.0, 8.0]
    """
    return apply(fmax_op, x, y)


@results_named("elementwise_fmin", bare=True)
def fmin(x: Any, y: Any, name: str | None = None) -> Any:
    """The smaller of two, element by element; the other one where one is NaN.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([6.0, 4.0]), paddle.to_tensor([2.0, 8.0])
    >>> paddle.fmin(x, y).tolist()
    [2.0, 4.0]
    """
    return apply(fmin_op, x, y)


@results_named("elementwise_heaviside", bare=True)
def heaviside(x: Any, y: Any, name: str | None = None) -> Any:
    """0 where x is negative, 1 where it is positive, y where it is 0.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([-1.0, 0.0, 2.0]), paddle.to_tensor([0.5, 0.5, 0.5])
    >>> paddle.heaviside(x, y).tolist()
    [0.0, 0.5, 1.0]
    """
    return apply(heaviside_op, x, y)


def gcd(x: Any, y: Any, name: str | None = None) -> Any:
    """The greatest common divisor of integers, not negative. Raises TypeError for other dtypes.

    >>> import proa as paddle
    >>> paddle.gcd(paddle.to_tensor([12, 0]), paddle.to_tensor([20, 5])).tolist()
    [4, 5]
    """
    _integers("gcd", x, y)
    return apply(gcd_op, x, y)


def lcm(x: Any, y: Any, name: str | None = None) -> Any:
    """The least common multiple of integers, not negative. Raises TypeError for other dtypes.

    >>> import proa as paddle
    >>> paddle.lcm(paddle.to_tensor([4, 6]), paddle.to_tensor([6, 9])).tolist()
    [12, 18]
    """
    _integers("lcm", x, y)
    return apply(lcm_op, x, y)


def nextafter(x: Any, y: Any, name: str | None = None) -> Any:
    """The next number that can be represented after x in the direction of y.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0], "float64")
    >>> (paddle.nextafter(x, x + 1) - x).item() == 2.0 ** -52
    True
    """
    return apply(nextafter_op, x, y)


def lerp(x: Any, y: Any, weight: Any, name: str | None = None) -> Any:
    """x + weight · (y - x).

    >>> import proa as paddle
    >>> paddle.lerp(paddle.to_tensor([1.0]), paddle.to_tensor([3.0]), 0.25).tolist()
    [1.5]
    """
    dtype = promote(dtype_of(x), dtype_of(y))
    if not dtype.is_differentiable:
        raise TypeError(f"lerp(x, y): what lies between whole numbers is none. Received {dtype.name}; convert them "
                        "first: x.astype('float32').")
    is_number = isinstance(weight, (int, float))
    weight = state.trace.number(weight, dtype) if is_number else in_dtype(state.trace.lift(weight, "weight"), dtype)
    return apply(lerp_op, in_dtype(x, dtype), in_dtype(y, dtype), weight)


def hypot(x: Any, y: Any, name: str | None = None) -> Any:
    """√(x² + y²).

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([3.0, 6.0]), paddle.to_tensor([4.0, 8.0])
    >>> paddle.hypot(x, y).tolist()
    [5.0, 10.0]
    """
    x, y = as_floating(x), as_floating(y)
    return (x * x + y * y) ** 0.5


def logaddexp(x: Any, y: Any, name: str | None = None) -> Any:
    """log(eˣ + eʸ), without overflow.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([0.0, 1.0], "float64"), paddle.to_tensor([0.0, 2.0], "float64")
    >>> paddle.logaddexp(x, y).numpy().round(3).tolist()
    [0.693, 2.313]
    """
    x, y = as_floating(x), as_floating(y)
    return log1p(exp(abs(x - y) * -1.0)) + maximum(x, y)


def ldexp(x: Any, y: Any, name: str | None = None) -> Any:
    """x · 2ʸ.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([2, 3])
    >>> paddle.ldexp(x, y).tolist()
    [4.0, 24.0]
    """
    x = as_floating(x)
    dtype = promote(promote(dtype_of(x), dtype_of(y)), dt.get_default_dtype_object())
    return in_dtype(x, dtype) * full((), 2.0, dtype) ** in_dtype(y, dtype)

"""One operand, element by element: exp, log, sqrt, trigonometry, rounding, tests for NaN and infinity."""


from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend import numpy_1
from ...backend.devices import device_type_with
from ...backend.engines import LOOPS
from ...backend.kernels import elementwise as fast
from ...core import dtype as dt
from ..core.infer import promoting, same, with_dtype
from ..core.kernels import by
from ..core.operator import Operator, find, operator
from ..core.result_names import results_named
from ..core.spec import Spec
from .casting import cast, dtype_of
from .elementwise import apply, equal_op, into, scale_op, subtract


def _unary(type: str, function: str | Callable, grad: Callable | None = None, formula: str | None = None,
           loop: Callable | None = None, precision: str = "gray", compiled: str = "",
           ufunc: str | None = None, former: str = "", alike: str | None = None) -> Operator:
    """Floating in, floating out; the function is given `xp` and `x`, or named in `xp`. `ufunc`: NumPy's, that it is."""
    ufunc = function if isinstance(function, str) else ufunc
    kernel = function if callable(function) else lambda xp, x: getattr(xp, function)(x)
    return operator(type, "X -> Out", kernel=kernel, infer=same, formula=formula,
                    grad={"X": grad} if grad else None, ufunc=ufunc, precision=precision, compiled=compiled,
                    holomorphic=grad is not None, engines=[by(LOOPS, loop, fast.LEAST)] if loop else [], former=former,
                    alike={"X": alike} if alike else None)


def _of_floats(type: str, function: str, grad: Callable, formula: str | None = None,
               precision: str = "gray") -> Operator:
    """The same of a function of NumPy's; of whole numbers it gives float32, as PaddlePaddle's kernels do."""
    def kernel(xp, x):
        return getattr(xp, function)(x.astype("float32") if x.dtype.kind in "iub" else x)

    return operator(type, "X -> Out", kernel=kernel, infer=_infer_floats, formula=formula, grad={"X": grad},
                    fails="never", ufunc=function, ufunc_for=_FLOATS, narrow=True, precision=precision,
                    holomorphic=True)


def _infer_floats(x: Spec) -> Spec:
    return x if x.dtype.is_differentiable else Spec(x.shape, dt.float32)


_FLOATS = "fcV"  # V: bfloat16
_NUMBERS = "fciub"  # the kinds of dtypes of which NumPy has them
_TWO_OVER_SQRT_PI = 1.1283791670955126

exp_op = _of_floats("exp", "exp", lambda g, Out: g * Out, "exp(X)", precision="black")
expm1_op = _of_floats("expm1", "expm1", lambda g, Out: g * (Out + 1.0), "expm1(X)", precision="black")
log_op = _of_floats("log", "log", lambda g, X: g / X, "log(X)", precision="black")
log2_op = _of_floats("log2", "log2", lambda g, X: g / (X * 0.6931471805599453),
                     "log(X) * 1.4426950408889634", precision="black")
log10_op = _of_floats("log10", "log10", lambda g, X: g / (X * 2.302585092994046), precision="black")
log1p_op = _of_floats("log1p", "log1p", lambda g, X: g / (X + 1.0), "log1p(X)")
sqrt_op = _unary("sqrt", "sqrt", lambda g, Out: g / (Out * 2.0), "sqrt(X)")
rsqrt_op = _unary("rsqrt", lambda xp, x: xp.reciprocal(xp.sqrt(x)), lambda g, Out: g * (Out * Out * Out * -0.5),
                  "1.0 / sqrt(X)", precision="black", compiled="rsqrt")
square_op = _unary("square", "square", lambda g, X: g * (X * 2.0), "X * X", precision="black")
reciprocal_op = _unary("reciprocal", lambda xp, x: 1 / x, lambda g, Out: g * (Out * Out * -1.0), "1.0 / X",
                       precision="black")
sin_op = _unary("sin", "sin", lambda g, X: g * cos(X), loop=fast.sin)
cos_op = _unary("cos", "cos", lambda g, X: g * (sin(X) * -1.0), loop=fast.cos)
tan_op = _unary("tan", "tan", lambda g, Out: g * (Out * Out + 1.0), precision="black", former="Out")
asin_op = _unary("asin", "arcsin", lambda g, X: g * rsqrt(X * X * -1.0 + 1.0), precision="black")
acos_op = _unary("acos", "arccos", lambda g, X: g * (rsqrt(X * X * -1.0 + 1.0) * -1.0), precision="black")
atan_op = _unary("atan", "arctan", lambda g, X: g / (X * X + 1.0), "atan(X)")
sinh_op = _unary("sinh", "sinh", lambda g, X: g * cosh(X), precision="black")
cosh_op = _unary("cosh", "cosh", lambda g, X: g * sinh(X), "cosh(X)", precision="black")
tanh_op = _unary("tanh", "tanh", lambda g, Out: g * (Out * Out * -1.0 + 1.0), "tanh(X)")
asinh_op = _unary("asinh", "arcsinh", lambda g, X: g * rsqrt(X * X + 1.0))
acosh_op = _unary("acosh", "arccosh", lambda g, X: g * _slope_of_acosh(X))
atanh_op = _unary("atanh", "arctanh", lambda g, X: g / (X * X * -1.0 + 1.0), precision="black")


def _slope_of_acosh(x: Any) -> Any:
    """Of complex numbers left of 0 the root of x * x - 1 is the other one of two."""
    return rsqrt(x - 1.0) * rsqrt(x + 1.0) if dtype_of(x).is_complex else rsqrt(x * x - 1.0)


def _times_sign(xp, g, x):
    return xp.where(x > 0, g, xp.where(x < 0, -g, x))  # what is left is 0, or NaN


times_sign_op = operator(  # 0 at 0, be the gradient as large as it may: the slope of sqrt(abs(x)) is no NaN there
    "times_sign", "G, X -> Out", kernel=_times_sign, infer=promoting(same),
    formula="G if X > 0.0 else (-G if X < 0.0 else X)",
    composed=lambda g, x: apply(find("where"), apply(equal_op, x, x * 0.0), x * 0.0, g * sign(x)),
    grad={"G": lambda g, X: apply(times_sign_op, g, X)})


def _abs_gradient(g: Any, x: Any) -> Any:
    if not dtype_of(x).is_complex:
        return apply(times_sign_op, g, x)
    length = abs(x)
    at_zero = cast(apply(equal_op, length, length * 0.0), length.dtype)  # the direction of 0 is 0, and moves nowhere
    return g * (1.0 - at_zero) * (x / cast(length + at_zero, x.dtype))


abs_op = operator("abs", "X -> Out", kernel=lambda xp, x: xp.abs(x), formula="abs(X)", ufunc="absolute",
                  ufunc_for=_NUMBERS, grad={"X": lambda g, X: _abs_gradient(g, X)},
                  infer=lambda x: x if not x.dtype.is_complex else Spec(
                      x.shape, dt.float32 if x.dtype is dt.complex64 else dt.float64))


def _flat(g: Any) -> Any:
    """The gradient of a function that is constant wherever it has a slope: 0, of an infinite one from above too."""
    return apply(find("fill_zeros_like"), g)


_NOTHING = "chosen(g > g, g, 0.0)"  # what that comes to


def _sign(xp: Any, x: Any) -> Any:
    """NumPy 1 and CuPy take a complex number's by its real part."""
    if x.dtype.kind != "c" or (xp is np and not numpy_1.IS_OLD):
        return xp.sign(x)
    length = xp.abs(x)
    return x / xp.where(length == 0, length.dtype.type(1), length)


sign_op = _unary("sign", _sign, _flat, "(1.0 if X > 0.0 else 0.0) - (1.0 if X < 0.0 else 0.0) if X == X else X",
                 ufunc=None if numpy_1.IS_OLD else "sign", alike=_NOTHING)
floor_op = _unary("floor", numpy_1.whole("floor"), _flat, "floor(X)", alike=_NOTHING)
ceil_op = _unary("ceil", numpy_1.whole("ceil"), _flat, "ceil(X)", alike=_NOTHING)
round_op = _unary("round", lambda xp, x: _round_half_away(xp, x), _flat, "copysign(floor(abs(X) + 0.5), X)",
                  compiled="round", alike=_NOTHING)
trunc_op = _unary("trunc", numpy_1.whole("trunc"), _flat, "truncate(X)", alike=_NOTHING)
erf_op = _unary("erf", lambda xp, x: error_function(xp, x),
                lambda g, X: g * (exp(X * X * -1.0) * _TWO_OVER_SQRT_PI), "erf(X)")

erfc_op = operator("erfc", "X -> Out", kernel=lambda xp, x: complementary_error_function(xp, x), infer=same, grad={
    "X": lambda g, X: g * (exp(X * X * -1.0) * -_TWO_OVER_SQRT_PI)}, only_here=True)

logical_not_op = operator("logical_not", "X -> Out", kernel=lambda xp, x: xp.logical_not(x), infer=with_dtype(dt.bool_),
                          formula="not X", ufunc="logical_not", ufunc_for=_NUMBERS)
bitwise_not_op = operator("bitwise_not", "X -> Out", kernel=lambda xp, x: xp.invert(x), infer=same,
                          ufunc="invert", ufunc_for="iub")
isnan_op = operator("isnan_v2", "X -> Out", kernel=lambda xp, x: xp.isnan(x), infer=with_dtype(dt.bool_),
                    formula="X != X", lod="drop", ufunc="isnan", ufunc_for=_NUMBERS)
isinf_op = operator("isinf_v2", "X -> Out", kernel=lambda xp, x: xp.isinf(x), infer=with_dtype(dt.bool_), lod="drop",
                     ufunc="isinf", ufunc_for=_NUMBERS)
isfinite_op = operator("isfinite_v2", "X -> Out", kernel=lambda xp, x: xp.isfinite(x), infer=with_dtype(dt.bool_),
                       lod="drop", ufunc="isfinite", ufunc_for=_NUMBERS)


def _round_half_away(xp: Any, x: Any) -> Any:
    """Halves go away from zero, as in Paddle; NumPy's own rule sends them to the even neighbour."""
    if x.dtype.kind in "iub":
        return x.copy()
    return xp.trunc(xp.copysign(0.5, x) + x)


def error_function(xp: Any, x: Any) -> Any:
    """The error function by rational approximations that are exact to float32, or to float64 for float64."""
    if xp is not np:
        return device_type_with(xp).special.erf(x).astype(x.dtype, copy=False)
    from .erf import erf as host_erf

    return host_erf(x)


def complementary_error_function(xp: Any, x: Any) -> Any:
    """1 - erf(x), which keeps its digits where it is small."""
    if xp is not np:
        return device_type_with(xp).special.erfc(x).astype(x.dtype, copy=False)
    from .erf import erfc as host_erfc

    return host_erfc(x)


def _function(op: Operator, doc: str, name: str, floating: bool = True,
              shown: tuple[str, str] | None = None) -> Callable:
    """The public function of an operator; `shown`: values of an example, and what it gives for them."""
    def function(x: Any, name: str | None = None) -> Any:
        if not dtype_of(x).is_differentiable:
            x = cast(x, dt.get_default_dtype_object())
        return apply(op, x)

    def of_any(x: Any, name: str | None = None) -> Any:
        return apply(op, x)

    function = function if floating else of_any
    function.__name__ = function.__qualname__ = name
    function.__code__ = function.__code__.replace(co_name=name)  # what tracebacks and messages show
    digits = ".numpy().round(3)" if floating else ""
    function.__doc__ = doc if shown is None else f"""{doc}

    >>> import proa as paddle
    >>> paddle.{name}(paddle.to_tensor({shown[0]}, "float64")){digits}.tolist()
    {shown[1]}
    """
    return function


exp = _function(exp_op, "e to the power of x, element by element.", "exp", shown=("[0.0, 0.5]", "[1.0, 1.649]"))
expm1 = _function(expm1_op, "exp(x) - 1, precise for small x.", "expm1", shown=("[0.0, 0.5]", "[0.0, 0.649]"))
log = _function(log_op, "The natural logarithm.", "log", shown=("[1.0, 2.0]", "[0.0, 0.693]"))
log2 = _function(log2_op, "The logarithm to base 2.", "log2", shown=("[1.0, 8.0]", "[0.0, 3.0]"))
log10 = _function(log10_op, "The logarithm to base 10.", "log10", shown=("[1.0, 100.0]", "[0.0, 2.0]"))
log1p = _function(log1p_op, "log(1 + x), precise for small x.", "log1p", shown=("[0.0, 0.5]", "[0.0, 0.405]"))
sqrt = _function(sqrt_op, "The square root.", "sqrt", shown=("[4.0, 9.0]", "[2.0, 3.0]"))
rsqrt = _function(rsqrt_op, "1 / sqrt(x).", "rsqrt", shown=("[1.0, 4.0]", "[1.0, 0.5]"))
square = _function(square_op, "x * x.", "square", floating=False, shown=("[2.0, -3.0]", "[4.0, 9.0]"))
reciprocal = _function(reciprocal_op, "1 / x.", "reciprocal", shown=("[2.0, -4.0]", "[0.5, -0.25]"))
sin = _function(sin_op, "The sine, x in radians.", "sin", shown=("[0.0, 0.5]", "[0.0, 0.479]"))
cos = _function(cos_op, "The cosine, x in radians.", "cos", shown=("[0.0, 0.5]", "[1.0, 0.878]"))
tan = _function(tan_op, "The tangent, x in radians.", "tan", shown=("[0.0, 0.5]", "[0.0, 0.546]"))
asin = _function(asin_op, "The inverse sine, in radians.", "asin", shown=("[0.0, 0.5]", "[0.0, 0.524]"))
acos = _function(acos_op, "The inverse cosine, in radians.", "acos", shown=("[0.0, 0.5]", "[1.571, 1.047]"))
atan = _function(atan_op, "The inverse tangent, in radians.", "atan", shown=("[0.0, 0.5]", "[0.0, 0.464]"))
sinh = _function(sinh_op, "The hyperbolic sine.", "sinh", shown=("[0.0, 0.5]", "[0.0, 0.521]"))
cosh = _function(cosh_op, "The hyperbolic cosine.", "cosh", shown=("[0.0, 0.5]", "[1.0, 1.128]"))
tanh = _function(tanh_op, "The hyperbolic tangent.", "tanh", shown=("[0.0, 0.5]", "[0.0, 0.462]"))
asinh = _function(asinh_op, "The inverse hyperbolic sine.", "asinh", shown=("[0.0, 0.5]", "[0.0, 0.481]"))
acosh = _function(acosh_op, "The inverse hyperbolic cosine.", "acosh", shown=("[1.0, 2.0]", "[0.0, 1.317]"))
atanh = _function(atanh_op, "The inverse hyperbolic tangent.", "atanh", shown=("[0.0, 0.5]", "[0.0, 0.549]"))
abs = _function(abs_op, "The absolute value; of a complex number its magnitude.", "abs", floating=False,
                shown=("[-1.5, 2.0]", "[1.5, 2.0]"))
sign = _function(sign_op, "-1, 0 or 1 after the sign of x.", "sign", floating=False,
                 shown=("[-2.0, 0.0, 3.0]", "[-1.0, 0.0, 1.0]"))
floor = _function(floor_op, "The largest whole number not above x.", "floor", floating=False,
                  shown=("[-1.5, 1.5]", "[-2.0, 1.0]"))
ceil = _function(ceil_op, "The smallest whole number not below x.", "ceil", floating=False,
                 shown=("[-1.5, 1.5]", "[-1.0, 2.0]"))
round = _function(round_op, "The nearest whole number, halves away from zero.", "round", floating=False,
                  shown=("[-1.4, 2.5]", "[-1.0, 3.0]"))


def trunc(input: Any, name: str | None = None) -> Any:
    """The values without their fractions.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-1.5, 1.5], "float64")
    >>> paddle.trunc(x).numpy().round(3).tolist()
    [-1.0, 1.0]
    """
    return apply(trunc_op, input)


erf = _function(erf_op, "The error function 2/sqrt(pi) * integral of exp(-t*t) from 0 to x.", "erf",
                shown=("[0.0, 0.5]", "[0.0, 0.52]"))
erfc = _function(erfc_op, "1 - erf(x), precise also where it is small.", "erfc")


def logical_not(x: Any, out: Any = None, name: str | None = None) -> Any:
    """True where x is false or 0. `out` gets the result in a Program; eagerly it has no meaning, as in Paddle.

    >>> import proa as paddle
    >>> paddle.logical_not(paddle.to_tensor([True, False])).tolist()
    [False, True]
    """
    return into(out, apply(logical_not_op, x))


def bitwise_not(x: Any, out: Any = None, name: str | None = None) -> Any:
    """~x on integers or bools. `out` gets the result in a Program; eagerly it has no meaning, as in Paddle.

    >>> import proa as paddle
    >>> paddle.bitwise_not(paddle.to_tensor([0, 5])).tolist()
    [-1, -6]
    """
    return into(out, apply(bitwise_not_op, x))


isnan = _function(isnan_op, "True where x is not a number.", "isnan", floating=False,
                  shown=('[1.0, float("nan")]', "[False, True]"))
isinf = _function(isinf_op, "True where x is infinite.", "isinf", floating=False,
                  shown=('[1.0, float("-inf")]', "[False, True]"))
isfinite = _function(isfinite_op, "True where x is neither infinite nor NaN.", "isfinite", floating=False,
                     shown=('[1.0, float("inf")]', "[True, False]"))


def frac(x: Any, name: str | None = None) -> Any:
    """x - trunc(x).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-1.25, 2.5], "float64")
    >>> paddle.frac(x).numpy().round(3).tolist()
    [-0.25, 0.5]
    """
    return subtract(x, trunc(x))


@results_named("stanh")
def stanh(x: Any, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None) -> Any:
    """scale_b * tanh(scale_a * x).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([0.0, 0.5], "float64")
    >>> paddle.stanh(x).numpy().round(3).tolist()
    [0.0, 0.554]
    """
    return apply(scale_op, tanh(apply(scale_op, x, None, scale=float(scale_a))), None, scale=float(scale_b))

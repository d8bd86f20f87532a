"""Activation functions, element by element: relu and its relatives, sigmoid, gelu, swish, shrinkage.

The softmax family, which looks along a dimension, is in `softmax.py`. A slope that is constant in pieces is one
operator for all of them, `slope_between`.
"""


from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import elementwise as fast
from ...backend.numpy_1 import clip as clipped
from ...core.errors import AssertedError
from ..array.full import fill_zeros_like
from ..array.gradient_shapes import reshape_to, sum_to
from ..array.reshape import reshape_op, shape_handle
from ..array.where import where_op
from ..core.infer import product, promoting, same
from ..core.kernels import by
from ..core.operator import Operator, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of
from ..math.unary import abs, error_function, exp, square, tanh

_INFINITY = float("inf")
_SQRT_HALF = 0.7071067811865476
_DENSITY = 0.3989422804014327  # 1 / sqrt(2 * pi)
_TANH_SCALE, _TANH_CUBE = 0.7978845608028654, 0.044715  # of gelu's approximation


def _slope_between(xp, g, x, *, low: float = -_INFINITY, high: float = _INFINITY, inside: float = 1.0,
                   outside: float = 0.0):
    within = x > low if high == _INFINITY else x < high if low == -_INFINITY else (x > low) & (x < high)
    if (inside, outside) == (1.0, 0.0):
        return g * within
    if (inside, outside) == (0.0, 1.0):
        return g * ~within
    return g * xp.where(within, xp.asarray(inside, g.dtype), xp.asarray(outside, g.dtype))


def _slope_formula(low: float, high: float, inside: float, outside: float) -> str:
    conditions = [f"X > {low!r}"] * (high == _INFINITY or low > -_INFINITY) + [f"X < {high!r}"] * (high < _INFINITY)
    return f"G * ({inside!r} if {' and '.join(conditions)} else {outside!r})"


slope_between_op = operator("slope_between", "G, X -> Out", kernel=_slope_between, infer=same, formula=_slope_formula,
                            grad={
    "G": lambda g, X, low, high, inside, outside: _sloped(g, X, low, high, inside, outside)}, only_here=True,
    compiled="slope_between")


def _sloped(g: Any, x: Any, low: float = -_INFINITY, high: float = _INFINITY, inside: float = 1.0,
            outside: float = 0.0) -> Any:
    """The gradient of a function whose slope is `inside` where low < x < high, and `outside` elsewhere."""
    return apply(slope_between_op, g, x, low=low, high=high, inside=inside, outside=outside)


def _choose(condition: Any, x: Any, y: Any) -> Any:
    return apply(where_op, condition, x, y)


def _activation(type: str, kernel: Callable, grad: Callable, formula: str | Callable[..., str | None],
                infer: Callable = same, precision: str = "gray", compiled: str = "",
                alike: str | None = None, former: str = "", ordered: bool = False) -> Operator:
    return operator(type, "X -> Out", kernel=kernel, infer=infer, grad={"X": grad}, formula=formula,
                    precision=precision, compiled=compiled, holomorphic=True,
                    alike=None if alike is None else {"X": alike}, former=former, ordered=ordered)


# constant slope in pieces

def _relu6(xp, x, *, threshold: float = 6.0):
    return x.clip(0, threshold)


def _leaky_relu(xp, x, *, alpha: float = 0.02):
    return xp.maximum(x, x * alpha) if 0 <= alpha <= 1 else xp.where(x > 0, x, x * alpha)


def _brelu(xp, x, *, t_min: float = 0.0, t_max: float = 24.0):
    return x.clip(t_min, t_max)


def _hard_sigmoid(xp, x, *, slope: float = 0.2, offset: float = 0.5):
    return (x * slope + offset).clip(0, 1)


def _thresholded_relu(xp, x, *, threshold: float = 1.0):
    return x * (x > threshold)


def _hard_shrink(xp, x, *, threshold: float = 0.5):
    return x * (xp.abs(x) > threshold)


def _softshrink(xp, x, *, lambda_: float = 0.5):
    return x - x.clip(-lambda_, lambda_)


relu_op = _activation("relu", lambda xp, x: xp.maximum(x, 0), lambda g, Out: _sloped(g, Out, 0.0), "max(X, 0.0)",
                      compiled="relu", alike="g * (Out > 0.0)", ordered=True)
relu6_op = _activation("relu6", _relu6, lambda g, Out, threshold: _sloped(g, Out, 0.0, threshold),
    "min(max(X, 0.0), threshold)", compiled="relu6", alike="g * chosen(Out > 0.0, threshold > Out, 0.0)", ordered=True)
leaky_relu_op = _activation("leaky_relu", _leaky_relu, lambda g, X, alpha: _sloped(
    g, X, high=0.0, inside=alpha, outside=1.0),
    "X if X > 0.0 else X * alpha", compiled="leaky_relu", alike="g * chosen(X < 0.0, alpha, 1.0)", ordered=True)
brelu_op = _activation("brelu", _brelu, lambda g, X, t_min, t_max: _sloped(g, X, t_min, t_max),
    "min(max(X, t_min), t_max)", compiled="brelu", alike="g * chosen(X > t_min, X < t_max, 0.0)", ordered=True)
hard_sigmoid_op = _activation("hard_sigmoid", _hard_sigmoid, lambda g, Out, slope: _sloped(
    g, Out, 0.0, 1.0, inside=slope), "min(max(X * slope + offset, 0.0), 1.0)", compiled="hard_sigmoid",
                                  alike="g * chosen(Out > 0.0, chosen(Out < 1.0, slope, 0.0), 0.0)", ordered=True)
thresholded_relu_op = _activation("thresholded_relu", _thresholded_relu, lambda g, X, threshold: _sloped(
    g, X, threshold), "X * (1.0 if X > threshold else 0.0)", compiled="thresholded_relu",
                                      alike="g * (X > threshold)", ordered=True)
hard_shrink_op = _activation("hard_shrink", _hard_shrink, lambda g, X, threshold: _sloped(
    g, abs(X), threshold), "X * (1.0 if abs(X) > threshold else 0.0)", compiled="hard_shrink",
                              alike="g * chosen(X > threshold, 1.0, -X > threshold)", ordered=True)
softshrink_op = _activation("softshrink", _softshrink, lambda g, Out: _sloped(g, abs(Out), 0.0),
    lambda **attrs: "X - min(max(X, -LIMIT), LIMIT)".replace("LIMIT", repr(float(attrs["lambda"]))), former="Out",
                             compiled="softshrink", alike="g * chosen(Out > 0.0, 1.0, Out < 0.0)", ordered=True)


# sigmoid and what is made of it

def _has_no_slopes(x: Any) -> bool:
    return x.dtype.kind in "biu"


def _of_floats(type: str) -> Callable:
    def infer(x: Spec, **_: Any) -> Spec:
        if not x.dtype.is_differentiable:
            raise TypeError(f"{type}(x): must be floating or complex. Received {x.dtype.name}. "
                            "Use x.astype('float32').")
        return x

    return infer


def _sigmoid(xp, x):
    if _has_no_slopes(x):
        raise TypeError(f"sigmoid(x): must be floating or complex. Received {x.dtype}. Use x.astype('float32').")
    if x.dtype.itemsize == 2:
        return _sigmoid(xp, x.astype("float32")).astype(x.dtype)
    if x.dtype.kind == "c":
        return 1 / (1 + xp.exp(-x))
    result = xp.negative(x, out=xp.empty(x.shape, x.dtype))
    xp.exp(result, out=result)  # 1 / infinity is the 0 that is meant
    result += 1
    return xp.reciprocal(result, out=result)


def _softplus(xp, x, *, beta: float = 1.0, threshold: float = 20.0):
    if _has_no_slopes(x):
        raise TypeError(f"softplus(x): must be floating or complex. Received {x.dtype}. Use x.astype('float32').")
    scaled = x * beta if beta != 1 else x
    if x.dtype.kind == "c":
        return xp.where(scaled.real > threshold, x, xp.log1p(xp.exp(scaled)) / beta)
    result = xp.log1p(xp.exp(-xp.abs(scaled))) + xp.maximum(scaled, 0)
    result = result / beta if beta != 1 else result
    return xp.where(scaled > threshold, x, result)


def _softplus_gradient(g: Any, x: Any, beta: float, threshold: float) -> Any:
    scaled = x * beta
    slope = sigmoid(scaled)
    if threshold < 20:  # beyond, the slope is 1 to within 2e-9
        above = cast(scaled > threshold, dtype_of(x))
        slope = slope + above * (slope * -1.0 + 1.0)
    return g * slope


def _swish(xp, x, *, beta: float = 1.0):
    return x * _sigmoid(xp, x * beta if beta != 1 else x)


def _swish_gradient(g: Any, x: Any, out: Any, beta: float) -> Any:
    s = sigmoid(x * beta if beta != 1 else x)
    return g * (s + out * (s * -1.0 + 1.0) * beta)


def _mish(xp, x, *, threshold: float = 20.0):
    return x * xp.tanh(_softplus(xp, x, threshold=threshold))


def _mish_gradient(g: Any, x: Any) -> Any:
    t = tanh(softplus(x))
    return g * (t + x * (t * t * -1.0 + 1.0) * sigmoid(x))


sigmoid_op = _activation("sigmoid", _sigmoid, lambda g, Out: g * (Out - Out * Out), "sigmoid(X)", _of_floats("sigmoid"),
                         compiled="sigmoid")
softplus_op = _activation("softplus", _softplus, lambda g, X, beta, threshold: _softplus_gradient(
    g, X, beta, threshold), "softplus(X * beta) / beta if X * beta <= threshold else X", _of_floats("softplus"),
                         precision="black", alike="chosen(X * beta > threshold, g, g * sigmoid(X * beta))")
swish_op = _activation("swish", _swish, lambda g, X, Out, beta: _swish_gradient(g, X, Out, beta),
    "X * sigmoid(X * beta)", _of_floats("swish"), former="Out",
                      alike="g * (Out * beta + sigmoid(X * beta) * (1.0 - Out * beta))")
silu_op = _activation("silu", lambda xp, x: x * _sigmoid(xp, x), lambda g, X, Out: _swish_gradient(g, X, Out, 1.0),
    "X * sigmoid(X)", _of_floats("silu"), compiled="silu", alike="g * (Out + sigmoid(X) * (1.0 - Out))")
mish_op = _activation("mish", _mish, lambda g, X: _mish_gradient(g, X), "X * tanh(softplus(X))",
    _of_floats("mish"))
logsigmoid_op = _activation("logsigmoid", lambda xp, x: -_softplus(xp, -x, threshold=_INFINITY),
                            lambda g, X: g * sigmoid(X * -1.0), "0.0 - softplus(0.0 - X)", _of_floats("log_sigmoid"),
                            alike="g * sigmoid(-X)")
softsign_op = _activation("softsign", lambda xp, x: x / (1 + xp.abs(x)), lambda g, X: g / square(abs(X) + 1.0),
    "X / (1.0 + abs(X))")
tanh_shrink_op = _activation("tanh_shrink", lambda xp, x: x - xp.tanh(x), lambda g, X: g * square(tanh(X)),
    "X - tanh(X)", precision="black")


def _hard_swish(xp, x, *, threshold: float = 6.0, scale: float = 6.0, offset: float = 3.0):
    gate = clipped(x + offset, 0, threshold) if xp is np else (x + offset).clip(0, threshold)
    return x * gate / scale


def _hard_swish_gradient(g: Any, x: Any, threshold: float, scale: float, offset: float) -> Any:
    """Slopes: 0 on the left, (2x + offset) / scale between, threshold / scale on the right."""
    on, none = x + offset, apply(fill_zeros_like, x)
    slope = _choose(on < threshold, x * (2.0 / scale) + offset / scale, none + threshold / scale)
    return g * _choose(on > 0.0, slope, _choose(on <= 0.0, none, x))  # NaN is nowhere, and stays


hard_swish_op = _activation("hard_swish", _hard_swish, lambda g, X, threshold, scale, offset: _hard_swish_gradient(
    g, X, threshold, scale, offset), "X * min(max(X + offset, 0.0), threshold) / scale", compiled="hard_swish",
    alike="g * chosen(X + offset > 0.0, chosen(threshold > X + offset, "
          "X * quotient(2.0, scale) + quotient(offset, scale), quotient(threshold, scale)), "
          "chosen(1.0 > X + offset, 0.0, X))")  # NaN is nowhere, and stays


# exponential on the left

def _elu(xp, x, *, alpha: float = 1.0):
    return xp.where(x > 0, x, alpha * xp.expm1(xp.minimum(x, 0)))


def _celu(xp, x, *, alpha: float = 1.0):
    return xp.where(x > 0, x, alpha * xp.expm1(xp.where(x > 0, 0, x) / alpha))


def _selu(xp, x, *, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772):
    return scale * xp.where(x > 0, x, alpha * xp.expm1(xp.minimum(x, 0)))


elu_op = _activation("elu", _elu, lambda g, X, Out, alpha: _choose(X > 0.0, g, g * (Out + alpha)),
    "X if X > 0.0 else alpha * expm1(min(X, 0.0))", alike="chosen(X > 0.0, g, g * (Out + alpha))", ordered=True)
celu_op = _activation("celu", _celu, lambda g, X, Out, alpha: _choose(X > 0.0, g, g * (Out * (1.0 / alpha) + 1.0)),
    "X if X > 0.0 else alpha * expm1(min(X, 0.0) / alpha)", former="Out",
                      alike="chosen(X > 0.0, g, g * (Out / alpha + 1.0))", ordered=True)
selu_op = _activation("selu", _selu, lambda g, Out, scale, alpha: _choose(
    Out > 0.0, g * scale, g * (Out + scale * alpha)), "scale * (X if X > 0.0 else alpha * expm1(min(X, 0.0)))",
                      alike="chosen(Out > 0.0, g * scale, g * (Out + product(scale, alpha)))", ordered=True)


# gelu

def _normal_cdf(xp, x):
    return (error_function(xp, x * _SQRT_HALF) + 1) * 0.5


def _gelu(xp, x, *, approximate: bool = False):
    if approximate:
        return x * (xp.tanh(x * (x * x * (_TANH_SCALE * _TANH_CUBE) + _TANH_SCALE)) + 1) * 0.5
    return x * _normal_cdf(xp, x)


def _gelu_grad(xp, g, x, *, approximate: bool = False):
    if not approximate:
        return g * (_normal_cdf(xp, x) + x * xp.exp(x * x * -0.5) * _DENSITY)
    s = x * x
    t = xp.tanh(x * (s * (_TANH_SCALE * _TANH_CUBE) + _TANH_SCALE))
    return g * ((t + 1) * 0.5 + x * (1 - t * t) * (s * (1.5 * _TANH_SCALE * _TANH_CUBE) + 0.5 * _TANH_SCALE))


def _gelu_curvature(x: Any, approximate: bool) -> Any:
    """The second derivative of gelu."""
    if not approximate:
        return exp(x * x * -0.5) * (x * x * -1.0 + 2.0) * _DENSITY
    s = x * x
    t = tanh(x * (s * (_TANH_SCALE * _TANH_CUBE) + _TANH_SCALE))
    inner = s * (3.0 * _TANH_SCALE * _TANH_CUBE) + _TANH_SCALE  # the argument's slope
    bend = x * (3.0 * _TANH_SCALE * _TANH_CUBE)  # half its curvature
    return (t * t * -1.0 + 1.0) * (inner + x * bend - x * t * inner * inner)


_GELU = "X * normal_cdf(X)"
_GELU_TANH = f"tanh(X * (X * X * {_TANH_SCALE * _TANH_CUBE} + {_TANH_SCALE}))"
_GELU_BY_TANH = f"X * ({_GELU_TANH} + 1.0) * 0.5"
_GELU_SLOPE = f"G * (normal_cdf(X) + X * exp(X * X * -0.5) * {_DENSITY})"
_GELU_SLOPE_BY_TANH = (
    f"G * (({_GELU_TANH} + 1.0) * 0.5 + X * (1.0 - {_GELU_TANH} * {_GELU_TANH})"
    f" * (X * X * {1.5 * _TANH_SCALE * _TANH_CUBE} + {0.5 * _TANH_SCALE}))")

gelu_op = _activation("gelu", _gelu, lambda g, X, approximate: apply(gelu_grad_op, g, X, approximate=approximate),
    lambda approximate: _GELU_BY_TANH if approximate else _GELU)
gelu_grad_op = operator("gelu_grad", "G, X -> Out", kernel=_gelu_grad, infer=same,
                        formula=lambda approximate: _GELU_SLOPE_BY_TANH if approximate else _GELU_SLOPE, grad={
    "G": lambda g, X, approximate: apply(gelu_grad_op, g, X, approximate=approximate),
    "X": lambda g, G, X, approximate: g * G * _gelu_curvature(X, approximate)}, only_here=True)


# prelu

def _alpha_shape(rank: int, alpha_shape: Any, mode: str, data_format: str) -> list[int]:
    """The shape in which alpha broadcasts to an input of `rank` dimensions."""
    if mode == "all":
        return [1] * rank
    if mode == "channel":
        return [1] * (rank - 1) + [-1] if data_format[-1] == "C" or rank < 2 else [1, -1] + [1] * (rank - 2)
    return [1, *alpha_shape[1:]]


def _prelu(xp, x, alpha, *, mode: str = "all", data_format: str = "NCHW"):
    result = xp.where(x > 0, x, x * alpha.reshape(_alpha_shape(x.ndim, alpha.shape, mode, data_format)))
    if result.shape != x.shape:
        raise ValueError(f"prelu(x, weight): weight must fit the channels of x. Received x.shape={list(x.shape)}, "
                         f"weight.shape={list(alpha.shape)}.")
    return result


def _prelu_by_loop(x, alpha, *, mode: str = "all", data_format: str = "NCHW"):
    return fast.prelu(x, alpha.reshape(_alpha_shape(x.ndim, alpha.shape, mode, data_format)))


def _infer_prelu(x, alpha, *, mode="all", data_format="NCHW"):
    channels = x.shape[-1 if data_format[-1] == "C" or x.rank < 2 else 1] if x.rank else 1
    if mode == "channel" and -1 not in (channels, *alpha.shape) and product(alpha.shape) != channels:
        raise AssertedError(
            f"prelu(x, weight): weight must have one element, or one for each of the {channels} channels of x "
            f"(data_format={data_format!r}). Received x.shape={list(x.shape)}, weight.shape={list(alpha.shape)}."
        )
    return x


def _spread_alpha(x: Any, alpha: Any, mode: str, data_format: str) -> Any:
    shape = _alpha_shape(x.ndim, alpha.shape, mode, data_format)
    return apply(reshape_op, alpha, None, None, shape=shape)


def _alpha_gradient(g: Any, x: Any, alpha: Any, mode: str, data_format: str) -> Any:
    spread = _spread_alpha(x, alpha, mode, data_format)
    product = _sloped(g * x, x, high=0.0)
    return reshape_to(sum_to(product, shape_handle(spread)), shape_handle(alpha))


def _prelu_of_unknown_channels(x: Any, alpha: Any, *, mode: str = "all", data_format: str = "NCHW") -> Any:
    """Where it is not known how many channels there are: Paddle compares their number with that of the slopes."""
    if mode != "channel" or x.shape[-1 if data_format[-1] == "C" else 1] != -1:
        return NotImplemented
    return relu(x) - relu(x * -1.0) * _spread_alpha(x, alpha, mode, data_format)


prelu_op = operator("prelu", "X, Alpha -> Out", kernel=_prelu, infer=promoting(_infer_prelu),
                    engines=[by(LOOPS, _prelu_by_loop, fast.LEAST_OF_PRELU)],
                    composed=_prelu_of_unknown_channels, grad={
    "X": lambda g, X, Alpha, mode, data_format: _choose(X > 0.0, g, g * _spread_alpha(X, Alpha, mode, data_format)),
    "Alpha": lambda g, X, Alpha, mode, data_format: _alpha_gradient(g, X, Alpha, mode, data_format)}, ordered=True)


def relu(x: Any, name: str | None = None) -> Any:
    """max(x, 0), element by element.

    >>> import proa as paddle
    >>> paddle.nn.functional.relu(paddle.to_tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return apply(relu_op, x)


def sigmoid(x: Any, name: str | None = None) -> Any:
    """1 / (1 + exp(-x)), element by element.

    >>> import proa as paddle
    >>> paddle.nn.functional.sigmoid(paddle.to_tensor([0.0])).tolist()
    [0.5]
    """
    return apply(sigmoid_op, x)


def softplus(x: Any, beta: float = 1, threshold: float = 20, name: str | None = None) -> Any:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold, the same within rounding.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([-2.0, -0.5, 0.0, 1.0, 4.0], "float64")
    >>> paddle.nn.functional.softplus(x).numpy().round(3).tolist()
    [0.127, 0.474, 0.693, 1.313, 4.018]
    """
    return apply(softplus_op, x, beta=float(beta), threshold=float(threshold))

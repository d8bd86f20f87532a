"""What divides by a norm or by neighbours, and tests of all elements at once, as Paddle 1.x writes it: l2_normalize."""


from typing import Any

from ...core import dtype as dt
from ..core.gradient import differentiable_once, with_another
from ..core.infer import normalize_axis, same
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of
from ..math.clip import clip
from ..math.elementwise import scale
from ..math.reduce import sum as reduce_sum
from ..math.unary import exp


def _norm(xp, x, *, axis: int = -1, epsilon: float = 1e-10, is_test: bool = False):
    length = xp.sqrt((x * x).sum(axis=axis, keepdims=True, dtype=x.dtype) + xp.asarray(epsilon, x.dtype))
    return length, x / length


def _infer_norm(x, *, axis=-1, **_):
    axis = normalize_axis("l2_normalize(x, axis)", axis, x.rank)
    return Spec((*x.shape[:axis], 1, *x.shape[axis + 1:]), x.dtype), x


norm_op = operator(
    "norm", "X -> Norm&, Out", kernel=_norm, infer=_infer_norm, grad={
        "X": lambda d_Out, given_Norm, Out, Norm, axis: with_another(
            (d_Out - Out * reduce_sum(d_Out * Out, axis, keepdim=True)) / Norm, given_Norm, Out)},
    lod="drop")


def _clip_by_norm(xp, x, *, max_norm: float):
    size = xp.abs(x)
    length = xp.sqrt((size * size).sum(dtype=size.dtype))
    return x * xp.where(length > max_norm, max_norm / xp.maximum(length, 1e-30), 1.0).astype(x.dtype)


clip_by_norm_op = operator("clip_by_norm", "X -> Out", kernel=_clip_by_norm, infer=same)


def _lrn(xp, x, *, n: int = 5, k: float = 2.0, alpha: float = 1e-4, beta: float = 0.75, data_format: str = "NCHW"):
    channels = 1 if data_format in ("NCHW", "AnyLayout") else 3
    middle = k + alpha * _window(xp, x * x, n, channels)
    return x * middle ** xp.asarray(-beta, x.dtype), middle.astype(x.dtype)


def _window(xp: Any, x: Any, n: int, axis: int) -> Any:
    """The sum over n neighbours along an axis: those (n - 1) // 2 before and the rest behind."""
    before = (n - 1) // 2
    widths = [(0, 0)] * x.ndim
    widths[axis] = (before + 1, n - 1 - before)
    total = xp.cumsum(xp.pad(x, widths), axis=axis, dtype=x.dtype)
    index = [slice(None)] * x.ndim
    low, high = list(index), list(index)
    low[axis], high[axis] = slice(0, x.shape[axis]), slice(n, n + x.shape[axis])
    return total[tuple(high)] - total[tuple(low)]


def _lrn_slope(xp, g, x, middle, *, n: int = 5, alpha: float = 1e-4, beta: float = 0.75, data_format: str = "NCHW"):
    channels = 1 if data_format in ("NCHW", "AnyLayout") else 3
    power = middle ** xp.asarray(-beta, x.dtype)
    around = xp.flip(_window(xp, xp.flip(g * x * power / middle, channels), n, channels), channels)
    return g * power - 2 * alpha * beta * x * around


lrn_slope_op = operator("lrn_slope", "G, X, MidOut -> XGrad", kernel=_lrn_slope, infer=lambda g, x, m, **_: x,
                        only_here=True, grad=differentiable_once("G, X, MidOut", "lrn"))
lrn_op = operator("lrn", "X -> Out, MidOut", kernel=_lrn, infer=lambda x, **_: (x, x), grad={
    "X": lambda g, X, MidOut, n, alpha, beta, data_format: apply(
        lrn_slope_op, g, X, MidOut, n=n, alpha=alpha, beta=beta, data_format=data_format)})


def _along(value: Any, rank: int, layout: str) -> Any:
    return value.reshape([-1 if n == (1 if layout != "NHWC" else rank - 1) else 1 for n in range(rank)])


def _affine(xp, x, factor, bias, *, data_layout: str = "AnyLayout"):
    return x * _along(factor, x.ndim, data_layout) + _along(bias, x.ndim, data_layout)


def _affine_gradients(g: Any, x: Any, factor: Any, data_layout: str, wants: Any) -> tuple[Any, Any, Any]:
    axes = [n for n in range(x.ndim) if n != (1 if data_layout != "NHWC" else x.ndim - 1)]
    return (g * _along(factor, x.ndim, data_layout), reduce_sum(g * x, axes) if wants[1] else None,
            reduce_sum(g, axes) if wants[2] else None)


affine_channel_op = operator(
    "affine_channel", "X, Scale, Bias -> Out", kernel=_affine, infer=same, grad={
        "X, Scale, Bias": lambda g, X, Scale, data_layout, wants: _affine_gradients(g, X, Scale, data_layout, wants)})


def _soft_relu(xp, x, *, threshold: float = 40.0):
    return xp.log1p(xp.exp(xp.clip(x, -threshold, threshold)))


soft_relu_op = operator("soft_relu", "X -> Out", kernel=_soft_relu, infer=same, grad={
    "X": lambda g, X, Out, threshold: g * scale(exp(scale(Out, -1.0)), -1.0, 1.0) * cast(
        clip(X, -threshold, threshold) == X, dtype_of(X))})


def _stanh(xp, x, *, scale_a: float = 0.67, scale_b: float = 1.7159):
    return scale_b * xp.tanh(scale_a * x)


stanh_op = operator("stanh", "X -> Out", kernel=_stanh, infer=same, holomorphic=True, grad={
    "X": lambda g, Out, scale_a, scale_b: g * scale(Out * Out, -scale_a / scale_b, scale_a * scale_b)})


# Of all elements at once

def _one(xp: Any, value: Any) -> Any:
    return xp.asarray(value).reshape(1)


def _infer_test(x: Any) -> Spec:
    return Spec((1,), dt.bool_)


isfinite_op = operator("isfinite", "X -> Out", kernel=lambda xp, x: _one(xp, xp.isfinite(x).all()), infer=_infer_test,
                       lod="drop")
isinf_op = operator("isinf", "X -> Out", kernel=lambda xp, x: _one(xp, xp.isinf(x).any()), infer=_infer_test,
                    lod="drop")
isnan_op = operator("isnan", "X -> Out", kernel=lambda xp, x: _one(xp, xp.isnan(x).any()), infer=_infer_test,
                    lod="drop")

"""Normalization: batch_norm, layer_norm, instance_norm and group_norm, and the operator of their gradients.

y = (x - mean) / sqrt(variance + epsilon) * scale + bias, mean and (biased) variance taken over some dimensions. All
four share `norm_backward`, which is given the scale, the mean and 1 / sqrt(variance + epsilon) in shapes that
broadcast against x. Half precision is computed in float32.
"""


from collections.abc import Sequence
from typing import Any

from ..core import dtype as dt
from .elementwise import subtract_op
from .infer import product
from .manipulation import reshape_op
from .operator import Ints, operator
from .reduce import mean_op
from .shapes import reshape_to, sum_to
from .spec import Spec
from .trace import apply
from .unary import rsqrt


def _wide(x: Any) -> Any:
    """x in float32 where it is of half precision."""
    return x.astype("float32") if x.dtype.itemsize == 2 else x


def _statistics(xp: Any, x: Any, axes: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """x - mean, mean and variance over `axes`, which stay with size 1."""
    mean = x.mean(axes, keepdims=True)
    centered = x - mean
    return centered, mean, xp.square(centered).mean(axes, keepdims=True)


def _scaled(centered: Any, factor: Any, bias: Any) -> Any:
    """centered * factor + bias, in place of `centered`."""
    centered *= factor
    if bias is not None:
        centered += bias
    return centered


# the gradient that they share

def _sum_over(x: Any, shape: tuple[int, ...]) -> Any:
    """x summed to a shape that it broadcast from."""
    axes = tuple(n for n, size in enumerate(shape) if size == 1 and x.shape[n] != 1)
    return x.sum(axes, dtype=x.dtype, keepdims=True) if axes else x


def _norm_backward(xp, x, scale, g, mean, rstd, *, axes: Ints, parameter_shape: Ints, epsilon: float):
    dtype = x.dtype
    x, g = _wide(x), _wide(g)
    normal = x - mean
    normal *= rstd
    shape = tuple(parameter_shape)
    d_bias, d_scale = _sum_over(g, shape), _sum_over(g * normal, shape)
    count = product([x.shape[n] for n in axes])
    if mean.shape == shape:  # the sums of the gradients serve for the input's too
        factor = rstd if scale is None else rstd * scale
        normal *= d_scale / -count
        normal += g
        normal -= d_bias / count
        normal *= factor
    else:
        h = g if scale is None else g * scale
        normal *= (h * normal).mean(tuple(axes), keepdims=True) * -1
        normal += h
        normal -= h.mean(tuple(axes), keepdims=True)
        normal *= rstd
    return normal.astype(dtype, copy=False), None if scale is None else d_scale, d_bias


def _infer_backward(x, scale, g, mean, rstd, *, axes, parameter_shape, epsilon):
    parameter = Spec(tuple(parameter_shape), mean.dtype)
    return x, None if scale is None else parameter, parameter


def _mean(x: Any, axes: Sequence[int]) -> Any:
    return apply(mean_op, x, dim=list(axes), keep_dim=True, reduce_all=False)


def _second_order(X, Scale, OutGrad, d_XGrad, d_ScaleGrad, d_BiasGrad, axes, parameter_shape, epsilon, wants):
    """Directions u, v, w of the three gradients; the statistics are computed from X again, so that this is exact."""
    u, v, w, shape = d_XGrad, d_ScaleGrad, d_BiasGrad, tuple(parameter_shape)
    centered = X - _mean(X, axes)
    rstd = rsqrt(_mean(centered * centered, axes) + epsilon)
    normal = centered * rstd

    def project(t):
        """The derivative of `normal`, which is symmetric, applied to t."""
        return (t - _mean(t, axes) - normal * _mean(t * normal, axes)) * rstd

    h = OutGrad if Scale is None else OutGrad * Scale
    projected = project(u)
    d_x = d_scale = d_g = None
    if wants[0]:
        a, b = _mean(u * normal, axes), _mean(h * normal, axes)
        shared = _mean(u * h, axes) - _mean(u, axes) * _mean(h, axes) - a * b
        d_x = normal * (rstd * rstd * shared * -1.0) - (b * projected + a * project(h)) * rstd
        d_x = d_x if Scale is None else d_x + project(OutGrad * v)
    if wants[1] and Scale is not None:
        d_scale = sum_to(OutGrad * projected, shape)
    if wants[2]:
        d_g = projected if Scale is None else projected * Scale + normal * v
        d_g = d_g + w
    return d_x, d_scale, d_g


norm_backward_op = operator(
    "norm_backward", "X, Scale?, OutGrad, Mean, Rstd -> XGrad, ScaleGrad, BiasGrad", kernel=_norm_backward,
    infer=_infer_backward, grad={"X, Scale, OutGrad": _second_order})


def _backward(x: Any, scale: Any, bias_wanted: bool, g: Any, mean: Any, rstd: Any, axes: Sequence[int],
              shape: Sequence[int], epsilon: float) -> tuple[Any, Any, Any]:
    """The three gradients; scale's and bias's in the shape [size]."""
    parts = None if scale is None else reshape_to(scale, tuple(shape))
    d_x, d_scale, d_bias = apply(norm_backward_op, x, parts, g, mean, rstd, axes=list(axes),
                                 parameter_shape=list(shape), epsilon=epsilon)
    size = (product(shape),)
    return (d_x, None if scale is None else reshape_to(d_scale, size),
            reshape_to(d_bias, size) if bias_wanted else None)


# batch_norm

def _channel_axis(rank: int, data_layout: str) -> int:
    return rank - 1 if data_layout[-1] == "C" and rank > 2 else 1


def _channel_shape(rank: int, channels: int, data_layout: str) -> tuple[int, ...]:
    axis = _channel_axis(rank, data_layout)
    return tuple(channels if n == axis else 1 for n in range(rank))


def _uses_running(is_test: bool, use_global_stats: bool, trainable_statistics: bool) -> bool:
    return use_global_stats or (is_test and not trainable_statistics)


def _batch_norm(xp, x, scale, bias, mean, variance, momentum_tensor=None, *, momentum: float = 0.9,
                epsilon: float = 1e-5, data_layout: str = "NCHW", is_test: bool = False,
                use_global_stats: bool = False, trainable_statistics: bool = False):
    dtype, x = x.dtype, _wide(x)
    axis = _channel_axis(x.ndim, data_layout)
    shape = _channel_shape(x.ndim, x.shape[axis], data_layout)
    bias = None if bias is None else bias.reshape(shape)
    if _uses_running(is_test, use_global_stats, trainable_statistics):
        rstd = 1 / xp.sqrt(variance + epsilon)
        factor = (rstd if scale is None else rstd * scale).reshape(shape)
        result = _scaled(x - mean.reshape(shape), factor, bias)
        return result.astype(dtype, copy=False), mean, variance, mean.copy(), rstd
    axes = tuple(n for n in range(x.ndim) if n != axis)
    centered, batch_mean, batch_variance = _statistics(xp, x, axes)
    rstd = 1 / xp.sqrt(batch_variance + epsilon)
    result = _scaled(centered, rstd if scale is None else rstd * scale.reshape(shape), bias)
    momentum = momentum if momentum_tensor is None else momentum_tensor.reshape(())
    batch_mean, batch_variance = batch_mean.reshape(-1), batch_variance.reshape(-1)
    return (result.astype(dtype, copy=False), _moved(mean, batch_mean, momentum),
            _moved(variance, batch_variance, momentum), batch_mean, rstd.reshape(-1))


def _moved(running: Any, batch: Any, momentum: Any) -> Any:
    return (running * momentum + batch * (1 - momentum)).astype(running.dtype, copy=False)


def _infer_batch_norm(x, scale, bias, mean, variance, momentum_tensor=None, *, data_layout="NCHW", **_):
    if x.rank < 2:
        raise ValueError(f"batch_norm(x): x must have at least 2 dimensions. Received x.shape={list(x.shape)}.")
    channels = x.shape[_channel_axis(x.rank, data_layout)]
    for name, value in (("running_mean", mean), ("running_var", variance), ("weight", scale), ("bias", bias)):
        if value is not None and -1 not in (channels, *value.shape) and value.shape != (channels,):
            raise ValueError(
                f"batch_norm(x, {name}): {name} must have one element a channel, shape [{channels}]. Received "
                f"{name}.shape={list(value.shape)}, x.shape={list(x.shape)}, data_format={data_layout!r}."
            )
    return x, mean, variance, mean, variance


def _batch_norm_gradients(g: Any, X: Any, Scale: Any, SavedMean: Any, SavedVariance: Any, attrs: dict[str, Any],
                          wants: tuple) -> tuple[Any, Any, Any]:
    rank, layout = len(X.shape), attrs["data_layout"]
    shape = _channel_shape(rank, SavedMean.shape[0], layout)
    mean, rstd = reshape_to(SavedMean, shape), reshape_to(SavedVariance, shape)
    if not _uses_running(attrs["is_test"], attrs["use_global_stats"], attrs["trainable_statistics"]):
        axes = [n for n in range(rank) if n != _channel_axis(rank, layout)]
        return _backward(X, Scale, wants[2], g, mean, rstd, axes, shape, attrs["epsilon"])
    factor = rstd if Scale is None else rstd * reshape_to(Scale, shape)
    size = (shape[_channel_axis(rank, layout)],)
    d_scale = reshape_to(sum_to(g * (apply(subtract_op, X, mean) * rstd), shape), size) if wants[1] else None
    return g * factor if wants[0] else None, d_scale, reshape_to(sum_to(g, shape), size) if wants[2] else None


batch_norm_op = operator(
    "batch_norm", "X, Scale?, Bias?, Mean, Variance, MomentumTensor? -> "
    "Y, MeanOut=Mean, VarianceOut=Variance, SavedMean, SavedVariance",
    kernel=_batch_norm, infer=_infer_batch_norm,
    grad={"X, Scale, Bias": lambda g, X, Scale, SavedMean, SavedVariance, attrs, wants: _batch_norm_gradients(
        g, X, Scale, SavedMean, SavedVariance, attrs, wants)})


# layer_norm: over the last dimensions

def _layer_norm(xp, x, scale=None, bias=None, *, epsilon: float = 1e-5, begin_norm_axis: int = 1):
    dtype, x = x.dtype, _wide(x)
    axes = tuple(range(begin_norm_axis, x.ndim))
    last = x.shape[begin_norm_axis:]
    centered, mean, variance = _statistics(xp, x, axes)
    centered /= xp.sqrt(variance + epsilon)
    if scale is not None:
        centered *= scale.reshape(last)
    if bias is not None:
        centered += bias.reshape(last)
    rows = x.shape[:begin_norm_axis]
    return centered.astype(dtype, copy=False), mean.reshape(rows), variance.reshape(rows)


def _infer_layer_norm(x, scale=None, bias=None, *, epsilon=1e-5, begin_norm_axis=1):
    wanted = product(x.shape[begin_norm_axis:])
    for name, value in (("weight", scale), ("bias", bias)):
        if value is not None and -1 not in (wanted, product(value.shape)) and product(value.shape) != wanted:
            raise ValueError(
                f"layer_norm(x, normalized_shape, {name}): {name} must have {wanted} elements, those of the last "
                f"dimensions {list(x.shape[begin_norm_axis:])}. Received {name}.shape={list(value.shape)}."
            )
    row = Spec(x.shape[:begin_norm_axis], dt.float32 if x.dtype.itemsize == 2 else x.dtype)
    return x, row, row


def _layer_norm_gradients(g: Any, X: Any, Scale: Any, Mean: Any, Variance: Any, epsilon: float, begin_norm_axis: int,
                          wants: tuple) -> tuple[Any, Any, Any]:
    rank, begin = len(X.shape), begin_norm_axis
    ones = [0] * begin + [1] * (rank - begin)
    mean, variance = (apply(reshape_op, v, None, None, shape=ones) for v in (Mean, Variance))
    shape = (1,) * begin + tuple(X.shape[begin:])
    return _backward(X, Scale, wants[2], g, mean, rsqrt(variance + epsilon), range(begin, rank), shape, epsilon)


layer_norm_op = operator(
    "layer_norm", "X, Scale?, Bias? -> Y, Mean, Variance", kernel=_layer_norm, infer=_infer_layer_norm,
    grad={"X, Scale, Bias": lambda g, X, Scale, Mean, Variance, epsilon, begin_norm_axis, wants: _layer_norm_gradients(
        g, X, Scale, Mean, Variance, epsilon, begin_norm_axis, wants)})


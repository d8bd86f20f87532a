"""Batch normalization in parts, so that processes may put their statistics together between them.

`batch_moments` gives a process's own [means, sums of squares around them, number]; all processes' moments, one behind
the other, become one mean and variance (Chan, Golub and LeVeque, 1979), by which `batch_norm_by_moments` normalizes.
The gradient needs two sums, which `batch_gradient_sums` takes of a process's own part; `batch_gradient_by_sums` takes
those of all. `static/compiler/shared_statistics.py` puts them in the place of sync_batch_norm and of its gradient.
"""

from typing import Any

from ...core.dtype import float32
from ..core.operator import operator
from ..core.spec import Spec
from .norm_kernels import View, count_along, scaled, statistics, total, view_of


def _wide(x: Any) -> Any:
    return x.astype("float32") if x.dtype.itemsize == 2 else x


def _viewed(x: Any, data_layout: str) -> tuple[Any, View]:
    view = view_of("batch", x.shape, data_layout)
    return _wide(x).reshape(view.shape), view


def _with_count(xp: Any, parts: list[Any], count: int) -> Any:
    return xp.concatenate([*(part.reshape(-1) for part in parts), xp.full(1, count, parts[0].dtype)])


def _moments(xp, x, *, data_layout: str = "NCHW"):
    viewed, view = _viewed(x, data_layout)
    count = count_along(viewed, view.axes)
    mean, spread, _ = statistics(xp, viewed, view)
    return _with_count(xp, [mean, spread * count], count)


def _together(xp: Any, moments: Any, channels: int) -> tuple[Any, Any]:
    """Mean and variance of all, of moments one behind the other."""
    rows = moments.reshape(-1, 2 * channels + 1)
    means, squares, counts = rows[:, :channels], rows[:, channels:-1], rows[:, -1:]
    whole = counts.sum(0)
    mean = (means * counts).sum(0) / whole
    away = means - mean
    return mean, (squares.sum(0) + (away * away * counts).sum(0)) / whole


def _by_moments(xp, x, scale, bias, mean, variance, moments, momentum_tensor=None, *, momentum: float = 0.9,
                epsilon: float = 1e-5, data_layout: str = "NCHW"):
    viewed, view = _viewed(x, data_layout)
    saved_mean, spread = _together(xp, moments, mean.shape[0])
    inverse = 1 / xp.sqrt(spread + epsilon)
    keep = momentum if momentum_tensor is None else momentum_tensor.item()
    y = scaled(xp, viewed - saved_mean.reshape(view.parameters), inverse.reshape(view.parameters), scale, bias, view)
    return (y.reshape(x.shape).astype(x.dtype, copy=False), mean * keep + saved_mean * (1 - keep),
            variance * keep + spread * (1 - keep), saved_mean, inverse)


def _normal(x: Any, mean: Any, inverse: Any, data_layout: str) -> tuple[Any, View]:
    viewed, view = _viewed(x, data_layout)
    return (viewed - mean.reshape(view.parameters)) * inverse.reshape(view.parameters), view


def _gradient_sums(xp, x, mean, inverse, g, *, data_format: str = "NCHW"):
    normal, view = _normal(x, mean, inverse, data_format)
    g = _wide(g).reshape(view.shape)
    d_scale, d_bias = (total(part, view.axes).reshape(-1) for part in (g * normal, g))
    return d_scale, d_bias, _with_count(xp, [d_scale, d_bias], count_along(g, view.axes))


def _by_sums(xp, x, scale, mean, inverse, g, sums, *, data_format: str = "NCHW"):
    normal, view = _normal(x, mean, inverse, data_format)
    channels = mean.shape[0]
    along, mean_g = (part.reshape(view.parameters) / sums[-1] for part in (sums[:channels], sums[channels:-1]))
    factor = inverse if scale is None else inverse * scale
    found = (_wide(g).reshape(view.shape) - mean_g - normal * along) * factor.reshape(view.parameters)
    return found.reshape(x.shape).astype(x.dtype, copy=False)


def _channels_of(x: Spec, layout: str) -> int:
    return x.shape[-1 if layout[-1] == "C" else 1]


def _statistic(x: Spec) -> Any:
    return float32 if x.dtype.itemsize == 2 else x.dtype


def _sums_of(x: Spec, layout: str) -> Spec:
    channels = _channels_of(x, layout)
    return Spec((2 * channels + 1 if channels >= 0 else -1,), _statistic(x))


def _infer_sums(x, mean, inverse, g, *, data_format="NCHW"):
    one = Spec((_channels_of(x, data_format),), _statistic(x))
    return one, one, _sums_of(x, data_format)


moments_op = operator("batch_moments", "X -> Moments", kernel=_moments, only_here=True,
                      infer=lambda x, *, data_layout="NCHW": _sums_of(x, data_layout))
by_moments_op = operator(
    "batch_norm_by_moments", "X, Scale?, Bias?, Mean, Variance, Moments, MomentumTensor? -> "
    "Y, MeanOut=Mean, VarianceOut=Variance, SavedMean, SavedVariance", kernel=_by_moments, only_here=True,
    infer=lambda x, scale, bias, mean, variance, moments, momentum_tensor=None, **_: (x, mean, variance, mean, mean))
gradient_sums_op = operator("batch_gradient_sums", "X, Mean, Spread, G -> DScale, DBias, Sums", kernel=_gradient_sums,
                            infer=_infer_sums, only_here=True)
gradient_by_sums_op = operator("batch_gradient_by_sums", "X, Scale?, Mean, Spread, G, Sums -> DX", kernel=_by_sums,
                               infer=lambda x, *_, **__: x, only_here=True)

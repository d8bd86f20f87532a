"""Normalization: batch_norm, layer_norm, group_norm and instance_norm.

They share one gradient operator, `norm_grad`, whose own gradient is written in plain arithmetic.
"""


from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...core.dtype import float32
from ..array.creation import full_like
from ..array.gradient_shapes import reshape_to
from ..array.reshape import reshape_op, shape_handle
from ..array.where import broadcast_where_op
from ..core.infer import product
from ..core.kernels import at_first_call, by
from ..core.operator import Operator, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of
from ..math.elementwise import equal_op, power_op
from ..math.reduce import reduced_count, sum
from .norm_kernels import View, gradients, scaled, statistics, view_of


def _wide(x: Any) -> Any:
    """Half-precision values in float32, in which statistics are taken."""
    return x.astype("float32") if x.dtype.itemsize == 2 else x


# Kernels in loops: who only folds a normalization into a convolution, as models do that are run, imports none.

@at_first_call
def _batch_norm_by_loops() -> Any:
    from ...backend.kernels.batch_norm import batch_norm

    return batch_norm


@at_first_call
def _batch_norm_grad_by_loops() -> Any:
    from ...backend.kernels.batch_norm import batch_norm_grad

    return batch_norm_grad


@at_first_call
def _layer_norm_by_loops() -> Any:
    from ...backend.kernels.layer_norm import layer_norm

    return layer_norm


@at_first_call
def _layer_norm_grad_by_loops() -> Any:
    from ...backend.kernels.layer_norm import layer_norm_grad

    return layer_norm_grad


@at_first_call
def _group_norm_by_loops() -> Any:
    from ...backend.kernels.group_norm import group_norm

    return group_norm


@at_first_call
def _instance_norm_by_loops() -> Any:
    from ...backend.kernels.group_norm import instance_norm

    return instance_norm


@at_first_call
def _group_norm_grad_by_loops() -> Any:
    from ...backend.kernels.group_norm import group_norm_grad

    return group_norm_grad


# batch normalization: of one element for each channel there are no statistics, and it is left as it is

def _batch_norm(xp, x, scale, bias, mean, variance, momentum_tensor=None, *, momentum: float = 0.9,
                epsilon: float = 1e-5, is_test: bool = False, data_layout: str = "NCHW",
                use_global_stats: bool = False, trainable_statistics: bool = False):
    view = view_of("batch", x.shape, data_layout)
    viewed = _wide(x).reshape(view.shape)
    if is_constant(is_test, use_global_stats, trainable_statistics):
        mean_out, variance_out, centered = mean, variance, viewed - mean.reshape(view.parameters)
        inverse = 1 / xp.sqrt(variance + epsilon)
        saved_mean = mean.copy()
    elif x.size == mean.size:
        return x.copy(), mean, variance, xp.zeros_like(mean), xp.ones_like(variance)
    else:
        saved, spread, centered = statistics(xp, viewed, view)
        saved_mean, spread = saved.reshape(-1), spread.reshape(-1)
        inverse = 1 / xp.sqrt(spread + epsilon)
        keep = momentum if momentum_tensor is None else momentum_tensor.item()
        mean_out = mean * keep + saved_mean * (1 - keep)
        variance_out = variance * keep + spread * (1 - keep)
    y = scaled(xp, centered, inverse.reshape(view.parameters), scale, bias, view)
    return y.reshape(x.shape).astype(x.dtype, copy=False), mean_out, variance_out, saved_mean, inverse


def is_constant(is_test: bool, use_global_stats: bool, trainable_statistics: bool) -> bool:
    """True when the running statistics are used, which do not depend on the input."""
    return (is_test and not trainable_statistics) or use_global_stats


def _infer_batch_norm(x, scale, bias, mean, variance, momentum_tensor=None, *, data_layout="NCHW", **_):
    if x.rank < 2:
        raise ValueError(f"batch_norm(x): x must have at least 2 dimensions. Received x.shape={list(x.shape)}.")
    channels = x.shape[-1 if data_layout[-1] == "C" else 1]
    for name, spec in (("weight", scale), ("bias", bias), ("running_mean", mean), ("running_var", variance)):
        if spec is not None and -1 not in (channels, *spec.shape) and spec.shape != (channels,):
            raise ValueError(
                f"batch_norm({name}): it must have one element for each of the {channels} channels of x. Received "
                f"x.shape={list(x.shape)}, {name}.shape={list(spec.shape)}, data_format={data_layout!r}."
            )
    return x, mean, variance, mean, mean


def _batch_gradients(g, X, Scale, SavedMean, SavedVariance, is_test, use_global_stats, trainable_statistics,
                     data_layout, epsilon, wants):
    found = apply(norm_grad_op, X, Scale, SavedMean, SavedVariance, g, kind="batch", data_format=data_layout,
                  epsilon=epsilon, inverted=True,
                  constant=is_constant(is_test, use_global_stats, trainable_statistics))
    return _wanted(found, Scale, wants)


def _wanted(found: Sequence[Any], scale: Any, wants: Sequence[bool]) -> tuple[Any, Any, Any]:
    dx, d_scale, d_bias = found
    return dx if wants[0] else None, d_scale if wants[1] and scale is not None else None, d_bias if wants[2] else None


# the gradient of all of them

def _norm_grad(xp, x, scale, mean, inverse, g, *, kind: str, data_format: str = "NCHW", begin: int = 1,
               groups: int = 1, epsilon: float, inverted: bool = False, constant: bool = False):
    view = view_of(kind, x.shape, data_format, begin, groups)
    if kind == "batch" and x.size == mean.size and not constant:
        return g.copy(), xp.zeros_like(mean), xp.zeros_like(mean)
    statistic = _statistic_shape(view)
    inverse = inverse if inverted else 1 / xp.sqrt(inverse + epsilon)
    dx, d_scale, d_bias = gradients(
        xp, _wide(x).reshape(view.shape), mean.reshape(statistic), inverse.reshape(statistic), scale,
        _wide(g).reshape(view.shape), view, constant)
    return dx.reshape(x.shape).astype(x.dtype, copy=False), d_scale, d_bias


def _statistic_shape(view: View) -> list[int]:
    return [1 if n in view.axes else size for n, size in enumerate(view.shape)]


def _infer_norm_grad(x, scale, mean, inverse, g, *, kind, data_format="NCHW", begin=1, groups=1, **_):
    parameters = product(view_of(kind, x.shape, data_format, begin, groups).parameters)
    return x, Spec((parameters,), mean.dtype), Spec((parameters,), mean.dtype)


class _Second:
    """The gradient of `norm_grad`: of a sum of its three results, each times what came back for it.

    With n = (x - mean) * r, r = 1 / deviation, w = g * scale and the projection P(a) = a - mean(a) - n * mean(a * n),
    the results are r * P(w), sum(g * n) and sum(g). As functions of x, n has the gradient r * P(.) and r that of
    -r * r * n / count. Statistics that depend on x are taken anew, so that gradients of this are right as well.
    """

    def __init__(self, view: View, X: Any, mean: Any, spread: Any, epsilon: float, inverted: bool, constant: bool):
        self.view, self.constant = view, constant
        self.x = _shaped(X, view.shape)
        count = reduced_count(shape_handle(self.x), list(view.axes), False)
        self.count = count if isinstance(count, int) else cast(count, dtype_of(self.x))
        self.over = [n for n, size in enumerate(view.parameters) if size == 1]
        if constant:
            statistic = _statistic_shape(view)
            centered = self.x - _shaped(mean, statistic)
            self.r = _shaped(spread if inverted else _power(spread + epsilon, -0.5), statistic)
        else:
            centered = self.x - self.mean(self.x)
            self.r = _power(self.mean(centered * centered) + epsilon, -0.5)
        self.n = centered * self.r

    def mean(self, a: Any) -> Any:
        """The mean over the dimensions of the statistics."""
        summed = sum(a, list(self.view.axes), keepdim=True)
        return summed * (1.0 / self.count) if isinstance(self.count, int) else summed / self.count

    def project(self, a: Any) -> Any:
        """P(a)."""
        return a if self.constant else a - self.mean(a) - self.n * self.mean(a * self.n)

    def first(self, g: Any, scale: Any) -> tuple[Any, Any, Any]:
        """The three results."""
        return (self.r * self.project(g if scale is None else g * scale), sum(g * self.n, self.over, keepdim=True),
                sum(g, self.over, keepdim=True))

    def gradients(self, g: Any, scale: Any, v: Any, v_scale: Any, v_bias: Any) -> tuple[Any, Any, Any]:
        """Those of x, of scale and of g."""
        w = g if scale is None else g * scale
        back = self.r * self.project(v)
        d_g = (back if scale is None else back * scale) + v_scale * self.n + v_bias
        d_scale = sum(g * back, self.over, keepdim=True)
        h = v_scale * g
        if self.constant:
            return h * self.r, d_scale, d_g
        h = h - self.r * (v * self.mean(w * self.n) + w * self.mean(v * self.n))
        spread = self.mean(v * self.project(w))
        return self.r * self.project(h) - spread * self.r * self.r * self.n, d_scale, d_g

    def single(self, v: Any, found: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        """`gradients` of a batch norm: of one element for each channel the gradient is g, and nothing else counts."""
        if self.constant or (isinstance(self.count, int) and self.count > 1):
            return found
        d_x, d_scale, d_g = found
        if isinstance(self.count, int):
            return d_x * 0.0, d_scale * 0.0, v
        alone = apply(equal_op, self.count, full_like(self.count, 1.0))
        return d_x, d_scale, apply(broadcast_where_op, alone, v, d_g)


def _power(x: Any, exponent: float) -> Any:
    return apply(power_op, x, None, factor=exponent)


def _shaped(x: Any, shape: Sequence[int]) -> Any:
    return apply(reshape_op, x, None, None, shape=list(shape))


def norm_grad_in_parts(x: Any, scale: Any, mean: Any, spread: Any, g: Any, *, kind: str, data_format: str = "NCHW",
                       begin: int = 1, groups: int = 1, epsilon: float, inverted: bool = False,
                       constant: bool = False) -> tuple[Any, Any, Any]:
    """What `norm_grad` gives, by operators that files of PaddlePaddle have too; of a batch in training more than one.
    """
    view = view_of(kind, tuple(x.shape), data_format, begin, groups)
    parts = _Second(view, x, mean, spread, epsilon, inverted, constant)
    found = parts.first(_shaped(g, view.shape), None if scale is None else _shaped(scale, view.parameters))
    return reshape_to(found[0], shape_handle(x)), _shaped(found[1], [-1]), _shaped(found[2], [-1])


def _second(d_DX, d_DScale, d_DBias, X, Scale, Mean, Spread, G, kind, data_format, begin, groups, epsilon, inverted,
            constant, wants):
    view = view_of(kind, tuple(X.shape), data_format, begin, groups)
    parts = _Second(view, X, Mean, Spread, epsilon, inverted, constant)
    scale = None if Scale is None else _shaped(Scale, view.parameters)
    v = _shaped(d_DX, view.shape)
    found = parts.gradients(_shaped(G, view.shape), scale, v, _shaped(d_DScale, view.parameters),
                            _shaped(d_DBias, view.parameters))
    dx, d_scale, d_g = parts.single(v, found) if kind == "batch" else found
    handle = shape_handle(X)
    return (reshape_to(dx, handle), None if Scale is None else reshape_to(d_scale, shape_handle(Scale)),
            reshape_to(d_g, handle))


def _norm_grad_by_loops(x, scale, mean, spread, g, *, kind: str, data_format: str = "NCHW", begin: int = 1,
                        groups: int = 1, epsilon: float, inverted: bool = False, constant: bool = False):
    """The gradients of x, scale and bias; `spread` is 1 / deviation where `inverted`, the variance otherwise."""
    if kind == "layer":
        return NotImplemented if inverted else _layer_norm_grad_by_loops(x, scale, mean, spread, g, begin, epsilon)
    inverse = spread if inverted else 1 / np.sqrt(spread + epsilon)
    if kind == "batch":
        return _batch_norm_grad_by_loops(x, scale, mean, inverse, g, data_format, constant)
    if data_format[-1] == "C":
        return NotImplemented
    return _group_norm_grad_by_loops(x, scale, mean, inverse, g, x.shape[1] if kind == "instance" else groups)


norm_grad_op = operator("norm_grad", "X, Scale?, Mean, Spread, G -> DX, DScale, DBias", kernel=_norm_grad,
                        engines=[by(LOOPS, _norm_grad_by_loops)], infer=_infer_norm_grad, grad={"X, Scale, G": _second},
                        only_here=True)



def _with_scale_and_bias(x: Any, scale: Any, bias: Any, mean: Any, *others: Any,
                         **attrs: Any) -> tuple[tuple, dict[str, Any]]:
    """Ones and zeros where there is no scale and no bias: in Programs Paddle asks for both."""
    return (x, full_like(mean, 1.0) if scale is None else scale, full_like(mean, 0.0) if bias is None else bias, mean,
            *others), attrs


def _by_batch(type: str, only_here: bool = False) -> Operator:
    return operator(
        type,
        "X, Scale?, Bias?, Mean, Variance, MomentumTensor? -> "
        "Y, MeanOut=Mean, VarianceOut=Variance, SavedMean&, SavedVariance&, ReserveSpace?!",
        kernel=_batch_norm,
        engines=[by(LOOPS, _batch_norm_by_loops)], infer=_infer_batch_norm, adapted=_with_scale_and_bias,
        grad={"X, Scale, Bias": _batch_gradients}, precision="norm", only_here=only_here, float32="MomentumTensor",
        lod="first")


batch_norm_op = _by_batch("batch_norm")
# In files made for several devices; here there is one.
sync_batch_norm_op = _by_batch("sync_batch_norm", only_here=True)


# by sample

def _by_sample(xp: Any, x: Any, scale: Any, bias: Any, epsilon: float, view: View) -> tuple[Any, Any, Any, Any]:
    """The normalized array, mean, variance, and 1 / deviation."""
    mean, variance, centered = statistics(xp, _wide(x).reshape(view.shape), view)
    inverse = 1 / xp.sqrt(variance + epsilon)
    y = scaled(xp, centered, inverse, scale, bias, view)
    return y.reshape(x.shape).astype(x.dtype, copy=False), mean, variance, inverse


def _layer_norm(xp, x, scale=None, bias=None, *, begin_norm_axis: int = 1, epsilon: float = 1e-5):
    if begin_norm_axis >= x.ndim:  # a value of several ranks may have fewer than were counted on
        raise ValueError(f"layer_norm(x): there must be a dimension behind the first {begin_norm_axis}, which is "
                         f"normalized. Received shape {list(x.shape)}.")
    view = view_of("layer", x.shape, begin=begin_norm_axis)
    y, mean, variance, _ = _by_sample(xp, x, scale, bias, epsilon, view)
    lead = x.shape[:begin_norm_axis]
    return y, mean.reshape(lead), variance.reshape(lead)


def _infer_layer_norm(x, scale=None, bias=None, *, begin_norm_axis=1, epsilon=1e-5):
    inner = product(x.shape[begin_norm_axis:])
    for name, spec in (("weight", scale), ("bias", bias)):
        if spec is not None and inner >= 0 and product(spec.shape) not in (inner, -1):
            raise ValueError(
                f"layer_norm({name}): it must have the {inner} elements of the normalized dimensions "
                f"{list(x.shape[begin_norm_axis:])}. Received {name}.shape={list(spec.shape)}."
            )
    statistic = Spec(x.shape[:begin_norm_axis], _statistic_dtype(x))
    return x, statistic, statistic


def _statistic_dtype(x: Spec) -> Any:
    return float32 if x.dtype.itemsize == 2 else x.dtype


def _shaped_like_parameters(found: Sequence[Any], scale: Any, scale_shape: Any, bias_shape: Any,
                            wants: Sequence[bool]) -> tuple[Any, Any, Any]:
    dx, d_scale, d_bias = _wanted(found, scale, wants)
    return (dx, None if d_scale is None else reshape_to(d_scale, scale_shape),
            None if d_bias is None else reshape_to(d_bias, bias_shape))


def _layer_gradients(g, X, Scale, Scale_shape, Bias_shape, Mean, Variance, begin_norm_axis, epsilon, wants):
    found = apply(norm_grad_op, X, Scale, Mean, Variance, g, kind="layer", begin=begin_norm_axis, epsilon=epsilon)
    return _shaped_like_parameters(found, Scale, Scale_shape, Bias_shape, wants)


layer_norm_op = operator("layer_norm", "X, Scale?, Bias? -> Y, Mean&, Variance&", kernel=_layer_norm,
                         engines=[by(LOOPS, _layer_norm_by_loops)], infer=_infer_layer_norm, compiled="layer_norm",
                         grad={"X, Scale, Bias": _layer_gradients}, precision="norm black", lod="first", ordered=True)


def _group_norm(xp, x, scale=None, bias=None, *, epsilon: float = 1e-5, groups: int, data_layout: str = "NCHW"):
    view = view_of("group", x.shape, data_layout, groups=groups)
    y, mean, variance, _ = _by_sample(xp, x, scale, bias, epsilon, view)
    return y, mean.reshape(-1, groups), variance.reshape(-1, groups)


def _infer_group_norm(x, scale=None, bias=None, *, epsilon=1e-5, groups, data_layout="NCHW"):
    channels = x.shape[-1 if data_layout[-1] == "C" else 1]
    if channels >= 0 and channels % groups:
        raise ValueError(f"group_norm(num_groups): it must divide the {channels} channels. Received {groups}.")
    statistic = Spec((x.shape[0], groups), _statistic_dtype(x))
    return x, statistic, statistic


def _group_gradients(g, X, Scale, Mean, Variance, epsilon, groups, data_layout, wants):
    found = apply(norm_grad_op, X, Scale, Mean, Variance, g, kind="group", data_format=data_layout, groups=groups,
                  epsilon=epsilon)
    return _wanted(found, Scale, wants)


group_norm_op = operator("group_norm", "X, Scale?, Bias? -> Y, Mean&, Variance&", kernel=_group_norm,
                         engines=[by(LOOPS, _group_norm_by_loops)], infer=_infer_group_norm,
                         grad={"X, Scale, Bias": _group_gradients}, precision="norm black", lod="first", ordered=True)


def _instance_norm(xp, x, scale=None, bias=None, *, epsilon: float = 1e-5):
    y, mean, _, inverse = _by_sample(xp, x, scale, bias, epsilon, view_of("instance", x.shape))
    return y, mean.reshape(-1), inverse.reshape(-1)


def _infer_instance_norm(x, scale=None, bias=None, *, epsilon=1e-5):
    count = x.shape[0] * x.shape[1] if min(x.shape[:2]) >= 0 else -1
    statistic = Spec((count,), _statistic_dtype(x))
    return x, statistic, statistic


def _instance_gradients(g, X, Scale, SavedMean, SavedVariance, epsilon, wants):
    found = apply(norm_grad_op, X, Scale, SavedMean, SavedVariance, g, kind="instance", epsilon=epsilon, inverted=True)
    return _wanted(found, Scale, wants)


instance_norm_op = operator("instance_norm", "X, Scale?, Bias? -> Y, SavedMean&, SavedVariance&", kernel=_instance_norm,
                            engines=[by(LOOPS, _instance_norm_by_loops)], infer=_infer_instance_norm,
                            grad={"X, Scale, Bias": _instance_gradients}, precision="norm", lod="first", ordered=True)

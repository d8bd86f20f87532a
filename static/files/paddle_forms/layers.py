"""Gradients of activations, convolutions, pooling and normalization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....ops.array.creation import full_like
from ....ops.array.full import full
from ....ops.array.where import where_op
from ....ops.core.operator import find
from ....ops.core.trace import apply, current_trace
from ....ops.math.casting import cast
from ....ops.math.comparison import equal, greater_than, less_than, logical_and
from ....ops.nn.norm import norm_grad_in_parts
from .registry import form, gradient, gradients, zeros

_INFINITY = float("inf")


@form("slope_between", "G, X -> Out")
def _slope(g: Any, x: Any, *, low: float = -_INFINITY, high: float = _INFINITY, inside: float = 1.0,
           outside: float = 0.0) -> Any:
    above = greater_than(x, full_like(x, low)) if high == _INFINITY or low > -_INFINITY else None
    below = less_than(x, full_like(x, high)) if high < _INFINITY else None
    within = above if below is None else below if above is None else logical_and(above, below)
    return apply(where_op, within, g * inside, g * outside)


@form("where_equal", "G, X, Y -> Out")
def _where_equal(g: Any, x: Any, y: Any) -> Any:
    return g * cast(equal(x, y), g.dtype)


@form("where_inside", "G, X, Min?, Max? -> Out")
def _inside(g: Any, x: Any, least: Any, most: Any, **attrs: Any) -> Any:
    return gradient("clip", "X", x, {"X": x, "Min": least, "Max": most, "Out@GRAD": g}, **attrs)


@form("softmax_grad", "Out, G -> Result")
def _softmax(out: Any, g: Any, *, axis: int = -1) -> Any:
    return gradient("softmax", "X", out, {"Out": out, "Out@GRAD": g}, axis=axis)


@form("log_softmax_grad", "Out, G -> Result")
def _log_softmax(out: Any, g: Any, *, axis: int = -1) -> Any:
    return gradient("log_softmax", "X", out, {"Out": out, "Out@GRAD": g}, axis=axis)


@form("gelu_grad", "G, X -> Out")
def _gelu(g: Any, x: Any, *, approximate: bool = False) -> Any:
    return gradient("gelu", "X", x, {"X": x, "Out@GRAD": g}, approximate=approximate)


@form("maxout_grad", "X, Out, G -> Result")
def _maxout(x: Any, out: Any, g: Any, **attrs: Any) -> Any:
    return gradient("maxout", "X", x, {"X": x, "Out": out, "Out@GRAD": g}, **attrs)



def _windows(kind: str, x: Any) -> str:
    return kind + ("3d" if len(x.shape) == 5 else "2d")


def _convolution(of: str, like: Any, x: Any, weight: Any, g: Any, attrs: dict[str, Any]) -> Any:
    """The gradient of a convolution; what is not said of strides, paddings and dilations is."""
    count = len(g.shape) - 2
    said = {name: list(attrs.get(name) or [number] * count)
            for name, number in (("strides", 1), ("paddings", 0), ("dilations", 1))}
    return gradient(_windows("conv", g), of, like, {"Input": x, "Filter": weight, "Output@GRAD": g},
                     **{**attrs, **said})


@form("conv_input_grad", "G, Filter, Like? -> Output")
def _conv_input(g: Any, weight: Any, like: Any, *, size: Sequence[int] = (), groups: int = 1,
                data_format: str = "NCHW", **attrs: Any) -> Any:
    if like is None:
        channels = weight.shape[1] * groups
        last = data_format[-1] == "C"
        like = zeros([g.shape[0], *size, channels] if last else [g.shape[0], channels, *size], g)
    return _convolution("Input", like, like, weight, g, {"groups": groups, "data_format": data_format, **attrs})


@form("conv_filter_grad", "Input, G -> Output")
def _conv_filter(x: Any, g: Any, *, kernel: Sequence[int], groups: int = 1, data_format: str = "NCHW",
                 **attrs: Any) -> Any:
    at = -1 if data_format[-1] == "C" else 1
    weight = zeros([g.shape[at], x.shape[at] // groups, *kernel], g)
    return _convolution("Filter", weight, x, weight, g, {"groups": groups, "data_format": data_format, **attrs})


@form("pool_grad", "X, Out, G -> Result")
def _pool(x: Any, out: Any, g: Any, **attrs: Any) -> Any:
    return gradient(_windows("pool", x), "X", x, {"X": x, "Out": out, "Out@GRAD": g}, **attrs)


def _source(mean: Any) -> Any:
    """The operation that gave the mean of a batch."""
    return next((op for op in current_trace().block.ops
                 if op.type in ("batch_norm", "sync_batch_norm") and op.output("SavedMean") == [mean.name]), None)


def _of_batch(x: Any, scale: Any, mean: Any, spread: Any, g: Any) -> tuple[Any, Any, Any]:
    """The gradient of a batch in training: that of a batch of one, too, which is g."""
    source = _source(mean)
    if source is None:
        raise NotImplementedError("where the statistics are computed is not in this block")
    scale = full([mean.shape[0]], 1.0, mean.dtype) if scale is None else scale
    dx, d_scale, d_bias = gradients(source.type, {"X": x, "Scale": scale, "Bias": scale}, {
        "X": x, "Scale": scale, "Bias": _given(source, "Bias"), "Mean": _given(source, "Mean"),
        "Variance": _given(source, "Variance"), "SavedMean": mean, "SavedVariance": spread, "Y@GRAD": g},
        **{name: value for name, value in source.attrs.items() if name in find(source.type).attributes})
    return dx, d_scale, d_bias


def _given(op: Any, slot: str) -> Any:
    names = op.input(slot)
    return current_trace().block.var(names[0]) if names else None


def _statistics(mean: Any, spread: Any, attrs: dict[str, Any]) -> tuple[Any, Any]:
    """The running ones, as `batch_norm` was given them: PaddlePaddle does not hand them on."""
    source = _source(mean)
    if source is None:
        return mean, spread
    attrs["inverted"] = False
    return _given(source, "Mean"), _given(source, "Variance")


@form("norm_grad", "X, Scale?, Mean, Spread, G -> DX, DScale, DBias")
def _norm(x: Any, scale: Any, mean: Any, spread: Any, g: Any, *, kind: str, constant: bool = False,
          **attrs: Any) -> Any:
    if kind == "batch" and not constant:
        return _of_batch(x, scale, mean, spread, g)
    if len([size for size in x.shape if size < 0]) > 1:
        raise NotImplementedError("several sizes are not known")
    dx, d_scale, d_bias = norm_grad_in_parts(x, scale, *_statistics(mean, spread, attrs), g, kind=kind,
                                             constant=constant, **attrs)
    return dx, d_scale, d_bias

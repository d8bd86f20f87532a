"""Normalizations of a Program: by batch, layer, group, instance, by summaries of the data, and of a weight."""

from __future__ import annotations

import math
from typing import Any

from ...core.dtype import float32
from ...core.param_attr import ParamAttr
from ...core.unique_name import generate
from ...ops.core.result_names import results_named
from ...ops.core.trace import apply, drawing
from ...ops.math.elementwise import activated
from ...ops.nn.data_norm import data_norm_op
from ...ops.nn.norm import batch_norm_op, group_norm_op, instance_norm_op, layer_norm_op
from ...ops.nn.spectral_norm import spectral_norm_op
from ...ops.nn.window_arguments import check_format
from .parameters import constant, known_size, normal, parameter

_LAYOUTS = {"NC": "NCHW", "NCL": "NCHW", "NCHW": "NCHW", "NCDHW": "NCHW", "NLC": "NHWC", "NHWC": "NHWC",
            "NDHWC": "NHWC"}


def _layout(what: str, data_layout: str) -> str:
    check_format(what, data_layout, tuple(_LAYOUTS))
    return _LAYOUTS[data_layout]


def _channels(what: str, input: Any, layout: str) -> int:
    rank = len(input.shape)
    return known_size(f"{what}(input)", input, rank - 1 if layout == "NHWC" or rank < 2 else 1)


def _scale_and_bias(layer: str, input: Any, size: int, param_attr: Any, bias_attr: Any) -> tuple[Any, Any]:
    dtype = float32 if input.dtype.dtype.itemsize == 2 else input.dtype
    return (parameter(layer, "w", param_attr, (size,), dtype, initializer=constant(1.0)),
            parameter(layer, "b", bias_attr, (size,), dtype, is_bias=True))


@results_named(first="SavedMean SavedVariance ReserveSpace")
def batch_norm(input: Any, act: str | None = None, is_test: bool = False, momentum: float = 0.9,
               epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None, data_layout: str = "NCHW",
               in_place: bool = False, name: str | None = None, moving_mean_name: str | None = None,
               moving_variance_name: str | None = None, do_model_average_for_mean_and_var: bool = True,
               use_global_stats: bool = False) -> Any:
    """Batch normalization of input [N, C, …]: see `paddle.nn.functional.batch_norm`.

    Scale, bias, running mean and variance are parameters [C]; the last two are not trained and may be named. With
    `is_test` or `use_global_stats` the running statistics are used. `in_place` changes nothing.

    >>> import proa as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main, paddle.static.Program()), paddle.utils.unique_name.guard():
    ...     y = paddle.static.nn.batch_norm(paddle.static.data("x", [None, 3, 8, 8]))
    >>> [p.name for p in main.all_parameters()]
    ['batch_norm_0.w_0', 'batch_norm_0.b_0', 'batch_norm_0.w_1', 'batch_norm_0.w_2']
    """
    layer, layout = name or generate("batch_norm"), _layout("batch_norm", data_layout)
    drawing("batch_norm", layer)
    size = _channels("batch_norm", input, layout)
    scale, bias = _scale_and_bias(layer, input, size, _given(param_attr), _given(bias_attr))
    mean = parameter(layer, "w", moving_mean_name, (size,), scale.dtype, initializer=constant(0.0), trainable=False)
    variance = parameter(layer, "w", moving_variance_name, (size,), scale.dtype, initializer=constant(1.0),
                         trainable=False)
    result = apply(batch_norm_op, input, scale, bias, mean, variance, None, momentum=momentum, epsilon=epsilon,
                   data_layout=layout, is_test=is_test, trainable_statistics=False,
                   use_global_stats=use_global_stats)[0]
    return activated("batch_norm(act)", result, act)


def _given(attr: Any) -> Any:
    """The attr of a parameter that the operator must have: without one it is not trained."""
    from ...core.param_attr import ParamAttr

    return ParamAttr(trainable=False) if attr is False else attr


@results_named(first="Mean Variance")
def layer_norm(input: Any, scale: bool = True, shift: bool = True, begin_norm_axis: int = 1, epsilon: float = 1e-5,
               param_attr: Any = None, bias_attr: Any = None, act: str | None = None, name: str | None = None) -> Any:
    """Layer normalization over the dimensions from `begin_norm_axis` on: see `paddle.nn.functional.layer_norm`.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 16])
    ...     y = static.nn.layer_norm(x)
    >>> y.shape
    (-1, 16)
    """
    layer = name or generate("layer_norm")
    drawing("layer_norm", layer)
    size = math.prod(known_size("layer_norm(input)", input, n) for n in range(begin_norm_axis, len(input.shape)))
    weight, bias = _scale_and_bias(layer, input, size, param_attr if scale else False, bias_attr if shift else False)
    result = apply(layer_norm_op, input, weight, bias, epsilon=epsilon, begin_norm_axis=begin_norm_axis)[0]
    return activated("layer_norm(act)", result, act)


@results_named("_generated_var", first="Mean Variance", bare=True)
def group_norm(input: Any, groups: int, epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None,
               act: str | None = None, data_layout: str = "NCHW", name: str | None = None) -> Any:
    """Group normalization of input [N, C, …]: see `paddle.nn.functional.group_norm`. A False attr: no parameter.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 4, 8, 8])
    ...     y = static.nn.group_norm(x, groups=2)
    >>> y.shape
    (-1, 4, 8, 8)
    """
    layer, layout = name or generate("group_norm"), _layout("group_norm", data_layout)
    size = _channels("group_norm", input, layout)
    scale, bias = _scale_and_bias(layer, input, size, param_attr, bias_attr)
    result = apply(group_norm_op, input, scale, bias, epsilon=epsilon, groups=groups, data_layout=layout)[0]
    return activated("group_norm(act)", result, act)


@results_named(first="SavedMean SavedVariance")
def instance_norm(input: Any, epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None,
                  name: str | None = None) -> Any:
    """Normalization of input [N, C, …] by sample and channel: see `paddle.nn.functional.instance_norm`.

    `param_attr` and `bias_attr` are both False, for no parameters, or neither (ValueError).

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 3, 8, 8])
    ...     y = static.nn.instance_norm(x)
    >>> y.shape
    (-1, 3, 8, 8)
    """
    if (param_attr is False) != (bias_attr is False):
        raise ValueError("instance_norm: param_attr and bias_attr are both False, or neither.")
    layer, size = name or generate("instance_norm"), _channels("instance_norm", input, "NCHW")
    drawing("instance_norm", layer)
    scale, bias = _scale_and_bias(layer, input, size, param_attr, bias_attr)
    return apply(instance_norm_op, input, scale, bias, epsilon=epsilon)[0]


@results_named("_generated_var", first="Means Scales", bare=True)
def data_norm(input: Any, act: str | None = None, epsilon: float = 1e-5, param_attr: Any = None,
              data_layout: str = "NCHW", in_place: bool = False, name: str | None = None,
              moving_mean_name: str | None = None, moving_variance_name: str | None = None,
              do_model_average_for_mean_and_var: bool = True, slot_dim: int = -1, sync_stats: bool = False,
              summary_decay_rate: float = 0.9999999, enable_scale_and_shift: bool = False) -> Any:
    """(input - sum / count) * sqrt(count / squares), by summaries of the data seen so far: input [N, C].

    The summaries count, sum and squares are [C]; `param_attr`, a dict, may give their first values as `batch_size`
    (1e4), `batch_sum` (0) and `batch_square` (1e4), and those of scale and shift as `scale_w` (1) and `bias` (0).
    A run does not change the summaries: in PaddlePaddle its parameter server does.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 3])
    ...     y = static.nn.data_norm(x)
    >>> y.shape
    (-1, 3)
    """
    initial = {"batch_size": 1e4, "batch_sum": 0.0, "batch_square": 1e4, "scale_w": 1.0, "bias": 0.0,
               **(param_attr if isinstance(param_attr, dict) else {})}
    layer, layout = name or generate("data_norm"), _layout("data_norm", data_layout)
    size = _channels("data_norm", input, layout)

    def summary(suffix: str, key: str, trainable: bool = False) -> Any:
        named = ParamAttr(f"{layer}.{suffix}", initializer=constant(float(initial[key])))
        return parameter(layer, suffix, named, (size,), input.dtype, trainable=trainable)

    shifted = (summary("scale_w", "scale_w", True), summary("bias", "bias", True)) if enable_scale_and_shift else (
        None, None)
    result = apply(data_norm_op, input, summary("batch_size", "batch_size"), summary("batch_sum", "batch_sum"),
                   summary("batch_square_sum", "batch_square"), *shifted, epsilon=epsilon, slot_dim=slot_dim,
                   summary_decay_rate=summary_decay_rate, sync_stats=sync_stats, data_layout=layout,
                   enable_scale_and_shift=enable_scale_and_shift)[0]
    return activated("data_norm(act)", result, act)


@results_named("_generated_var", bare=True)
def spectral_norm(weight: Any, dim: int = 0, power_iters: int = 1, eps: float = 1e-12, name: str | None = None) -> Any:
    """A weight divided by its largest singular value, as a matrix of `dim` by the rest.

    The value is estimated by `power_iters` steps of the power method from two vectors, which are parameters that are
    not trained. After "Spectral Normalization" (Miyato et al., 2018).

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [2, 8, 32])
    ...     y = static.nn.spectral_norm(x)
    >>> y.shape
    (2, 8, 32)
    """
    layer, rank = name or generate("spectral_norm"), len(weight.shape)
    height = known_size("spectral_norm(weight)", weight, dim % rank)
    width = math.prod(known_size("spectral_norm(weight)", weight, n) for n in range(rank) if n != dim % rank)
    u, v = (parameter(layer, "w", None, (size,), weight.dtype, initializer=normal(1.0), trainable=False)
            for size in (height, width))
    return apply(spectral_norm_op, weight, u, v, dim=dim, power_iters=power_iters, eps=eps)

"""Normalizations: by batch, layer, group, instance, by summaries of data; of a weight; l2_normalize, lrn."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ...core.dtype import float32
from ...ops.array.full import is_value
from ...ops.core.trace import current_trace
from ...static.building.mode import default_main_program
from ..dygraph.base import evaluating
from ..initializer import Constant, Normal
from ..layer_helper import LayerHelper, need_floats, need_format, need_one_of
from ..mode import face
from ..param_attr import ParamAttr


def _dtype(input: Any) -> Any:
    return float32 if input.dtype.name == "float16" else input.dtype


def _channels(what: str, input: Any, data_layout: str) -> int:
    need_format(f"{what}(data_layout)", data_layout, 2)
    if len(input.shape) < 2:
        raise ValueError(f"{what}(input): must have two dimensions at least, samples and channels. Received shape "
                         f"{list(input.shape)}.")
    need_floats(f"{what}(input)", input)
    return input.shape[1 if data_layout == "NCHW" else -1]


def _kept(attr: Any) -> Any:
    """The attr of a parameter that the operator must have: for False it is not trained."""
    return ParamAttr(trainable=False) if attr is False else attr


def _by_batch(helper: LayerHelper, input: Any, is_test: bool, momentum: Any, epsilon: float, param_attr: Any,
              bias_attr: Any, data_layout: str, moving_mean_name: str | None, moving_variance_name: str | None,
              averaged: bool, use_global_stats: bool) -> Any:
    """The operator `batch_norm` with parameters that are named as the helper says."""
    dtype, size = _dtype(input), [_channels(helper.layer_type, input, data_layout)]
    scale = helper.parameter(_kept(param_attr), size, dtype, default_initializer=Constant(1.0))
    bias = helper.parameter(_kept(bias_attr), size, dtype, is_bias=True)
    mean, variance = (helper.parameter(ParamAttr(given, Constant(first), trainable=False, do_model_average=averaged),
                                       size, dtype)
                      for given, first in ((moving_mean_name, 0.0), (moving_variance_name, 1.0)))
    tensor, share = (momentum, 0.9) if is_value(momentum) else (None, momentum)
    return helper.apply("batch_norm", input, scale, bias, mean, variance, tensor,
                        first=("SavedMean", "SavedVariance"), without="ReserveSpace", momentum=share, epsilon=epsilon,
                        is_test=is_test, data_layout=data_layout, use_global_stats=use_global_stats)[0]


@face
def batch_norm(input: Any, act: str | None = None, is_test: bool = False, momentum: Any = 0.9, epsilon: float = 1e-5,
               param_attr: Any = None, bias_attr: Any = None, data_layout: str = "NCHW", in_place: bool = False,
               name: str | None = None, moving_mean_name: str | None = None, moving_variance_name: str | None = None,
               do_model_average_for_mean_and_var: bool = True, use_global_stats: bool = False) -> Any:
    """act(the input, each channel shifted and scaled to mean 0 and variance 1, times a scale, plus a bias).

    Running mean and variance are parameters that are not trained; `is_test` and `use_global_stats` take them.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.layers.batch_norm(fluid.data("x", [None, 3, 8, 8]), act="relu").shape
    (-1, 3, 8, 8)
    """
    helper = LayerHelper("batch_norm", name=name)
    return helper.activated(_by_batch(helper, input, is_test, momentum, epsilon, param_attr, bias_attr, data_layout,
                                      moving_mean_name, moving_variance_name, do_model_average_for_mean_and_var,
                                      use_global_stats), act)


@face
def inplace_abn(input: Any, act: str | None = None, is_test: bool = False, momentum: Any = 0.9, epsilon: float = 1e-5,
                param_attr: Any = None, bias_attr: Any = None, data_layout: str = "NCHW", name: str | None = None,
                moving_mean_name: str | None = None, moving_variance_name: str | None = None,
                do_model_average_for_mean_and_var: bool = True, use_global_stats: bool = False,
                act_alpha: float = 1.0) -> Any:
    """As `batch_norm`: memory is reused as it is. `act`: None, "identity", "leaky_relu" or "elu", with `act_alpha`."""
    helper = LayerHelper("inplace_abn", name=name)
    made = _by_batch(helper, input, is_test, momentum, epsilon, param_attr, bias_attr, data_layout, moving_mean_name,
                     moving_variance_name, do_model_average_for_mean_and_var, use_global_stats)
    return made if act in (None, "identity") else helper.apply(act, made, alpha=act_alpha)


@face
def layer_norm(input: Any, scale: bool = True, shift: bool = True, begin_norm_axis: int = 1, epsilon: float = 1e-5,
               param_attr: Any = None, bias_attr: Any = None, act: str | None = None, name: str | None = None) -> Any:
    """act(the input normalized over its dimensions from `begin_norm_axis` on, times a scale, plus a bias)."""
    helper, dtype = LayerHelper("layer_norm", name=name), _dtype(input)
    size = [math.prod(input.shape[begin_norm_axis:])]
    for wanted, attr, what in ((scale, param_attr, "param_attr"), (shift, bias_attr, "bias_attr")):
        if not wanted and attr:
            warnings.warn(f"layer_norm({what}): there is no such parameter, and it says nothing.", stacklevel=3)
    weight = helper.parameter(param_attr, size, dtype, default_initializer=Constant(1.0)) if scale else None
    bias = helper.parameter(bias_attr, size, dtype, is_bias=True) if shift else None
    made = helper.apply("layer_norm", input, weight, bias, first=("Mean", "Variance"), epsilon=epsilon,
                        begin_norm_axis=begin_norm_axis)[0]
    return helper.activated(made, act)


@face
def group_norm(input: Any, groups: int, epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None,
               act: str | None = None, data_layout: str = "NCHW", name: str | None = None) -> Any:
    """act(the input normalized by groups of channels); times a scale, plus a bias, where these have an attr."""
    helper, dtype = LayerHelper("group_norm", name=name), _dtype(input)
    size = [_channels("group_norm", input, data_layout)]
    scale = helper.parameter(param_attr or False, size, dtype, default_initializer=Constant(1.0))
    bias = helper.parameter(bias_attr or False, size, dtype, is_bias=True)
    made = helper.apply("group_norm", input, scale, bias, first=("Mean", "Variance"), key="_generated_var",
                        epsilon=epsilon, groups=groups, data_layout=data_layout)[0]
    return helper.activated(made, act)


@face
def instance_norm(input: Any, epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None,
                  name: str | None = None) -> Any:
    """The input normalized by sample and channel, times a scale, plus a bias."""
    helper, dtype = LayerHelper("instance_norm", name=name), _dtype(input)
    size = [input.shape[1]]
    scale = helper.parameter(param_attr, size, dtype, default_initializer=Constant(1.0))
    bias = helper.parameter(bias_attr, size, dtype, is_bias=True, default_initializer=Constant(0.0))
    return helper.apply("instance_norm", input, scale, bias, first=("SavedMean", "SavedVariance"),
                        epsilon=epsilon)[0]


@face
def data_norm(input: Any, act: str | None = None, epsilon: float = 1e-5, param_attr: Any = None,
              data_layout: str = "NCHW", in_place: bool = False, name: str | None = None,
              moving_mean_name: str | None = None, moving_variance_name: str | None = None,
              do_model_average_for_mean_and_var: bool = True, slot_dim: int = -1, sync_stats: bool = False,
              summary_decay_rate: float = 0.9999999, enable_scale_and_shift: bool = False) -> Any:
    """act((input - sum / count) * sqrt(count / squares)), by summaries that a run does not change."""
    first = {"batch_size": 1e4, "batch_sum": 0.0, "batch_square": 1e4, "scale_w": 1.0, "bias": 0.0,
             **(param_attr if isinstance(param_attr, dict) else {})}
    helper = LayerHelper("data_norm", name=name)
    size, layer = [_channels("data_norm", input, data_layout)], name or "dn"

    def summary(suffix: str, key: str) -> Any:
        attr = ParamAttr(f"{layer}.{suffix}", Constant(float(first[key])), trainable=True)
        return helper.parameter(attr, size, input.dtype)

    shifted = (summary("scale_w", "scale_w"), summary("bias", "bias")) if enable_scale_and_shift else (None, None)
    made = helper.apply("data_norm", input, summary("batch_size", "batch_size"), summary("batch_sum", "batch_sum"),
                        summary("batch_square_sum", "batch_square"), *shifted, first=("Means", "Scales"),
                        key="_generated_var", epsilon=epsilon, slot_dim=slot_dim,
                        sync_stats=sync_stats, summary_decay_rate=summary_decay_rate,
                        enable_scale_and_shift=enable_scale_and_shift)[0]
    return helper.activated(made, act)


@face
def spectral_norm(weight: Any, dim: int = 0, power_iters: int = 1, eps: float = 1e-12, name: str | None = None) -> Any:
    """A weight divided by its largest singular value, as a matrix of `dim` by the rest."""
    helper = LayerHelper("spectral_norm", name=name)
    height = weight.shape[dim]
    u, v = (helper.parameter(ParamAttr(trainable=False), [size], weight.dtype, default_initializer=Normal(0.0, 1.0))
            for size in (height, math.prod(weight.shape) // height))
    return helper.apply("spectral_norm", weight, u, v, key="_generated_var", dim=dim, power_iters=power_iters, eps=eps)


@face
def l2_normalize(x: Any, axis: int | None, epsilon: float = 1e-12, name: str | None = None) -> Any:
    """x divided by its Euclidean norm along an axis."""
    along = 0 if len(x.shape) == 1 else 1 if axis is None else axis
    return LayerHelper("l2_normalize", name=name).apply("norm", x, first=("Out", "Norm"), axis=along,
                                                        epsilon=epsilon)[1]


@face
def lrn(input: Any, n: int = 5, k: float = 1.0, alpha: float = 1e-4, beta: float = 0.75, name: str | None = None,
        data_format: str = "NCHW") -> Any:
    """Each element over (k + alpha * the sum of squares of n neighbouring channels) ** beta."""
    need_format("lrn(data_format)", data_format, 2)
    if n < 1 or n % 2 == 0:
        raise ValueError(f"lrn(n): must be odd and positive, as many channels lie on either side. Received {n}.")
    return LayerHelper("lrn", name=name).apply("lrn", input, first=("MidOut", "Out"), n=n, k=k, alpha=alpha,
                                               beta=beta, data_format=data_format)[0]


@face
def affine_channel(x: Any, scale: Any = None, bias: Any = None, data_layout: str = "NCHW", name: str | None = None,
                   act: str | None = None) -> Any:
    """act(x times a scale for each channel, plus a bias for each)."""
    need_one_of("affine_channel(data_layout)", data_layout, "NCHW", "NHWC", "AnyLayout")
    helper = LayerHelper("affine_channel", name=name)
    return helper.activated(helper.apply("affine_channel", x, scale, bias, data_layout=data_layout), act)


@face
def dropout(x: Any, dropout_prob: float, is_test: bool = False, seed: int | None = None, name: str | None = None,
            dropout_implementation: str = "downgrade_in_infer") -> Any:
    """Zeros in place of elements at random; in evaluation, by the default implementation, x * (1 - dropout_prob).

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.ones(4, "float32"))
    ...     fluid.layers.dropout(x, 0.25, is_test=True).numpy().tolist()
    [0.75, 0.75, 0.75, 0.75]
    """
    if not 0 <= dropout_prob <= 1:
        raise ValueError(f"dropout(dropout_prob): must lie in [0, 1]. Received {dropout_prob}.")
    need_one_of("dropout(dropout_implementation)", dropout_implementation, "downgrade_in_infer", "upscale_in_train")
    need_floats("dropout(x)", x)
    trace = current_trace()
    given = seed or getattr(default_main_program() if trace.computes else trace.main, "random_seed", 0) or seed
    return LayerHelper("dropout", name=name).apply(
        "dropout", x, None, dropout_prob=dropout_prob, is_test=is_test or evaluating(), seed=given or 0,
        fix_seed=given is not None and given != 0, dropout_implementation=dropout_implementation)[0]


__all__ = ["affine_channel", "batch_norm", "data_norm", "dropout", "group_norm", "inplace_abn", "instance_norm",
           "l2_normalize", "layer_norm", "lrn", "spectral_norm"]

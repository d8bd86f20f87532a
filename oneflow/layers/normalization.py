"""Normalization with variables of its own: by batch, with running statistics, and by layer."""

from __future__ import annotations

from typing import Any

from ...nn import functional
from ...ops.array.full import full
from ...ops.array.reshape import reshape, transpose
from ...ops.math.elementwise import add, multiply, subtract
from ...ops.math.reduce import mean as mean_over
from ...ops.math.reduce import sum
from ..initializers import constant_initializer, ones_initializer, zeros_initializer
from ..job.current import current
from ..nn.normalization import layer_norm as normalized_layer
from .parameters import layer_name, layer_variable


def batch_normalization(inputs: Any, axis: int = -1, momentum: float = 0.99, epsilon: float = 0.001,
                        center: bool = True, scale: bool = True, beta_initializer: Any = None,
                        gamma_initializer: Any = None, beta_regularizer: Any = None, gamma_regularizer: Any = None,
                        moving_mean_initializer: Any = None, moving_variance_initializer: Any = None,
                        trainable: bool = True, training: bool = True, name: str | None = "BatchNorm",
                        gamma_name: str | None = None, beta_name: str | None = None,
                        moving_mean_name: str | None = None, moving_variance_name: str | None = None) -> Any:
    """(inputs - mean) / sqrt(variance + epsilon) * NAME-gamma + NAME-beta, for each index of dimension `axis`.

    In jobs of type "train", where `trainable` and `training` are true, mean and (biased) variance are those of the
    batch, and NAME-moving_mean and NAME-moving_variance become `momentum * moving + (1 - momentum) * batch`; otherwise
    these are used. Without `center` there is no beta, without `scale` no gamma. The four `..._name` are names instead.
    After "Batch Normalization" (Ioffe and Szegedy, 2015).

    >>> import numpy as np
    >>> import proa.oneflow as flow, proa.oneflow.typing as tp
    >>> @flow.global_function()
    ... def job(x: tp.Numpy.Placeholder((1, 2, 4, 4))) -> tp.Numpy:
    ...     return flow.layers.batch_normalization(x, axis=1, epsilon=0.0, name="bn")
    >>> float(job(np.ones((1, 2, 4, 4), np.float32)).max())
    1.0
    """
    rank = len(inputs.shape)
    if not -rank <= axis < rank:
        raise ValueError(f"batch_normalization(axis): must be a dimension of the inputs. Received {axis} for "
                         f"inputs.shape={list(inputs.shape)}.")
    axis %= rank
    name = layer_name(name, "BatchNorm")
    count, dtype = inputs.shape[axis], "float32" if inputs.dtype.name == "float16" else inputs.dtype
    variable = {"shape": (count,), "dtype": dtype}
    beta = layer_variable(name, "beta", beta_name, initializer=beta_initializer or zeros_initializer(),
                          regularizer=beta_regularizer, trainable=trainable, **variable) if center else \
        full([count], 0.0, dtype)
    gamma = layer_variable(name, "gamma", gamma_name, initializer=gamma_initializer or ones_initializer(),
                           regularizer=gamma_regularizer, trainable=trainable, **variable) if scale else \
        full([count], 1.0, dtype)
    mean = layer_variable(name, "moving_mean", moving_mean_name, trainable=False,
                          initializer=moving_mean_initializer or zeros_initializer(), **variable)
    variance = layer_variable(name, "moving_variance", moving_variance_name, trainable=False,
                              initializer=moving_variance_initializer or ones_initializer(), **variable)
    by_batch = bool(training and trainable and current("batch_normalization").is_trainable)
    return batch_normalized(inputs, axis, mean, variance, gamma, beta, by_batch, momentum, epsilon)


def batch_normalized(x: Any, axis: int, mean: Any, variance: Any, gamma: Any, beta: Any, by_batch: bool,
                     momentum: float, epsilon: float) -> Any:
    """x normalized for each index of an axis, by its own statistics (which move `mean` and `variance`) or by these."""
    # The operator wants the channels second, or last of images.
    rank = len(x.shape)
    order = [0, axis, *(i for i in range(1, rank) if i != axis)] if axis else [1, 0, *range(2, rank)]
    if axis == 1 or (axis == rank - 1 and rank > 2):
        return functional.batch_norm(x, mean, variance, gamma, beta, by_batch, momentum, epsilon,
                                        "NCHW" if axis == 1 else "NHWC")
    if rank == 1:
        row = reshape(x, [1, -1])
        return reshape(batch_normalized(row, 1, mean, variance, gamma, beta, by_batch, momentum, epsilon),
                       list(x.shape))
    back = [order.index(i) for i in range(rank)]
    return transpose(functional.batch_norm(transpose(x, order), mean, variance, gamma, beta, by_batch, momentum,
                                              epsilon, "NCHW"), back)


def batch_normalization_add_relu(inputs: Any, addend: Any = None, axis: int = -1, momentum: float = 0.99,
                                 epsilon: float = 0.001, center: bool = True, scale: bool = True,
                                 beta_initializer: Any = None, gamma_initializer: Any = None,
                                 beta_regularizer: Any = None, gamma_regularizer: Any = None,
                                 moving_mean_initializer: Any = None, moving_variance_initializer: Any = None,
                                 trainable: bool = True, training: bool = True, name: str | None = "BatchNorm",
                                 gamma_name: str | None = None, beta_name: str | None = None,
                                 moving_mean_name: str | None = None, moving_variance_name: str | None = None) -> Any:
    """relu(`batch_normalization(inputs)` + addend), the addend being left out if it is None."""
    result = batch_normalization(inputs, axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer,
                                 beta_regularizer, gamma_regularizer, moving_mean_initializer,
                                 moving_variance_initializer, trainable, training, name, gamma_name, beta_name,
                                 moving_mean_name, moving_variance_name)
    return functional.relu(result if addend is None else add(result, addend))


def batch_normalization_relu(inputs: Any, axis: int = -1, momentum: float = 0.99, epsilon: float = 0.001,
                             center: bool = True, scale: bool = True, beta_initializer: Any = None,
                             gamma_initializer: Any = None, beta_regularizer: Any = None, gamma_regularizer: Any = None,
                             moving_mean_initializer: Any = None, moving_variance_initializer: Any = None,
                             trainable: bool = True, training: bool = True, name: str | None = "BatchNorm") -> Any:
    """relu(`batch_normalization(inputs)`)."""
    return functional.relu(batch_normalization(
        inputs, axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer, beta_regularizer,
        gamma_regularizer, moving_mean_initializer, moving_variance_initializer, trainable, training, name))


def layer_norm(inputs: Any, center: bool = True, scale: bool = True, trainable: bool = True, begin_norm_axis: int = 1,
               begin_params_axis: int = -1, epsilon: float = 1e-5, name: str | None = "LayerNorm") -> Any:
    """(inputs - mean) / sqrt(variance + epsilon) * NAME-gamma + NAME-beta, over dimensions from `begin_norm_axis` on.

    The variables have the sizes of the dimensions from `begin_params_axis` on. Without `center` there is no beta,
    without `scale` no gamma. After "Layer Normalization" (Ba et al., 2016).
    """
    name = layer_name(name, "LayerNorm")
    variable = {"shape": tuple(inputs.shape)[begin_params_axis:], "dtype": inputs.dtype, "trainable": trainable}
    beta = layer_variable(name, "beta", initializer=constant_initializer(0.0), model_name="beta",
                          **variable) if center else None
    gamma = layer_variable(name, "gamma", initializer=constant_initializer(1.0), model_name="gamma",
                           **variable) if scale else None
    return normalized_layer(inputs, gamma, beta, begin_norm_axis, begin_params_axis, epsilon)


# gradients by name: for functions that users write backwards themselves

def _broadcast(statistics: Any, x: Any) -> Any:
    """Statistics of the first dimensions, with 1s behind them."""
    sizes = list(statistics.shape)
    return reshape(statistics, [*sizes, *[1] * (len(x.shape) - len(sizes))])


def layer_norm_grad(dy: Any, x: Any, mean: Any, inv_variance: Any, begin_norm_axis: int = 1,
                    name: str | None = "LayerNormGrad") -> Any:
    """The gradient of x from that of (x - mean) * inv_variance, both being of the dimensions from `begin_norm_axis` on.

    `inv_variance` is 1 / sqrt(variance + epsilon), as in OneFlow. `mean` and it have the sizes of the dimensions before
    `begin_norm_axis`.
    """
    over = list(range(begin_norm_axis % len(x.shape), len(x.shape)))
    around, deviation = _broadcast(mean, x), _broadcast(inv_variance, x)
    normalized = multiply(subtract(x, around), deviation)
    inner = subtract(subtract(dy, mean_over(dy, over, keepdim=True)),
                     multiply(normalized, mean_over(multiply(dy, normalized), over, keepdim=True)))
    return multiply(inner, deviation)


def layer_norm_param_grad(dy: Any, norm: Any, gamma: Any, begin_params_axis: int = -1,
                          name: str | None = "LayerNormParamGrad") -> tuple[Any, Any, Any]:
    """The gradients of `norm`, of beta and of gamma, from that of norm * gamma + beta."""
    over = list(range(begin_params_axis % len(dy.shape)))
    return multiply(dy, gamma), sum(dy, over), sum(multiply(dy, norm), over)

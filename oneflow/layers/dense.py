"""Fully connected layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.array.reshape import reshape
from ...ops.linalg.matrix_product import matmul
from ..initializers import constant_initializer
from ..nn.bias import bias_add
from .parameters import activated, layer_name, layer_variable


def dense(inputs: Any, units: int, activation: Callable[..., Any] | None = None, use_bias: bool = True,
          kernel_initializer: Any = None, bias_initializer: Any = None, kernel_regularizer: Any = None,
          bias_regularizer: Any = None, trainable: bool = True, name: str | None = "Dense",
          model_distribute: Any = None) -> Any:
    """activation(inputs by the transpose of NAME-weight [units, in] + NAME-bias [units]), for each row.

    The inputs are [..., in]. Both variables begin with zeros unless initializers are given: a network of several such
    layers wants others. `activation` is called with the value and `name`. `model_distribute` says nothing here.

    >>> import numpy as np
    >>> import proa.oneflow as flow, proa.oneflow.typing as tp
    >>> @flow.global_function()
    ... def job(x: tp.Numpy.Placeholder((2, 3))) -> tp.Numpy:
    ...     return flow.layers.dense(x, 4, kernel_initializer=flow.ones_initializer(), name="dense1")
    >>> job(np.ones((2, 3), np.float32))[0].tolist()
    [3.0, 3.0, 3.0, 3.0]
    """
    sizes = list(inputs.shape)
    if len(sizes) < 2:
        raise ValueError(f"dense(inputs): must have at least 2 dimensions. Received inputs.shape={sizes}.")
    name = layer_name(name, "Dense")
    rows = inputs if len(sizes) == 2 else reshape(inputs, [-1, sizes[-1]])
    weight = layer_variable(name, "weight", shape=(units, sizes[-1]), dtype=inputs.dtype,
                            initializer=kernel_initializer or constant_initializer(0), regularizer=kernel_regularizer,
                            trainable=trainable, model_name="weight", distribute=model_distribute)
    result = matmul(rows, weight, transpose_y=True)
    if use_bias:
        result = bias_add(result, layer_variable(
            name, "bias", shape=(units,), dtype=inputs.dtype, initializer=bias_initializer or constant_initializer(0),
            regularizer=bias_regularizer, trainable=trainable, model_name="bias", distribute=model_distribute))
    result = activated(activation, name, result)
    return result if len(sizes) == 2 else reshape(result, [*sizes[:-1], units])

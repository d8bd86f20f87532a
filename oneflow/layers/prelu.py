"""A rectifier whose slope below 0 is learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.array.creation import zeros_like
from ...ops.array.where import where
from ...ops.math.comparison import greater_than
from ...ops.math.elementwise import multiply
from ..initializers import constant_initializer
from .parameters import layer_name, layer_variable


def prelu(inputs: Any, alpha_initializer: Any = None, alpha_regularizer: Any = None,
          shared_axes: Sequence[int] | None = None, trainable: bool = True, name: str | None = "PRelu",
          model_distribute: Any = None) -> Any:
    """The inputs where they are positive, NAME-alpha times them elsewhere.

    The variable has the inputs' shape without the first dimension, and size 1 in those of `shared_axes`; it begins with
    zeros unless an initializer is given. After "Delving Deep into Rectifiers" (He et al., 2015).
    """
    sizes = list(inputs.shape)[1:]
    for axis in shared_axes or ():
        if not 1 <= axis <= len(sizes):
            raise ValueError(f"prelu(shared_axes): must be dimensions from 1 to {len(sizes)}. Received "
                             f"{shared_axes!r}.")
        sizes[axis - 1] = 1
    alpha = layer_variable(layer_name(name, "PRelu"), "alpha", shape=tuple(sizes), dtype=inputs.dtype,
                           initializer=alpha_initializer or constant_initializer(0), regularizer=alpha_regularizer,
                           trainable=trainable, distribute=model_distribute)
    return where(greater_than(inputs, zeros_like(inputs)), inputs, multiply(inputs, alpha))

"""Layers for Programs, as functions: `fc` and control flow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.param_attr import ParamAttr, to_param_attr
from ..core.unique_name import generate
from ..ops.infer import product
from ..ops.initial import default_initial_value
from ..ops.linalg import matmul
from ..ops.manipulation import reshape
from ..ops.operator import find, is_declared
from ..ops.trace import apply, current_trace
from .control_flow import case, cond, switch_case, while_loop

__all__ = ["case", "cond", "fc", "switch_case", "while_loop"]


def _parameter(layer: str, suffix: str, attr: Any, shape: tuple[int, ...], dtype: Any, is_bias: bool) -> Any:
    """A parameter of a layer, or None where its attr is False."""
    param = to_param_attr(attr)
    if param is None:
        return None
    named = ParamAttr(param.name or f"{layer}.{suffix}", learning_rate=param.learning_rate, trainable=param.trainable,
                      regularizer=param.regularizer, need_clip=param.need_clip)
    return current_trace().parameter(shape, dtype, named, param.initializer or default_initial_value(is_bias))


def fc(x: Any, size: int, num_flatten_dims: int = 1, weight_attr: Any = None, bias_attr: Any = None,
       activation: str | None = None, name: str | None = None) -> Any:
    """A fully connected layer: activation(x · W + b), x flattened to a matrix behind `num_flatten_dims` dimensions.

    `x`: a value, or several that are multiplied by a weight each and summed. The flattened size must be known
    (ValueError). The result has the first `num_flatten_dims` sizes of x and then `size`.

    >>> import proa as paddle
    >>> with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
    ...     paddle.static.nn.fc(paddle.static.data("x", [None, 4]), 3).shape
    (-1, 3)
    """
    layer = name or generate("fc")
    inputs: Sequence[Any] = x if isinstance(x, (list, tuple)) else [x]
    total = None
    for number, value in enumerate(inputs):
        behind = num_flatten_dims if num_flatten_dims >= 0 else len(value.shape) + num_flatten_dims
        width = product(value.shape[behind:])
        if width < 0:
            raise ValueError(f"fc(x): the sizes behind dimension {behind} must be known. Received {list(value.shape)}.")
        weight = _parameter(layer, f"w_{number}", weight_attr, (width, size), value.dtype, False)
        flat = value if len(value.shape) == behind + 1 else reshape(value, [*_kept(value, behind), width])
        part = matmul(flat, weight)
        total = part if total is None else total + part
    bias = _parameter(layer, "b_0", bias_attr, (size,), inputs[0].dtype, True)
    if bias is not None:
        total = total + bias
    return total if activation is None else _activated(total, activation)


def _activated(value: Any, activation: str) -> Any:
    """The value after the operator of that type, with its default attributes."""
    if not is_declared(activation):
        raise ValueError(f"fc(activation): must be the name of an operator, such as 'relu'. Received {activation!r}.")
    return apply(find(activation), value)


def _kept(value: Any, count: int) -> list[int]:
    """The first sizes for a reshape: 0 keeps one that is not known."""
    return [0 if size < 0 else size for size in value.shape[:count]]

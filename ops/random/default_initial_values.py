"""The initial values that a parameter gets when nobody says otherwise."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

from ...core.dtype import DType
from ..array.creation import assign
from ..array.full import full


def fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """How many inputs and outputs meet in one element's unit: (fan_in, fan_out) of a weight.

    A matrix is [in, out]; a convolution's filter is [out, in, *window].
    """
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    if len(shape) == 2:
        return shape[0], shape[1]
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def _xavier_uniform(shape: tuple[int, ...], dtype: DType) -> Any:
    from .sampling import uniform

    fan_in, fan_out = fans(shape)
    if min(shape, default=1) < 0 or fan_in + fan_out <= 0:
        raise ValueError(f"a parameter of shape {list(shape)} has no first value: its sizes must be positive.")
    limit = math.sqrt(6.0 / (fan_in + fan_out))
    return uniform(list(shape), dtype, -limit, limit)


def _zeros(shape: tuple[int, ...], dtype: DType) -> Any:
    return full(list(shape), 0.0, dtype)


def default_initial_value(is_bias: bool) -> Callable[..., Any]:
    """Zeros for a bias; otherwise uniform within sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""
    return _zeros if is_bias else _xavier_uniform


_for_all: dict[bool, Any] = {False: None, True: None}


def set_for_all(weight: Any, bias: Any) -> None:
    """Sets what every weight and every bias begins with whose attr has no initializer; None for the layers' own."""
    _for_all[False], _for_all[True] = weight, bias


def initial_value(is_bias: bool, layers_own: Any = None) -> Any:
    """The initializer set for all, else the layer's own, else XavierUniform for a weight and zeros for a bias."""
    return _for_all[is_bias] or layers_own or default_initial_value(is_bias)


def giving_values(initializer: Any) -> Any:
    """An initializer as what gives a value for a shape and a dtype.

    One of `paddle.nn.initializer` does, by its method `value`, and so does a function of (shape, dtype). Anything else
    that can be called is taken by Paddle's contract: it fills a parameter that it is given, beside its block.
    """
    if callable(getattr(initializer, "value", None)) or not callable(initializer) or _is_of_shape(initializer):
        return initializer
    return functools.partial(_filled_by, initializer)


def _is_of_shape(function: Callable[..., Any]) -> bool:
    try:
        return "dtype" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # of a function in C
        return False


def _filled_by(initializer: Callable[..., Any], shape: tuple[int, ...], dtype: DType) -> Any:
    begun = full(list(shape), 0.0, dtype)
    initializer(begun, getattr(begun, "block", None))
    return assign(begun)

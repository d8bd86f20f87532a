"""`to_static`, as decorator and as function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..nn import Layer
from .static_function import StaticFunction


def to_static(function: Any = None, input_spec: Sequence[Any] | None = None, build_strategy: Any = None,
              backend: Any = None, **kwargs: Any) -> Any:
    """Makes a function, a method or a Layer's `forward` run as a compiled Program.

    `input_spec`: InputSpecs (or example Tensors) of the tensor arguments; without it there is a Program for each
    combination of shapes that it is called with. Python's `if`, `while` and `for` on tensors become part of the
    Program.

    >>> import proa as paddle
    >>> @paddle.jit.to_static
    ... def double_if_positive(x):
    ...     if x.sum() > 0:
    ...         x = x * 2
    ...     return x
    >>> double_if_positive(paddle.ones([2])).tolist()
    [2.0, 2.0]
    """
    full_graph = kwargs.pop("full_graph", True)

    def decorate(target: Any) -> Any:
        if isinstance(target, Layer):
            _decorate_layer(target, input_spec, full_graph)
            return target
        if isinstance(target, StaticFunction):
            return StaticFunction(target._function, input_spec, target.instance, full_graph)
        if not callable(target):
            raise TypeError(f"to_static takes a function, a method or a Layer. Received {type(target).__name__}.")
        receiver = getattr(target, "__self__", None)
        if receiver is not None and not isinstance(receiver, type):
            return StaticFunction(target.__func__, input_spec, receiver, full_graph)
        return StaticFunction(target, input_spec, None, full_graph)

    return decorate if function is None else decorate(function)


def _decorate_layer(layer: Layer, input_spec: Sequence[Any] | None, full_graph: bool) -> None:
    forward: Callable = layer.forward
    function = forward._function if isinstance(forward, StaticFunction) else getattr(forward, "__func__", forward)
    layer.__dict__["forward"] = StaticFunction(function, input_spec, layer, full_graph)

"""Which initializer a parameter gets when neither its attr nor its layer names one."""

from __future__ import annotations

from typing import Any

from ..ops.random.default_initial_values import default_initial_value

_global: dict[bool, Any] = {False: None, True: None}


def set_global_initializer(weight_init: Any, bias_init: Any = None) -> None:
    """Sets the initializers that parameters get whose attr has none; None for the layers' own again.

    >>> import proa as paddle
    >>> paddle.nn.initializer.set_global_initializer(paddle.nn.initializer.Constant(2.0))
    >>> paddle.nn.Linear(1, 1).weight.item()
    2.0
    >>> paddle.nn.initializer.set_global_initializer(None)
    """
    for initializer in (weight_init, bias_init):
        if initializer is not None and not callable(initializer):
            raise TypeError(f"set_global_initializer: must be an initializer or None. Received {initializer!r}.")
    _global[False], _global[True] = weight_init, bias_init


def initial_value(is_bias: bool, layers_own: Any = None) -> Any:
    """The initializer set for all, else the layer's own, else XavierUniform for a weight and zeros for a bias."""
    return _global[is_bias] or layers_own or default_initial_value(is_bias)

"""Initializer, the base of the initializers; and which one a parameter gets whose attr and layer name none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...core.dtype import DType
from ...core.lazy import beside
from ...ops.array.full import is_value
from ...ops.random.default_initial_values import default_initial_value

if not TYPE_CHECKING:
    __getattr__ = beside(__name__)


class Initializer:
    """Base of the initializers: a subclass gives `value(shape, dtype)`, made with operators."""

    seed = 0  # of what is drawn, where it is not to be that of `paddle.seed`

    def value(self, shape: tuple[int, ...], dtype: DType) -> Any:
        """A value of this shape and dtype."""
        raise NotImplementedError(f"{type(self).__name__} must define value(shape, dtype).")

    def __call__(self, param: Any, dtype_or_block: Any = None) -> Any:
        """The value for a shape and dtype; for a parameter, fills it and gives it."""
        if is_value(param):
            param.set_value(self.value(tuple(param.shape), param.dtype))
            return param
        return self.value(tuple(param), dtype_or_block)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def sizes(shape: Sequence[int]) -> list[int]:
    """A shape as the operators take it."""
    return [int(n) for n in shape]


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

"""Initializer, the base of the initializers; and which ones all parameters get whose attr names none."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ...core.dtype import DType
from ...core.lazy import beside
from ...core.random import drawing_first_values
from ...ops.array.creation import assign
from ...ops.array.full import full, is_value
from ...ops.core.trace import current_trace, grad_mode
from ...ops.random.default_initial_values import fans, set_for_all

if not TYPE_CHECKING:
    __getattr__ = beside(__name__)


def _filled(initializer: Initializer, shape: tuple[int, ...], dtype: DType) -> Any:
    """What an initializer leaves in a value of zeros that it fills."""
    begun = full(sizes(shape), 0.0, dtype)
    initializer(begun, getattr(begun, "block", None))
    return assign(begun)


class Initializer:
    """Base of the initializers: a subclass gives `value(shape, dtype)`, made with operators.

    Or, as those that were written for Paddle, it defines `forward(var, block)` or `__call__(var, block)`, which fills
    `var`, a parameter or what one begins with.

    >>> import proa as paddle
    >>> class Ones(paddle.nn.initializer.Initializer):
    ...     def forward(self, var, block=None):
    ...         return paddle.nn.initializer.Constant(1.0)(var, block)
    >>> paddle.nn.Linear(1, 2, weight_attr=Ones()).weight.tolist()
    [[1.0, 1.0]]
    """

    seed = 0  # of what is drawn, where it is not to be that of `paddle.seed`

    def __init_subclass__(cls, **options: Any) -> None:
        """Lets what begins a parameter be what a subclass fills it with, where that is what it says."""
        super().__init_subclass__(**options)
        if not {"forward", "__call__"}.isdisjoint(vars(cls)) and "value" not in vars(cls):
            cls.value = _filled  # type: ignore[method-assign, assignment]

    def value(self, shape: tuple[int, ...], dtype: DType) -> Any:
        """A value of this shape and dtype."""
        raise NotImplementedError(f"{type(self).__name__} must define value(shape, dtype), or forward(var, block).")

    def forward(self, var: Any, block: Any = None) -> Any:
        """Fills a parameter, and gives it; ValueError where the value has another shape.

        In a Program `block`, where it is another one than that which operations go to, gets what fills it.
        """
        if current_trace().fills_elsewhere(var, block):
            block.program.initialize(block, var, self)
            return var
        made = next(value for kind in type(self).__mro__ if (value := vars(kind).get("value", _filled)) is not _filled)
        with drawing_first_values() if current_trace().computes else nullcontext():
            filled = made(self, tuple(var.shape), var.dtype)
        if tuple(filled.shape) != tuple(var.shape):
            raise ValueError(f"{self!r}: its value has the shape {list(filled.shape)}. The parameter that is to be "
                             f"filled has {list(var.shape)}.")
        with grad_mode(False):
            return var if current_trace().begins_with(var, filled) else assign(filled, var)

    def __call__(self, param: Any, dtype_or_block: Any = None, *, block: Any = None) -> Any:
        """The value for a shape and dtype; for a parameter, fills it and gives it. `block` is as in Paddle."""
        if is_value(param):
            return self.forward(param, dtype_or_block if block is None else block)
        return self.value(tuple(param), dtype_or_block)

    def _compute_fans(self, var: Any) -> tuple[int, int]:
        """How many inputs, and how many outputs, meet in a unit of a layer with this parameter."""
        return fans(tuple(var.shape))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def sizes(shape: Sequence[int]) -> list[int]:
    """A shape as the operators take it."""
    return [int(n) for n in shape]


def set_global_initializer(weight_init: Any, bias_init: Any = None) -> None:
    """Sets the initializers that parameters get whose attr has none; None for the layers' own again.

    They come before what a layer would choose, in `paddle.static.nn` and `create_parameter` too.

    >>> import proa as paddle
    >>> paddle.nn.initializer.set_global_initializer(paddle.nn.initializer.Constant(2.0))
    >>> paddle.nn.Linear(1, 1).weight.item()
    2.0
    >>> paddle.nn.initializer.set_global_initializer(None)
    """
    for initializer in (weight_init, bias_init):
        if initializer is not None and not callable(initializer):
            raise TypeError(f"set_global_initializer: must be an initializer or None. Received {initializer!r}.")
    set_for_all(weight_init, bias_init)

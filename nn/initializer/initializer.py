"""What the initializers share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.dtype import DType
from ...ops.array.creation import is_value


class Initializer:
    """Base of the initializers: a subclass gives `value(shape, dtype)`, made with operators."""

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

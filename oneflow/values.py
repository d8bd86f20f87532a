"""What the functions of this face ask of values: numbers beside them, conditions, sizes, axes.

OneFlow's conditions are int8 blobs, of 0 and 1, where operators here make and take bools: they are converted at the
border.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.dtype import bool_, int8
from ..ops.array.full import constant, full, is_value
from ..ops.array.reshape import shape as shape_vector
from ..ops.math.casting import cast, in_dtype
from ..ops.math.reduce import numel

_NUMBERS = (int, float, np.number, np.bool_)


def is_number(x: Any) -> bool:
    """Whether an operand is a Python number (or one of NumPy's)."""
    return isinstance(x, _NUMBERS)


def operands(what: str, x: Any, y: Any) -> tuple[Any, Any]:
    """Two operands, one of which may be a number, or an array, which becomes a value in the other's dtype.

    TypeError, naming the argument, for what is none of these, and where neither is a value.
    """
    for name, operand, other in (("x", x, y), ("y", y, x)):
        if not is_value(operand) and not (is_value(other) and isinstance(operand, (*_NUMBERS, np.ndarray))):
            raise TypeError(f"{what}: {name} must be a blob, a tensor or a number, and not both numbers. "
                            f"Received {operand!r}.")
    if isinstance(x, np.ndarray):
        return constant(x, y.dtype), y
    return x, constant(y, x.dtype) if isinstance(y, np.ndarray) else y


def as_condition(x: Any) -> Any:
    """What is not 0, as bools."""
    return x if x.dtype is bool_ else cast(x, bool_)


def as_int8(condition: Any) -> Any:
    """A condition as OneFlow's functions give it: 1 where it holds, 0 elsewhere."""
    return in_dtype(condition, int8)


def number_like(x: Any, value: Any) -> Any:
    """A number as a value of no dimensions, in x's dtype; what is a value already as it is."""
    if is_value(value):
        return value
    return full([], float(value) if x.dtype.is_differentiable else int(value), x.dtype)


def sizes_of(x: Any) -> Any:
    """x's shape for a function that makes something: ints, or a vector where a size is known in a run only."""
    return shape_vector(x) if -1 in x.shape else [int(n) for n in x.shape]


def count_of(x: Any) -> Any:
    """How many elements x has: an int, or a value of no dimensions."""
    return numel(x) if -1 in x.shape else int(np.prod([1, *x.shape]))


def axis_of(what: str, axis: Any, rank: int) -> int:
    """A dimension counted from the front; ValueError where there is none of that number."""
    if not isinstance(axis, (int, np.integer)) or not -rank <= axis < max(rank, 1):
        raise ValueError(f"{what}: axis must lie in [{-rank}, {rank}). Received {axis!r}.")
    return int(axis) % max(rank, 1)


def axes_of(what: str, axis: Any, rank: int) -> list[int]:
    """Dimensions counted from the front: those given as an int or several, all for None."""
    if axis is None:
        return list(range(rank))
    given: Sequence[Any] = axis if isinstance(axis, (list, tuple)) else [axis]
    return [axis_of(what, n, rank) for n in given]

"""How two operands meet, element by element: NumPy's broadcasting, Paddle 1.x's `axis`, and Python's numbers.

`axis` serves models of Paddle 1.x: when it is not -1, y's first dimension stands at that dimension of x.
"""

from typing import Any

import numpy as np

from ...core import dtype as dt
from ...core.errors import out_of_bounds
from ..array.full import constant, is_value, value_of
from ..array.gradient_shapes import reshape_to, sum_to
from ..core.trace import state
from .casting import cast, floating

NUMBERS = (int, float, np.number, np.bool_)
_PLAIN = (int, float)


def aligned(x: Any, y: Any, axis: int) -> tuple[Any, Any]:
    """The one of fewer dimensions with 1s behind its shape: its first dimension meets dimension `axis` of the other."""
    if axis == -1 or y.ndim == x.ndim:
        return x, y
    if x.ndim < y.ndim:
        return aligned(y, x, axis)[::-1]
    return x, y.reshape(y.shape + (1,) * ones_behind("elementwise", x.ndim - y.ndim, axis))


def ones_behind(what: str, more: int, axis: int) -> int:
    """How many 1s stand behind a shape of so many dimensions less than the other; ValueError for an axis below -1."""
    if axis < -1:
        raise ValueError(f"{what}(x, y, axis): the dimension that y begins at is 0 or more, or -1: the last ones. "
                         f"Received {axis}.")
    return more - axis


def sum_along(g: Any, shape: Any, axis: int, to_leaf: bool = False) -> Any:
    """A gradient of the result's shape summed to that of an operand, which may have stood at dimension `axis`."""
    if axis == -1:
        return sum_to(g, shape, to_leaf)
    own, rank = len(shape) if type(shape) is tuple else shape.ndim, len(g.shape)
    if own == rank or axis + own == rank:
        return sum_to(g, shape)
    behind = rank - axis - own
    if type(shape) is not tuple:  # a size is not known: a value stands for the shape
        stretched = shape.reshape([0] * own + [1] * behind)
    else:
        stretched = shape + (1,) * behind
    return reshape_to(sum_to(g, stretched), shape)


def with_number(x: Any, value: Any) -> tuple[Any, Any]:
    """x and a Python number that may meet in one operator; an integer x becomes floating when the number is."""
    try:
        if type(value) in _PLAIN and x.dtype.is_differentiable:
            return x, value
    except AttributeError:
        x = value_of(x)
    if isinstance(value, (np.number, np.bool_)):
        value = value.item()
    if isinstance(value, float) and not x.dtype.is_differentiable:
        x = floating(x)
    elif isinstance(value, int) and x.dtype is dt.bool_:
        x = cast(x, dt.int64)
    return x, value


def with_term(x: Any, value: Any) -> tuple[Any, Any]:
    """As `with_number`, of a number to be added, subtracted or multiplied with.

    What integers come to keeps its lowest bits, as it does of two tensors: a byte and 300 are added as a byte and 44.
    OverflowError for a number of more than 32 bits, and than the integers have.
    """
    x, value = with_number(x, value)
    if isinstance(value, int) and x.dtype.is_integer and abs(value) >> max(32, 8 * x.dtype.itemsize):
        raise out_of_bounds(value, x.dtype)
    return x, value


def operand(x: Any, value: Any) -> tuple[Any, Any]:
    """x and the second operand as values: a number becomes a 0-d tensor of x's dtype, an array a tensor."""
    if is_value(value):
        return x, value
    x = value_of(x)
    if isinstance(value, NUMBERS):
        if not (isinstance(value, (bool, np.bool_)) and x.dtype is dt.bool_):
            x, value = with_number(x, value)
        return x, state.trace.number(value, x.dtype)
    if isinstance(value, complex):
        return x, state.trace.number(value, dt.promote(x.dtype, dt.complex64))
    if hasattr(type(value), "as_operand"):  # it stands for a value
        return operand(x, value.as_operand())
    return x, constant(value)

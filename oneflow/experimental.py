"""`flow.experimental`: logical_slice, logical_slice_assign, square_sum; older places of scopes."""

from __future__ import annotations

from typing import Any

from ..ops.array.reshape import reshape
from ..ops.math.reduce import sum as total
from ..ops.math.unary import square
from . import scope, unittest
from .array.slices import logical_slice, logical_slice_assign
from .charge import their_face
from .refused import explaining
from .scope import namespace as name_scope


@their_face
def square_sum(x: Any, name: str | None = None) -> Any:
    """The sum of all squares, a vector of one element."""
    return reshape(total(square(x)), [1])


__getattr__ = explaining(__name__)
__all__ = ["logical_slice", "logical_slice_assign", "name_scope", "scope", "square_sum", "unittest"]

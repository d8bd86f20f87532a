"""`flow.math` that compares: equal, not_equal, less, greater, logical_and. They give int8: 1 where it holds, else 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.math import comparison
from ..charge import their_face
from ..values import as_condition, as_int8, is_number, number_like, operands


def _comparison(function: Callable[..., Any], name: str, sign: str) -> Callable[..., Any]:
    def compare(x: Any, y: Any, name: str | None = None) -> Any:
        x, y = operands(f"{compare.__name__}(x, y)", x, y)
        return as_int8(function(number_like(y, x), y) if is_number(x) else function(x, number_like(x, y)))

    compare.__name__ = compare.__qualname__ = name
    compare.__doc__ = f"x {sign} y, element by element, as int8."
    return their_face(compare)


equal = _comparison(comparison.equal, "equal", "==")
not_equal = _comparison(comparison.not_equal, "not_equal", "!=")
less = _comparison(comparison.less_than, "less", "<")
less_equal = _comparison(comparison.less_equal, "less_equal", "<=")
greater = _comparison(comparison.greater_than, "greater", ">")
greater_equal = _comparison(comparison.greater_equal, "greater_equal", ">=")


@their_face
def logical_and(x: Any, y: Any, name: str | None = None) -> Any:
    """1 where neither x nor y is 0, else 0, as int8."""
    return as_int8(comparison.logical_and(as_condition(x), as_condition(y)))

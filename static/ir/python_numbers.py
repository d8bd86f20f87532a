"""What Python's operators do to a variable that stands for a number or a truth value of Python, and not to a tensor.

A truth value counts as 1 or 0 (`-a`, `~a`, `abs(a)`); `+n` and shifts are of numbers alone. Quotients are rounded once,
and ints get 64 bits where 32 may be too few.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...core.dtype import float64, int32
from ...ops.array.full import full

if TYPE_CHECKING:
    from typing_extensions import Self


class StandsForNumbers:
    """Those operators of a variable."""

    def _counted(self: Any) -> Any:
        """The int that a truth value is, for Python's operators; any other value as it is."""
        if self.name not in self.program.truths:
            return self
        made = self.astype("int64")
        made.is_number = True
        return made

    def _is_of_python(self: Any) -> bool:
        return self.is_number or self.name in self.program.truths

    def __neg__(self) -> Self:
        return super(StandsForNumbers, self._counted()).__neg__()  # type: ignore[misc]

    def __abs__(self) -> Self:
        return super(StandsForNumbers, self._counted()).__abs__()  # type: ignore[misc]

    def __invert__(self) -> Self:
        return super(StandsForNumbers, self._counted()).__invert__()  # type: ignore[misc]

    def __truediv__(self, other: Any) -> Self:
        """The quotient as Python rounds it: 49 / 49 is 1, and 49 * (1 / 49) less."""
        return super().__truediv__(self._counted_divisor(other))  # type: ignore[misc]

    def _counted_divisor(self: Any, other: Any) -> Any:
        """A number to divide by as a variable where its reciprocal is rounded, for a tensor is multiplied by that."""
        if not isinstance(other, (int, float)) or not other or not self._is_of_python() or _has_reciprocal(other):
            return other
        made = full((), float(other), float64)
        made.is_number = True
        return made

    def __mul__(self, other: Any) -> Self:
        return super(StandsForNumbers, self._wide(other, 2**15)).__mul__(other)  # type: ignore[misc]

    def __add__(self, other: Any) -> Self:
        return super(StandsForNumbers, self._wide(other, 2**30)).__add__(other)  # type: ignore[misc]

    def __radd__(self, other: Any) -> Self:
        return super(StandsForNumbers, self._wide(other, 2**30)).__radd__(other)  # type: ignore[misc]

    def __sub__(self, other: Any) -> Self:
        return super(StandsForNumbers, self._wide(other, 2**30)).__sub__(other)  # type: ignore[misc]

    def __rsub__(self, other: Any) -> Self:
        return super(StandsForNumbers, self._wide(other, 2**30)).__rsub__(other)  # type: ignore[misc]

    def __pow__(self, other: Any) -> Self:
        return super(StandsForNumbers, self._wide(other, 2)).__pow__(other)  # type: ignore[misc]

    def _wide(self: Any, other: Any, large: int) -> Any:
        """An int as int64 beside one with which int32, as sizes are, may be too small: 50000 ** 2, or n * m."""
        if not self.is_number or self.dtype is not int32 or not _may_be(other, large):
            return self
        made = self.astype("int64")
        made.is_number = True
        return made

    def __pos__(self: Any) -> Any:
        if not self._is_of_python():
            raise TypeError(f"bad operand type for unary +: {type(self).__name__!r}")
        return self._counted()

    def __lshift__(self: Any, count: Any) -> Any:
        return self._counted() * 2 ** count if self._is_of_python() else NotImplemented

    def __rlshift__(self: Any, number: Any) -> Any:
        return number * 2 ** self._counted() if self._is_of_python() else NotImplemented

    def __rshift__(self: Any, count: Any) -> Any:
        return self._counted() // 2 ** count if self._is_of_python() else NotImplemented

    def __rrshift__(self: Any, number: Any) -> Any:
        return number // 2 ** self._counted() if self._is_of_python() else NotImplemented


def _has_reciprocal(number: float) -> bool:
    """Whether 1 / number is exact: a power of two."""
    return not math.isfinite(number) or abs(math.frexp(number)[0]) == 0.5


def _may_be(number: Any, large: int) -> bool:
    """Whether an int is as large as that, or one that only a run knows may be: sizes are never as large as 2 ** 30."""
    if type(number) is int:
        return abs(number) >= large
    return large < 2**30 and getattr(number, "is_number", False)

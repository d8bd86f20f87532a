"""What Python's operators do to a variable that stands for a number or a truth value of Python, and not to a tensor.

A truth value counts as 1 or 0 (`-a`, `~a`, `abs(a)`); `+n` and shifts are of numbers alone.
"""

from __future__ import annotations

from typing import Any


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

    def __neg__(self: Any) -> Any:
        return super(StandsForNumbers, self._counted()).__neg__()  # type: ignore[misc]

    def __abs__(self: Any) -> Any:
        return super(StandsForNumbers, self._counted()).__abs__()  # type: ignore[misc]

    def __invert__(self: Any) -> Any:
        return super(StandsForNumbers, self._counted()).__invert__()  # type: ignore[misc]

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

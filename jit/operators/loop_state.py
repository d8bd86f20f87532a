"""The variables of a staged loop: which parts of the state change from turn to turn, and which must not.

Knows values and names; the staging itself is the caller's.
"""

from __future__ import annotations

from typing import Any

from ...core import nest
from .containers import settled
from .merging import described_name
from .undefined import Undefined, reason
from .values import agree, described, is_staged, staged_leaves


class LoopState:
    """The state with which a loop begins; `variables` are its tensors and numbers, in order."""

    def __init__(self, names: tuple[str, ...], where: str, initial: tuple):
        self._names = names
        self._where = where
        self._initial = initial
        self._kept = [True] * len(initial)
        self.variables = [leaf for value in initial for leaf in staged_leaves(value)]

    def values(self, variables: Any) -> tuple:
        """The state with the given loop variables in place of the first ones."""
        given = iter(variables)
        return tuple(self._filled(value, given) for value in self._initial)

    @staticmethod
    def _filled(value: Any, given: Any) -> Any:
        if type(value) is Undefined:
            return value
        return nest.map_structure(lambda leaf: next(given) if is_staged(leaf) else leaf, value)

    def next_variables(self, entered: tuple, state: tuple, variables: Any) -> list[Any]:
        """The loop variables after a turn, which was given the state `entered`, made of `variables`, and left `state`.

        Raises TypeError where a value changed its type or nesting.
        """
        self._kept = [kept and a is b for kept, a, b in zip(self._kept, entered, state, strict=True)]
        new: list[Any] = []
        for i, first in enumerate(self.values(variables)):  # `entered` may have been changed in place
            if type(first) is not Undefined:
                self._check(i, first, state[i])
                new += staged_leaves(state[i])
        return new

    def _check(self, i: int, before: Any, after: Any) -> None:
        if type(after) is Undefined:
            raise self._changed(i, described(before), "without a value")
        if not agree(before, after):
            raise self._changed(i, described(before), described(after))
        for x, y in zip(staged_leaves(before), staged_leaves(after), strict=True):
            if _dtype(x) and _dtype(y) and _dtype(x) != _dtype(y):
                raise self._changed(i, _dtype(x), _dtype(y))

    def _changed(self, i: int, before: Any, after: Any) -> TypeError:
        return TypeError(
            f"{self._where}: a tensor decides how often this loop runs, and {described_name(self._names[i])} is "
            f"{before} before a turn and {after} behind it. Give it before the loop a value of the type, and of the "
            "nesting, that the loop computes (a list cannot grow in such a loop).")

    def final(self, results: Any) -> tuple:
        """The state behind the loop; what only the loop binds has no value there."""
        values = map(settled, self._initial, self._kept, self.values(results))
        return tuple(self._missing(i, v) if type(v) is Undefined else v for i, v in enumerate(values))

    def _missing(self, i: int, value: Undefined) -> Undefined:
        return Undefined(self._names[i], reason(value) or self._why(self._names[i]))

    def _why(self, name: str) -> str:
        shown = described_name(name)
        if shown != f"`{name}`":
            return (f"{self._where}: `return` stands inside a loop, and a tensor decides how often the loop runs. "
                    "Assign a variable before the loop, set it and `break` inside, and return it after the loop.")
        return (f"{self._where}: {shown} gets its first value inside this loop, and a tensor decides how often the "
                "loop runs, perhaps never. Assign it before the loop.")


def _dtype(leaf: Any) -> Any:
    dtype = getattr(leaf, "dtype", None)
    return getattr(dtype, "name", dtype)


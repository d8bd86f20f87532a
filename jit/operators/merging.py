"""The state behind a staged `if`: each variable from the two values its branches left.

Equal Python values stay Python, tensors and numbers become results of the staged condition, a variable that only one
branch binds is left without a value (which is an error only if it is used), and anything else is a TypeError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..errors import RETURN_VALUE
from . import staging
from .undefined import Undefined, error, reason
from .values import agree, described, merged, staged_leaves


@dataclass
class Merge:
    """One staged `if`: the variables it must produce, and which of them cannot have a value behind it."""

    names: tuple[str, ...]
    where: str
    missing: list[bool]  # as far as is known before tracing; what the first branch leaves unbound is added
    first: tuple = ()
    second: tuple = ()
    shown: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.shown = [described_name(n) for n in self.names]

    def stage(self, test: Any, body: Callable[[], tuple], orelse: Callable[[], tuple]) -> list[Any]:
        """Traces both branches and gives the merged values."""
        results = iter(staging.cond(test, lambda: self._trace_first(body), lambda: self._trace_second(orelse)))
        return [self._merged(i, results) for i in range(len(self.names))]

    def _trace_first(self, body: Callable[[], tuple]) -> list[Any]:
        self.first = body()
        self.missing = [m or type(v) is Undefined for m, v in zip(self.missing, self.first, strict=True)]
        return self._staged(self.first)

    def _trace_second(self, orelse: Callable[[], tuple]) -> list[Any]:
        self.second = orelse()
        for i, missing in enumerate(self.missing):
            if not missing:
                self._check(i)
        return self._staged(self.second)

    def _staged(self, values: tuple) -> list[Any]:
        kept = (v for v, missing in zip(values, self.missing, strict=True) if not missing)
        return [leaf for value in kept for leaf in staged_leaves(value)]

    def _check(self, i: int) -> None:
        first, second = self.first[i], self.second[i]
        if type(second) is Undefined:
            raise error(Undefined(self.names[i], reason(second) or self._one_sided(i)))
        if not agree(first, second):
            raise TypeError(
                f"{self.where}: a tensor decides this `if`, and {self.shown[i]} is {described(first)} after one branch "
                f"and {described(second)} after the other. Give it the same type in both branches, or make the "
                "condition a Python value.")

    def _merged(self, i: int, results: Iterator[Any]) -> Any:
        first, second = self.first[i], self.second[i]
        if not self.missing[i]:
            return merged(first, second, results)
        unbound = [v for v in (first, second) if type(v) is Undefined]
        given = next((r for r in map(reason, unbound) if r), None)
        return Undefined(self.names[i], given or (self._one_sided(i) if len(unbound) == 1 else None))

    def _one_sided(self, i: int) -> str:
        return (f"{self.where}: only one branch of this `if` gives {self.shown[i]} a value, and a tensor decides which "
                "branch runs. Assign it before the `if`, or in both branches.")


def described_name(name: str) -> str:
    """A variable as errors name it."""
    return "the returned value" if name.startswith(RETURN_VALUE) else f"`{name}`"

"""What a generated function is written into: its lines, and the values in scope with their shapes.

A name keeps its shape and kind as long as it lives; so every branch and every turn of a loop may give it another value.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Size = int | str  # a text is a size that an InputSpec need not know: N, T, or one that only the run can tell
Shape = tuple[Size, ...]


@dataclass(frozen=True)
class Value:
    """A tensor in scope: the text that names it, its shape, and `float`, `int` or `bool`."""

    text: str
    shape: Shape
    kind: str = "float"

    @property
    def rank(self) -> int:
        return len(self.shape)


def broadcast(a: Shape, b: Shape) -> Shape | None:
    """The shape that two shapes broadcast to, None where they do not for certain."""
    result: list[Size] = []
    for k in range(1, max(len(a), len(b)) + 1):
        x, y = (s[-k] if k <= len(s) else 1 for s in (a, b))
        if x != y and x != 1 and y != 1:
            return None
        result.append(y if x == 1 else x)
    return tuple(reversed(result))


class Body:
    """A function that is being written."""

    def __init__(self, network: Any, values: list[Value], indent: int = 2, depth: int = 0):
        self.network, self.rng, self.values = network, network.rng, values
        self.lines: list[str] = []
        self.indent, self.depth = indent, depth
        self.in_loop = self.in_with = False

    # Text

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def fresh(self, prefix: str) -> str:
        """A name that the program does not have yet."""
        return self.network.fresh(prefix)

    @contextlib.contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Lines inside go under `head`; values made there are out of scope behind it."""
        self.line(head)
        before, lines = list(self.values), len(self.lines)
        self.indent += 1
        self.depth += 1
        yield
        if len(self.lines) == lines:
            self.line("pass")
        self.indent -= 1
        self.depth -= 1
        self.values = before

    @contextlib.contextmanager
    def loop(self, head: str) -> Iterator[None]:
        """A block that may run several times, or not at all."""
        outer, self.in_loop = self.in_loop, True
        with self.block(head):
            yield
        self.in_loop = outer

    @contextlib.contextmanager
    def with_block(self, head: str) -> Iterator[None]:
        """A block of `with`."""
        outer, self.in_with = self.in_with, True
        with self.block(head):
            yield
        self.in_with = outer

    @contextlib.contextmanager
    def function(self, head: str) -> Iterator[None]:
        """A function inside: names of the outside are read there and not given other values."""
        outer, self.network.inside = self.network.inside, True
        values, self.values = self.values, []
        with self.block(head):
            yield
        self.values, self.network.inside = values, outer

    def assign(self, text: str, shape: Shape, kind: str = "float", prefix: str = "h") -> Value:
        """A new value of an expression."""
        value = Value(self.fresh(prefix), shape, kind)
        self.line(f"{value.text} = {text}")
        self.values.append(value)
        return value

    # Choices

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def pick(self, *choices: Any) -> Any:
        return self.rng.choice(self.network.allowed(choices) or choices)

    def all(self, kind: str = "float", low: int = 0, high: int = 4) -> list[Value]:
        """The values of a kind whose rank is in bounds."""
        return [v for v in self.values if v.kind == kind and low <= v.rank <= high]

    def value(self, kind: str = "float", low: int = 0, high: int = 4) -> Value | None:
        """One of them, a recent one more often; None where there is none."""
        found = self.all(kind, low, high)
        return self.rng.choices(found, [1 + 2 * k for k in range(len(found))])[0] if found else None

    def axis(self, value: Value, known: bool = False) -> int | None:
        """An axis of a value, counted from either end; with `known`, one whose size is a number."""
        axes = [k for k in range(value.rank) if not known or isinstance(value.shape[k], int)]
        return self.rng.choice(axes) if axes else None

    def signed(self, value: Value, axis: int) -> int:
        """The axis, or the same axis counted from the end."""
        return axis - value.rank if self.chance(0.4) else axis

    def number(self) -> float:
        return self.pick(0.5, 0.25, 1.5, -0.5, 0.1, 2.0, -1.0)

    def below(self, end: int) -> int:
        return self.rng.randrange(end)

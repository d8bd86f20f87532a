"""Gradient rules that are arithmetic alone, as short programs for the compiled form (`_rules.c`).

A rule such as `lambda g, Out: g * (Out - Out * Out)` names nothing but its parameters: called with terms in the place
of arrays, it tells what it computes. Such a program runs over arrays in one pass, with the same operations in the same
order, so with the same bits. Of other rules `alike` may say what they come to, with a sigmoid and choices in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

GRADIENT, SAVED, NUMBER, ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATIVE, GREATER, CHOSEN, SIGMOID = range(11)
"""What a step of a program does, as `_rules.c` counts them: three put something on the stack, the rest compute."""
_LONGEST, _MOST_NUMBERS = 40, 12  # steps of a program, and numbers of all


class Term:
    """An array in a rule: the steps that make it, as pairs of bytes."""

    __slots__ = ("steps", "numbers")

    def __init__(self, steps: bytes, numbers: list[Any]):
        self.steps, self.numbers = steps, numbers  # the numbers are those of all terms of a rule

    def _of(self, value: Any) -> bytes:
        if isinstance(value, Term):
            return value.steps
        if type(value) not in (int, float):
            raise TypeError(f"a gradient rule's arithmetic takes numbers. Received {type(value).__name__}.")
        self.numbers.append(float(value))
        return bytes((NUMBER, len(self.numbers) - 1))

    def _with(self, other: Any, step: int) -> Term:
        return self._made(self.steps, self._of(other), step)

    def _behind(self, other: Any, step: int) -> Term:
        return self._made(self._of(other), self.steps, step)

    def _made(self, one: bytes, other: bytes, step: int) -> Term:
        if len(one) == len(other) == 2 and one[0] == other[0] == NUMBER:
            raise TypeError("numbers meet in Python, as float64: a program has those of its arrays alone.")
        return Term(one + other + bytes((step, 0)), self.numbers)

    def __add__(self, other: Any) -> Term:
        return self._with(other, ADD)

    def __radd__(self, other: Any) -> Term:
        return self._behind(other, ADD)

    def __sub__(self, other: Any) -> Term:
        return self._with(other, SUBTRACT)

    def __rsub__(self, other: Any) -> Term:
        return self._behind(other, SUBTRACT)

    def __mul__(self, other: Any) -> Term:
        return self._with(other, MULTIPLY)

    def __rmul__(self, other: Any) -> Term:
        return self._behind(other, MULTIPLY)

    def __truediv__(self, other: Any) -> Term:
        return self._with(other, DIVIDE)

    def __rtruediv__(self, other: Any) -> Term:
        return self._behind(other, DIVIDE)

    def __neg__(self) -> Term:
        if self.steps[0] == NUMBER and len(self.steps) == 2:
            raise TypeError("the negative of a number is Python's.")
        return Term(self.steps + bytes((NEGATIVE, 0)), self.numbers)

    def __gt__(self, other: Any) -> Term:
        return self._with(other, GREATER)

    def __lt__(self, other: Any) -> Term:
        return self._behind(other, GREATER)

    def __bool__(self) -> bool:
        raise TypeError("a program has no branches.")

    __eq__ = None  # nor answers


def chosen(condition: Term, one: Any, other: Any) -> Term:
    """`one` where the condition is not 0, else `other`."""
    return Term(condition.steps + condition._of(one) + condition._of(other) + bytes((CHOSEN, 0)), condition.numbers)


def sigmoid(x: Term) -> Term:
    """1 / (1 + exp(-x))."""
    return Term(x.steps + bytes((SIGMOID, 0)), x.numbers)


def product(one: Any, other: Term) -> Term:
    """Of numbers, as the arrays' dtype has it."""
    return Term(other._of(one) + other.steps + bytes((MULTIPLY, 0)), other.numbers)


def quotient(one: Any, other: Term) -> Term:
    """Of numbers, as the arrays' dtype has it."""
    return Term(other._of(one) + other.steps + bytes((DIVIDE, 0)), other.numbers)


FUNCTIONS = {"chosen": chosen, "sigmoid": sigmoid, "product": product, "quotient": quotient}
"""What an expression of `alike` may call."""


def names_nothing(rule: Callable[..., Any]) -> bool:
    """Whether a rule reads nothing but its parameters and constants: no global or outer name, no attribute."""
    code = getattr(rule, "__code__", None)
    return code is not None and not code.co_names and not code.co_freevars and not code.co_flags & 0x2C


class Arithmetic:
    """Collects the programs of an operator's rules.

    `saved(name)` tells where a value that a rule asks for lies in what is saved, and `attributes` are the operator's
    defaults: a number may be an attribute's.
    """

    def __init__(self, saved: Callable[[str], int | None], attributes: dict[str, Any]):
        self.saved, self.attributes, self.numbers = saved, attributes, list[Any]()

    def term(self, name: str) -> Any:
        """What stands for a parameter of a rule; TypeError where the compiled form has nothing for it."""
        if name == "g":
            return Term(bytes((GRADIENT, 0)), self.numbers)
        if name in self.attributes and type(self.attributes[name]) in (int, float):
            self.numbers.append((name, float(self.attributes[name])))
            return Term(bytes((NUMBER, len(self.numbers) - 1)), self.numbers)
        place = self.saved(name)
        if place is None:
            raise TypeError(f"a gradient rule's arithmetic has nothing for {name!r}.")
        return Term(bytes((SAVED, place)), self.numbers)

    def program(self, compute: Callable[[], Any]) -> bytes | None:
        """The steps of what `compute` gives when it is called with terms; None where it is more than arithmetic."""
        try:
            made = compute()
        except TypeError:
            return None
        fits = isinstance(made, Term) and len(made.steps) <= 2 * _LONGEST and len(self.numbers) <= _MOST_NUMBERS
        return made.steps if fits else None

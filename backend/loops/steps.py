"""The calls of NumPy that an elementwise body is (`passes.py`), as steps for the compiled form (`ops/core/_passes.c`).

NumPy's functions walk over their arrays one after the other. The steps go through all of the body for a few elements
at a time, with the same bits, in a third of the time. Arithmetic, and extremes with a number, of float32 are all they
do.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

_OPERATIONS = {"add": 0, "subtract": 1, "multiply": 2, "divide": 3, "maximum": 4, "minimum": 5, "negative": 6}
_OPERAND, _NUMBER, _RESULT = 16, 64, 255  # places of sources, as `_passes.c` counts them: rows come before
_MOST_ROWS, _MOST_OPERANDS, _MOST_NUMBERS, _MOST_STEPS = 7, 16, 64, 64

Run = Callable[[bytes, bytes, Sequence[np.ndarray], np.ndarray], bool]
"""What fills a result by steps: False where the arrays are not such as it takes."""

served: list[Run] = []
"""It, where the compiled form is in use."""


Make = Callable[[bytes, bytes, int, Callable[..., None]], Any]
"""What makes a function of steps that stands in the place of machine code, for so many operands, so many times."""

made: list[Make] = []
"""It, where the compiled form is in use."""


class Steps(NamedTuple):
    """What a body computes: four bytes a step, and the bytes of the numbers in it, of float32."""

    steps: bytes
    numbers: bytes


class _Unknown(ValueError):
    """Something that the compiled form does not do."""


class _Value(NamedTuple):
    """The result of the step of this place among them."""

    place: int


_Source = _Value | int  # or the place of an operand or a number


def steps_of(source: str, operands: int) -> Steps | None:
    """The steps of what `passes.py` has written of so many operands and one result; None where it is more."""
    tree = ast.parse(source).body[0]
    assert isinstance(tree, ast.FunctionDef)
    writer = _Writer(operands)
    try:
        return writer.written(tree.body)
    except _Unknown:
        return None


class _Writer:
    def __init__(self, operands: int):
        if operands > _MOST_OPERANDS:
            operands = 0  # none has a name
        self.named: dict[str, _Source] = {f"a{k}": _OPERAND + k for k in range(operands)}
        self.numbers: list[np.float32] = []
        self.steps: list[tuple[int, _Source, _Source]] = []

    def written(self, statements: Sequence[ast.stmt]) -> Steps:
        """All steps of a function's body."""
        *assignments, end = statements
        for statement in assignments:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                raise _Unknown
            self.named[statement.targets[0].id] = self.source(statement.value)
        if not isinstance(end, ast.Return) or not isinstance(end.value, ast.Tuple) or len(end.value.elts) != 1:
            raise _Unknown
        result = self.source(end.value.elts[0])
        if not isinstance(result, _Value) or result.place != len(self.steps) - 1 or len(self.steps) > _MOST_STEPS:
            raise _Unknown
        return Steps(self._placed(), np.array(self.numbers, np.float32).tobytes())

    def source(self, node: ast.expr) -> _Source:
        """Where the value of an expression comes from."""
        if isinstance(node, ast.Name):
            if node.id not in self.named:
                raise _Unknown
            return self.named[node.id]
        if not isinstance(node, ast.Call):
            return self._number(node)
        if isinstance(node.func, ast.Name) and node.func.id == "real":
            return self._number(node.args[0])
        if not isinstance(node.func, ast.Attribute):
            raise _Unknown
        return self._step(node.func.attr, [self.source(argument) for argument in node.args])

    def _step(self, name: str, sources: list[_Source]) -> _Source:
        if name == "square":
            name, sources = "multiply", sources * 2
        if name not in _OPERATIONS:
            raise _Unknown
        one, other = sources if len(sources) == 2 else sources * 2
        if name in ("maximum", "minimum"):
            if _is_number(one):
                one, other = other, one
            if _is_number(one) or not _is_number(other):  # a NaN of either would have to stay
                raise _Unknown
        self.steps.append((_OPERATIONS[name], one, other))
        return _Value(len(self.steps) - 1)

    def _number(self, node: ast.expr) -> int:
        try:
            number: Any = ast.literal_eval(node)
        except ValueError:
            raise _Unknown from None
        if type(number) not in (int, float) or len(self.numbers) == _MOST_NUMBERS:
            raise _Unknown
        with np.errstate(over="ignore"):
            self.numbers.append(np.float32(number))
        return _NUMBER + len(self.numbers) - 1

    def _placed(self) -> bytes:
        """The steps, with rows for what they give: a row is free when nothing reads it any more."""
        last = {source.place: n for n, (_, *sources) in enumerate(self.steps) for source in sources
                if isinstance(source, _Value)}
        free, rows, text = list(range(_MOST_ROWS))[::-1], dict[int, int](), bytearray()
        for n, (operation, one, other) in enumerate(self.steps):
            places = [rows[source.place] if isinstance(source, _Value) else source for source in (one, other)]
            free += {rows[source.place] for source in (one, other)
                     if isinstance(source, _Value) and last[source.place] == n}
            if not free:
                raise _Unknown
            rows[n] = _RESULT if n == len(self.steps) - 1 else free.pop()
            text += bytes((operation, rows[n], *places))
        return bytes(text)


def _is_number(source: _Source) -> bool:
    return isinstance(source, int) and source >= _NUMBER

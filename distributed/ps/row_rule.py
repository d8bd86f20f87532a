"""RowRule: an optimizer's rule on some rows of a table, by the operator that updates whole parameters.

Rows that get no gradient rest, with what the rule keeps of them, as with an optimizer's `lazy_mode`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...ops.core.operator import find
from ...ops.core.trace import ArrayTrace

_PARAM, _GRAD, _RATE = "Param", "Grad", "LearningRate"
_TRACE = ArrayTrace(np)

OfRows = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Gradients of rows, from the rows and other gradients of them."""


class RowRule:
    """The update by the operator `type` ("sgd", "momentum", "adagrad", "adam"…) with these attributes.

    learning_rate: a number, or a function that gives the one of now.
    first: what values that the rule keeps hold at first, by slot ({"Moment": 0.1}), where that is not 0.
    gradient: what the update takes, of the rows and of the gradients that are pushed: regularization.
    Powers of an attribute (`Beta1Pow` of `beta1`) are kept once for the whole table; each push multiplies them.

    Raises ValueError for a rule that looks at a whole parameter at once, such as "lamb".
    """

    def __init__(self, type: str = "sgd", learning_rate: float | Callable[[], float] = 0.01,
                 first: Mapping[str, float] | None = None, gradient: OfRows | None = None, **attrs: Any):
        self.operator, self.attrs = find(type), attrs
        self.learning_rate, self.gradient = learning_rate, gradient
        first = dict(first or {})
        names = [slot.name for slot in self.operator.inputs if not slot.optional]
        if not {_PARAM, _GRAD, _RATE} <= set(names):
            raise ValueError(f"RowRule({type!r}): an update takes {_PARAM}, {_GRAD} and {_RATE}. This operator takes "
                             f"{', '.join(names)}.")
        self.powers = {name: self._base(name) for name in names if name.endswith("Pow")}
        self.kept = {name: float(first.pop(name, 0.0)) for name in names
                     if name not in (_PARAM, _GRAD, _RATE) and name not in self.powers}
        if first:
            raise ValueError(f"RowRule({type!r}): it keeps {', '.join(self.kept) or 'nothing'}. Received first values "
                             f"of {', '.join(first)}.")
        self._check_rows_are_alone(type)

    def _base(self, name: str) -> float:
        attribute = name.removesuffix("Pow").lower()
        return float(self.attrs.get(attribute, self.operator.defaults[attribute]))

    def rate(self) -> float:
        """The learning rate of now."""
        rate = self.learning_rate() if callable(self.learning_rate) else self.learning_rate
        return float(np.asarray(rate).reshape(()))

    def update(self, rows: np.ndarray, gradients: np.ndarray, kept: Mapping[str, np.ndarray],
               powers: dict[str, np.ndarray]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The new rows and what is kept of them, arrays that may be the given ones; `powers` are changed."""
        if self.gradient is not None:
            gradients = self.gradient(rows, gradients)
        given = {_PARAM: rows, _GRAD: gradients, _RATE: np.array([self.rate()], rows.dtype), **kept, **powers}
        inputs = [given.get(slot.name, slot.nothing) for slot in self.operator.inputs]
        results = _TRACE.apply(self.operator, tuple(inputs), self.attrs)
        made = results if isinstance(results, tuple) else (results,)
        new = {self.operator.inputs[source].name: made[result] for result, source in self.operator.aliases}
        for name, base in self.powers.items():
            powers[name] = new[name] if name in new else powers[name] * np.asarray(base, powers[name].dtype)
        return new[_PARAM], {name: new[name] for name in kept}

    def first_powers(self, dtype: Any) -> dict[str, np.ndarray]:
        """The powers before the first push."""
        return {name: np.array([base], dtype) for name, base in self.powers.items()}

    def _check_rows_are_alone(self, type: str) -> None:
        """One row with one far larger, and alone: a rule for rows gives it the same."""
        def after(rows: list[list[float]]) -> np.ndarray:
            array = np.array(rows, "float64")
            gradients = array * array * 0.01
            kept = {name: np.full_like(array, first) for name, first in self.kept.items()}
            rate, self.learning_rate = self.learning_rate, 0.5
            try:
                return self.update(array.copy(), array * 0.3 + gradients, kept, self.first_powers("float64"))[0]
            finally:
                self.learning_rate = rate

        alone, beside = after([[1.0, -2.0]]), after([[1.0, -2.0], [3e3, 5e3]])
        if not np.allclose(alone[0], beside[0], rtol=1e-9, atol=0):
            raise ValueError(f"RowRule({type!r}): this rule looks at all rows of a parameter at once; a table holds "
                             f"some of them. Use another one for tables, such as 'sgd', 'adagrad' or 'adam'.")

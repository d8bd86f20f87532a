"""Steps over sequences of any lengths whose rows lie one behind the other, none of them padded out.

Step t takes the t-th row (from the end, reversed) of all sequences that are longer than t. These stand longest first,
so that the states of a step are the first ones of the step before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...backend.arrays import to_numpy
from ..core.spec import Spec


class Steps:
    """Which rows the steps take.

    `order`: the sequences that are not empty, longest first; `lengths` and `first`: their lengths and first rows;
    `active`: how many of them each step has.
    """

    def __init__(self, xp: Any, begins: np.ndarray, lengths: np.ndarray, is_reverse: bool = False):
        order = np.argsort(-lengths, kind="stable")[:int((lengths > 0).sum())]
        self.xp, self.step, self.lengths = xp, -1 if is_reverse else 1, lengths[order]
        first = begins[order] + (self.lengths - 1 if is_reverse else 0)
        self.order, self.first, self.last = (
            xp.asarray(rows) for rows in (order, first, first + self.step * (self.lengths - 1)))
        ended = np.bincount(self.lengths, minlength=1)
        self.active = (len(order) - np.cumsum(ended)[:-1]).tolist()

    @classmethod
    def packed(cls, xp: Any, offsets: Any, is_reverse: bool = False) -> Steps:
        """Over packed rows, from the offsets of the sequences."""
        bounds = to_numpy(offsets)
        return cls(xp, bounds[:-1], np.diff(bounds), is_reverse)

    @classmethod
    def padded(cls, xp: Any, lengths: Any, size: int) -> Steps:
        """Over the rows of sequences that are padded to one size."""
        known = to_numpy(lengths).reshape(-1).astype("int64")
        return cls(xp, np.arange(len(known)) * size, known)

    def __iter__(self) -> Iterator[tuple[int, int, Any]]:
        """(step, number of sequences, their rows)."""
        for t, count in enumerate(self.active):
            yield t, count, self.rows(t)

    def back(self) -> Iterator[tuple[int, int, Any]]:
        """The same from the last step back."""
        for t in reversed(range(len(self.active))):
            yield t, self.active[t], self.rows(t)

    def rows(self, t: int) -> Any:
        """The rows of a step: a slice where there is one."""
        if self.active[t] == 1:
            row = int(self.first[0]) + t * self.step
            return slice(row, row + 1)
        return self.first[:self.active[t]] + t * self.step

    def initial(self, state: Any, width: int, dtype: Any) -> Any:
        """The initial states in the order of the steps, zeros where there are none."""
        return self.xp.zeros((len(self.lengths), width), dtype) if state is None else state[self.order]

    def before(self, values: Any, state: Any) -> Any:
        """For each packed row the value of the step before; at a first step the initial state, or 0."""
        found = self.xp.empty_like(values)
        if self.step > 0:
            found[1:] = values[:-1]
        else:
            found[:-1] = values[1:]
        found[self.first] = 0 if state is None else state[self.order]
        return found

    def by_sequence(self, values: Any, like: Any) -> Any:
        """Values in the order of the steps as those of the sequences, like an array, with 0 of empty ones."""
        found = self.xp.zeros_like(like)
        found[self.order] = values
        return found


def sequences_of(lod: list[Spec]) -> int:
    """How many sequences there are, -1 where that is not known yet."""
    return lod[-1].shape[0] - 1 if lod[-1].shape[0] >= 0 else -1

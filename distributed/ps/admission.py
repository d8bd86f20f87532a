"""Which rows of a sparse table begin at all: by how often their numbers come, or by chance (`SparseTable(entry)`).

A row that has not begun is zeros, and gradients of it are passed over.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from .first_rows import words_of
from .row_slots import RowSlots, grown


class Entry(Protocol):
    """A condition of rows."""

    def come(self, ids: np.ndarray) -> None:
        """Row numbers, each once, have been looked up."""

    def admits(self, ids: np.ndarray, seed: int) -> np.ndarray:
        """Whether each of these rows may begin."""


class CountFilter:
    """A row begins when its number has been looked up so many times."""

    def __init__(self, count: int):
        self.count = count
        self._slots, self._counts = RowSlots(), np.zeros(0, "int32")

    def come(self, ids: np.ndarray) -> None:
        """Counts."""
        slots = self._slots.add(ids)
        grown(self._counts, len(self._slots))
        self._counts[slots] += 1

    def admits(self, ids: np.ndarray, seed: int) -> np.ndarray:
        """Whether each has come often enough."""
        slots = self._slots.find(ids)
        found = np.zeros(len(ids), "int32")
        found[slots >= 0] = self._counts[slots[slots >= 0]]
        return found >= self.count


class Probability:
    """A row may begin with this probability: whether it does, its number and the table's seed say, on any server."""

    def __init__(self, probability: float):
        self.probability = probability

    def come(self, ids: np.ndarray) -> None:
        """Changes nothing."""

    def admits(self, ids: np.ndarray, seed: int) -> np.ndarray:
        """Whether each is among those that begin."""
        return (words_of(ids, 1, ~seed)[:, 0] >> np.uint64(11)).astype("float64") * 2.0**-53 < self.probability


def entry_of(text: str | None, name: str) -> Entry | None:
    """The condition that an entry of `paddle.distributed` writes down; None for none. `name` is the table's."""
    kind, _, value = (text or "").partition(":")
    if not kind:
        return None
    if kind == "count_filter_entry":
        return CountFilter(int(value))
    if kind == "probability_entry":
        return Probability(float(value))
    raise NotImplementedError(f"sparse_embedding(entry): {name!r} asks for {text}; servers do not count what is shown "
                              "and clicked. Use CountFilterEntry or ProbabilityEntry, or leave entry out.")

"""SparseTable: rows of an embedding that lie on servers alone; one takes memory when it is first changed.

A row that never was has the values that it would begin with (`first_rows.py`), so that looking rows up takes no memory.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping

import numpy as np

from ...backend.selected_rows import SelectedRows
from .admission import Entry
from .errors import RefusedError
from .first_rows import FirstRows, uniform
from .row_rule import RowRule
from .row_slots import RowSlots, grown
from .values import dtype_of

_CHUNK = 1 << 16  # rows that an update works on at a time, so that what it copies stays small


class SparseTable:
    """Rows of `width` numbers by any int64.

    rule: how gradients change rows.
    first: the values that rows begin with, made of the seed and the row's number.
    average: whether a round takes the mean of what trainers send, or the sum.
    most_rows: how many rows may take memory; a push that would make more is refused.
    height: row numbers are from 0 to below it, where it is given.
    entry: which rows begin; without it all that are asked for (`admission.py`).

    >>> import numpy as np
    >>> from proa.distributed.ps import RowRule, SparseTable, first_rows
    >>> table = SparseTable(2, rule=RowRule("sgd", 0.5), first=first_rows.constant(1.0))
    >>> table.push(np.array([7, 3, 7]), np.ones([3, 2], "float32"))
    >>> table.look_up(np.array([3, 4, 7])).tolist(), len(table)
    ([[0.5, 0.5], [1.0, 1.0], [0.0, 0.0]], 2)
    """

    def __init__(self, width: int, *, rule: RowRule | None = None, first: FirstRows | None = None, seed: int = 0,
                 dtype: str = "float32", average: bool = True, most_rows: int = (1 << 31) - 2,
                 height: int | None = None, entry: Entry | None = None):
        if width < 1 or most_rows < 1:
            raise ValueError(f"SparseTable(width, most_rows): above 0. Received {width} and {most_rows}.")
        self.width, self.dtype = width, dtype_of(dtype)
        self.rule, self.first, self.seed = rule or RowRule(), first or uniform(-0.05, 0.05), seed
        self.average, self.most_rows, self.height, self.entry = average, most_rows, height, entry
        self.lock = threading.RLock()
        self._slots = RowSlots()
        self._rows = np.zeros((0, width), self.dtype)
        self._kept = {name: np.zeros((0, width), self.dtype) for name in self.rule.kept}
        self._rested = np.zeros(0, "int32")  # of each row: how often `shrink` was called since its last update
        self.powers = self.rule.first_powers(self.dtype)

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        kept = sum(each.nbytes for each in self._kept.values())
        return self._slots.nbytes + self._rows.nbytes + self._rested.nbytes + kept

    def check(self, name: str, ids: np.ndarray) -> None:
        """RefusedError for row numbers that there are not."""
        if self.height is not None and ids.size and not (0 <= int(ids.min()) and int(ids.max()) < self.height):
            raise RefusedError(f"{name!r} has the rows 0 to {self.height - 1}. Received row numbers from {ids.min()} "
                               f"to {ids.max()}.")

    def look_up(self, ids: np.ndarray) -> np.ndarray:
        """The rows with these numbers, [ids, width]."""
        ids = np.ascontiguousarray(ids, "int64")
        with self.lock:
            if self.entry is not None:
                self.entry.come(ids)
            slots = self._slots.find(ids)
            lacking = np.flatnonzero(slots < 0)
            if lacking.size == ids.size:
                return self._first(ids)
            found = self._rows.take(slots, 0, mode="wrap")  # -1, where a row is lacking, is any row
        if lacking.size:
            found[lacking] = self._first(ids[lacking])
        return found

    def _first(self, ids: np.ndarray) -> np.ndarray:
        rows = self.first(ids, self.width, self.seed).astype(self.dtype, copy=False)
        if self.entry is not None:
            rows[~self.entry.admits(ids, self.seed)] = 0
        return rows

    def _begun(self, rows: SelectedRows) -> SelectedRows:
        """Those of the rows that are there or may begin."""
        if self.entry is None:
            return rows
        chosen = (self._slots.find(rows.rows) >= 0) | self.entry.admits(rows.rows, self.seed)
        return SelectedRows(rows.rows[chosen], rows.values[chosen], rows.height, merged=True)

    def push(self, ids: np.ndarray, gradients: np.ndarray) -> None:
        """One step of the rule with these gradients; those of one row are added up."""
        rows = SelectedRows(np.ascontiguousarray(ids, "int64"), gradients, 0).merge()
        with self.lock:
            rows = self._begun(rows)
            slots = self._made(rows.rows)
            powers = self.powers
            for begin in range(0, max(len(slots), 1), _CHUNK):
                chosen, part = slots[begin:begin + _CHUNK], rows.values[begin:begin + _CHUNK]
                powers = dict(self.powers)
                kept = {name: array.take(chosen, 0) for name, array in self._kept.items()}
                new, kept = self.rule.update(self._rows.take(chosen, 0), part, kept, powers)
                self._rows[chosen] = new
                for name, values in kept.items():
                    self._kept[name][chosen] = values
            self.powers = powers

    def add(self, ids: np.ndarray, changes: np.ndarray) -> None:
        """Adds to rows."""
        rows = SelectedRows(np.ascontiguousarray(ids, "int64"), changes, 0).merge()
        with self.lock:
            rows = self._begun(rows)
            self._rows[self._made(rows.rows)] += rows.values

    def shrink(self, rests: int = 0) -> int:
        """Removes the rows that no update has changed since more than so many calls of this; how many they were."""
        with self.lock:
            before = len(self._slots)
            grown(self._rested, before)
            kept = np.flatnonzero(self._rested[:before] <= rests)
            if len(kept) < before:
                slots = RowSlots()
                slots.add(self._slots.ids()[kept])
                self._slots, self._rows = slots, self._rows[kept]
                self._kept = {name: array[kept] for name, array in self._kept.items()}
                self._rested = self._rested[kept]
            self._rested[:len(kept)] += 1
            return before - len(kept)

    def _made(self, ids: np.ndarray) -> np.ndarray:
        """The slots of these rows, each given once; those that never were begin."""
        before = len(self._slots)
        if before + ids.size > self.most_rows and before + int((self._slots.find(ids) < 0).sum()) > self.most_rows:
            raise RefusedError(f"The table holds {before} rows and may hold {self.most_rows} (SparseTable(most_rows)); "
                               f"{ids.size} more were pushed.")
        slots = self._slots.add(ids)
        count = len(self._slots)
        if self._rested.size:
            grown(self._rested, count)
            self._rested[slots] = 0
        if count > before:
            new = ids[slots >= before]
            self._reserve(count)
            self._rows[before:count] = self._first(new)
            for name, first in self.rule.kept.items():
                self._kept[name][before:count] = first
        return slots

    def _reserve(self, count: int) -> None:
        for array in (self._rows, *self._kept.values()):
            grown(array, count)

    # What is saved

    def names(self) -> list[str]:
        """What is kept of each row: its number, "ids", its values, "rows", and what the rule keeps."""
        return ["ids", "rows", *self._kept]

    def part(self, name: str, begin: int, end: int) -> np.ndarray:
        """A copy of what is kept of the rows in some slots."""
        with self.lock:
            end = min(end, len(self))
            if name == "ids":
                return self._slots.ids(begin, end)
            return (self._rows if name == "rows" else self._kept[name])[begin:end].copy()

    def put(self, values: Mapping[str, np.ndarray]) -> None:
        """Takes rows with all that is kept of them, by `names`."""
        with self.lock:
            slots = self._slots.add(np.ascontiguousarray(values["ids"], "int64"))
            self._reserve(len(self._slots))
            self._rows[slots] = values["rows"]
            for name, array in self._kept.items():
                array[slots] = values[name]

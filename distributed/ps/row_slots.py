"""Where the rows of a sparse table are: a hash table from row numbers (any int64) to 0, 1, 2… in the order they came.

Open addressing with linear probing. All numbers of a call are looked for at once: by a loop of `backend/loops`, which
runs without Python's lock, or by NumPy, as long as some of them have to look at one place more.
"""

from __future__ import annotations

import numpy as np

from ...backend.loops import function
from ...backend.loops.names import unsigned_shift
from ...backend.random.same import same

_FACTOR = -7046029254386353131  # 2**64 / the golden ratio: the upper bits of a product are the place
_LOAD = 0.6
_LEAST_BITS = 10
_GROWTH = 8  # memory grows by an eighth of what it is
GOLDEN = np.uint64(_FACTOR & 0xFFFFFFFFFFFFFFFF)


@function
def _place_of_row(number, places, held, mask, shift):
    place = unsigned_shift(number * -7046029254386353131, shift)
    searching = places[place] != 0
    while searching:
        if held[places[place] - 1] == number:
            searching = False
        else:
            place = (place + 1) & mask
            searching = places[place] != 0
    return place


@same("i64* i32* i64* i64* i64 i64 i64")
def _find_loop(ids, places, held, slots, n, mask, shift):
    for i in range(n):
        slots[i] = places[_place_of_row(ids[i], places, held, mask, shift)] - 1


@same("i64* i32* i64* i64* i64 i64 i64 i64")
def _add_loop(ids, places, held, slots, n, mask, shift, count):
    last = count
    for i in range(n):
        place = _place_of_row(ids[i], places, held, mask, shift)
        if places[place] == 0:
            held[last] = ids[i]
            last = last + 1
            places[place] = last
        slots[i] = places[place] - 1


def grown(array: np.ndarray, rows: int) -> None:
    """Makes an array that nothing else looks at longer, where it lies or by moving its pages; new rows hold zeros."""
    if len(array) < rows:
        array.resize((max(rows, len(array) + len(array) // _GROWTH), *array.shape[1:]), refcheck=False)


class RowSlots:
    """Row numbers and their places.

    >>> import numpy as np
    >>> from proa.distributed.ps.row_slots import RowSlots
    >>> slots = RowSlots()
    >>> slots.add(np.array([70, -5])).tolist(), slots.find(np.array([-5, 8, 70])).tolist(), len(slots)
    ([0, 1], [1, -1, 0], 2)
    """

    def __init__(self) -> None:
        self._bits = _LEAST_BITS
        self._places = np.zeros(1 << _LEAST_BITS, "int32")  # 0: empty, otherwise the slot and 1
        self._held = np.zeros(1 << _LEAST_BITS, "int64")
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        return self._places.nbytes + self._held.nbytes

    def ids(self, begin: int = 0, end: int | None = None) -> np.ndarray:
        """The row numbers of these slots."""
        return self._held[begin:self._count if end is None else end].copy()

    def find(self, ids: np.ndarray) -> np.ndarray:
        """The slots of row numbers; -1 for one that has none."""
        run = _find_loop.due(ids.size)
        if run is None:
            return self._find_by_numpy(ids)
        slots = np.empty(ids.size, "int64")
        run(ids, self._places, self._held, slots, ids.size, (1 << self._bits) - 1, 64 - self._bits)
        return slots

    def add(self, ids: np.ndarray) -> np.ndarray:
        """The slots of row numbers, each of which is given once; new ones get the next slots, in their order."""
        self._reserve(self._count + ids.size)
        run = _add_loop.due(ids.size)
        slots = np.empty(ids.size, "int64")
        if run is None:
            self._add_by_numpy(ids, slots)
        else:
            run(ids, self._places, self._held, slots, ids.size, (1 << self._bits) - 1, 64 - self._bits, self._count)
        self._count = max(self._count, int(slots.max(initial=-1)) + 1)
        return slots

    def _reserve(self, count: int) -> None:
        grown(self._held, count)
        if count > _LOAD * (1 << self._bits):
            while count > _LOAD * (1 << self._bits):
                self._bits += 1
            self._places = np.zeros(1 << self._bits, "int32")
            count, self._count = self._count, 0
            for begin in range(0, count, 1 << 20):
                ids = self._held[begin:min(begin + (1 << 20), count)].copy()
                run = _add_loop.due(ids.size)
                slots = np.empty(ids.size, "int64")
                if run is None:
                    self._add_by_numpy(ids, slots)
                else:
                    run(ids, self._places, self._held, slots, ids.size, (1 << self._bits) - 1, 64 - self._bits, begin)
                self._count = begin + ids.size

    def _first_places(self, ids: np.ndarray) -> np.ndarray:
        return ((ids.view("uint64") * GOLDEN) >> np.uint64(64 - self._bits)).view("int64")

    def _find_by_numpy(self, ids: np.ndarray) -> np.ndarray:
        ids = np.ascontiguousarray(ids, "int64")
        slots = np.full(ids.size, -1)
        open_ = np.arange(ids.size)
        places = self._first_places(ids)
        mask = (1 << self._bits) - 1
        while open_.size:
            found = self._places[places].astype("int64") - 1
            taken = found >= 0
            open_, places, found = open_[taken], places[taken], found[taken]
            hit = self._held[found] == ids[open_]
            slots[open_[hit]] = found[hit]
            open_, places = open_[~hit], (places[~hit] + 1) & mask
        return slots

    def _add_by_numpy(self, ids: np.ndarray, slots: np.ndarray) -> None:
        slots[...] = self._find_by_numpy(ids)
        new = np.flatnonzero(slots < 0)
        slots[new] = np.arange(self._count, self._count + new.size)
        self._held[self._count:self._count + new.size] = ids[new]
        mask = (1 << self._bits) - 1
        places, marks = self._first_places(np.ascontiguousarray(ids[new])), (slots[new] + 1).astype("int32")
        while marks.size:
            empty = self._places[places] == 0
            self._places[places[empty]] = marks[empty]  # of several that want one place, one gets it
            waiting = self._places[places] != marks
            places, marks = (places[waiting] + 1) & mask, marks[waiting]

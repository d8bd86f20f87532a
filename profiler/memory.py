"""How many bytes the results of operators hold at a time: counted when a result is seen, and when it is freed."""

from __future__ import annotations

import time
import weakref
from typing import Any

from .. import backend
from ..core import nest


def _owner(array: Any) -> Any:
    """The array whose memory this one uses: itself, unless it is a view."""
    while backend.is_array(array.base):
        array = array.base
    return array


class LiveBytes:
    """The bytes in use among the arrays that `add` was given. Views count nothing; an array counts once."""

    def __init__(self) -> None:
        self.current = self.peak = 0
        self.history: list[tuple[int, int]] = []
        self._held: dict[int, weakref.ref] = {}

    def add(self, results: Any) -> int:
        """Counts the arrays of an operator's results (arrays or Tensors, nested); how many bytes were new."""
        added = 0
        for value in nest.leaves(results):
            array = getattr(value, "_array", value)
            if array is not None and backend.is_array(array):
                added += self._add_owner(_owner(array))
        if added:
            self.peak = max(self.peak, self.current)
            self.history.append((time.perf_counter_ns(), self.current))
        return added

    def _add_owner(self, array: Any) -> int:
        key = id(array)
        if key in self._held or not type(array).__weakrefoffset__:
            return 0
        size = int(array.nbytes)

        def free(_: Any) -> None:
            del self._held[key]
            self.current -= size
            self.history.append((time.perf_counter_ns(), self.current))

        self._held[key] = weakref.ref(array, free)
        self.current += size
        return size

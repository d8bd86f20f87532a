"""Words one by one, for what takes as many as it happens to need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ...core.mersenne_twister import STATE, Engine
from .uniform import spread


class Stream:
    """The next evenly spread floats of an engine, from 0 up to 1; `back` gives back to it what was not taken."""

    def __init__(self, engine: Engine, dtype: np.dtype):
        self._engine, self._dtype = engine, dtype
        self._values: list[float] = []
        self._place = 0

    def __call__(self) -> float:
        """The next of them."""
        if self._place == len(self._values):
            self.back()
            values = np.empty(STATE, self._dtype)
            spread(self._engine.ahead(STATE)[:STATE], values, 0, 1)
            self._values, self._place = values.tolist(), 0
        self._place += 1
        return self._values[self._place - 1]

    def back(self) -> None:
        """Has the engine go on behind the last float that was taken."""
        self._engine.skip(self._place)
        self._values, self._place = [], 0


@contextmanager
def stream(engine: Engine, dtype: np.dtype) -> Iterator[Stream]:
    """A Stream for the block, which nobody else takes words in."""
    with engine.lock:
        floats = Stream(engine, dtype)
        try:
            yield floats
        finally:
            floats.back()

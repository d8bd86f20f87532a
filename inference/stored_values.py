"""Values of a model that are read from their file when somebody needs them, weights when they are packed.

A weight that is packed at its first use would be read into fresh memory, packed, and forgotten: for a large model most
of what opening it takes is the system's making of that memory. So such weights stay in the file, which is held open,
and go one after the other through the same memory. The file may be removed or replaced meanwhile; one that is written
over is an error in words, by its size and time of change. Where these could not tell, everything is read at once.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np

from ..static.compiler.frozen_weight import FrozenWeight
from ..static.files.model_files import as_declared, read_values
from ..static.format.tensor_stream import PlacedTensor, placed_or_read

_LEAST = 1 << 16  # bytes of a value that is left in the file
_SETTLED = 2.0  # seconds that a file must be unchanged: it may change again without another time in fewer


def values_as_needed(path: Any, names: Sequence[str]) -> dict[str, Any]:
    """What `read_values` gives, with FrozenWeights in place of large arrays where they can wait in the file."""
    if not (isinstance(path, str) and names and hasattr(os, "preadv") and os.path.isfile(path)):
        return read_values(path, names)
    held = _HeldFile(path)
    if not held.is_settled():
        return read_values(path, names)
    return {name: FrozenWeight(_StoredValue(held, name, found)) if isinstance(found, PlacedTensor)
            else as_declared(found.array, found.number)
            for name, found in placed_or_read(held.file, path, names, _LEAST)}


class _HeldFile:
    """A file that is held open as long as there is something to read."""

    def __init__(self, path: str):
        self.path, self.file = path, _opened(path)
        self._stamp = self._state()
        self._spare: list[np.ndarray] = []  # memory to read into: one for each thread that reads at once

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):
            self.file.close()

    def _state(self) -> tuple[int, int]:
        found = os.fstat(self.file.fileno())
        return found.st_size, found.st_mtime_ns

    def is_settled(self) -> bool:
        """Whether its time would tell of another change."""
        return time.time() - self._stamp[1] / 1e9 > _SETTLED

    def fill(self, array: np.ndarray, offset: int, name: str) -> None:
        """Reads the bytes from an offset on; RuntimeError where the file is another now."""
        view, done = memoryview(array).cast("B"), 0
        while done < len(view):
            got = os.preadv(self.file.fileno(), [view[done:]], offset + done)
            if not got:
                break
            done += got
        if done < len(view) or self._state() != self._stamp:
            raise RuntimeError(f"The file {self.path!r} was written over after its model was opened, and {name!r} had "
                               "not been read yet: weights are read when they are first used. Create the Predictor "
                               "anew, and write files beside their place and rename them (proa's own are).")

    @contextlib.contextmanager
    def memory(self, size: int) -> Iterator[np.ndarray]:
        """So many float32 numbers, for the time of a block."""
        try:
            spare = self._spare.pop()
        except IndexError:
            spare = np.empty(size, np.float32)
        if spare.size < size:
            spare = np.empty(size, np.float32)
        try:
            yield spare[:size]
        finally:
            self._spare.append(spare)


def _opened(path: str) -> BinaryIO:
    return open(path, "rb")


class _StoredValue:
    """A value that waits in a file."""

    def __init__(self, held: _HeldFile, name: str, placed: PlacedTensor):
        self.shape = placed.shape
        self._held, self._name, self._offset = held, name, placed.offset
        self._size = int(np.prod(placed.shape, dtype=np.int64))

    def read(self) -> np.ndarray:
        """It, in memory of its own."""
        array = np.empty(self._size, np.float32)
        self._held.fill(array, self._offset, self._name)
        return array.reshape(self.shape)

    @contextlib.contextmanager
    def lent(self) -> Iterator[np.ndarray]:
        """It, for the time of a block."""
        with self._held.memory(self._size) as memory:
            self._held.fill(memory, self._offset, self._name)
            yield memory.reshape(self.shape)

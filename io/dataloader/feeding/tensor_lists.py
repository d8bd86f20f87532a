"""TensorListLoader: a user's generators as lists of Tensors, for eager code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....core.place import Place, expected_place, parse_place
from ....dygraph.tensor import Tensor
from ....dygraph.value import EagerValue
from ...background import iterate_ahead
from ..collate import to_tensors
from ..reading_processes import iterate_in_processes
from .generators import Reader, as_array, columns, in_batches, require_reader


class TensorListLoader:
    """Batches of a user's generator as lists of Tensors, read up to `capacity` ahead by a background thread.

    With `use_multiprocess` the generator runs in a process of its own instead, which is ahead by what its pipe holds.
    What it raises is raised where the batch is taken. Leaving the loop ends the thread or the process.

    >>> import numpy as np, proa as paddle
    >>> loader = paddle.io.DataLoader.from_generator(capacity=2)
    >>> _ = loader.set_sample_generator(lambda: ((np.full(2, n), n) for n in range(4)), batch_size=2)
    >>> [[t.tolist() for t in batch] for batch in loader()]
    [[[[0, 0], [1, 1]], [0, 1]], [[[2, 2], [3, 3]], [2, 3]]]
    """

    iterable = True

    def __init__(self, capacity: int | None, use_multiprocess: bool = False):
        if not capacity or int(capacity) < 1:
            raise ValueError("DataLoader.from_generator(capacity): how many batches are read ahead, at least 1. "
                             f"Received {capacity!r}.")
        self._capacity, self._in_process = int(capacity), use_multiprocess
        self._reader: Reader | None = None
        self._place: Place | None = None

    def set_sample_generator(self, reader: Any, batch_size: int, drop_last: bool = True,
                             places: Any = None) -> TensorListLoader:
        """Takes samples, tuples of fields, from `reader()`: `batch_size` of them are a batch."""
        return self.set_sample_list_generator(in_batches("set_sample_generator(reader)", reader, batch_size, drop_last),
                                              places)

    def set_sample_list_generator(self, reader: Any, places: Any = None) -> TensorListLoader:
        """Takes lists of samples, each list a batch, from `reader()`."""
        return self.set_batch_generator(columns(require_reader("set_sample_list_generator(reader)", reader)), places)

    def set_batch_generator(self, reader: Any, places: Any = None) -> TensorListLoader:
        """Takes batches, lists of arrays, LoD tensors or Tensors, from `reader()`."""
        self._reader = require_reader("set_batch_generator(reader)", reader)
        found = places if isinstance(places, (list, tuple)) else [places]
        if len(found) != 1:
            raise ValueError(f"places: eager code has one. Received {len(found)}.")
        self._place = None if found[0] is None else parse_place(found[0])
        return self

    def __iter__(self) -> Iterator[list[Tensor]]:
        """An epoch."""
        reader = self._reader
        if reader is None:
            raise RuntimeError("The DataLoader has no data source. Call set_sample_generator, "
                               "set_sample_list_generator or set_batch_generator first.")
        place = self._place or expected_place()
        batches: Reader = lambda: map(_arrays, reader())  # noqa: E731
        found = iterate_in_processes([batches], "DataLoader: process") if self._in_process else iterate_ahead(
            batches, self._capacity)
        return (to_tensors(batch, place, owned=False) for batch in found)

    def __call__(self) -> Iterator[list[Tensor]]:
        """As `iter(loader)`."""
        return iter(self)

    def start(self) -> None:
        """Raises RuntimeError: for eager code a loader is iterated."""
        raise RuntimeError("start() is for a DataLoader that fills variables of a Program: give from_generator a "
                           "feed_list and iterable=False. This one is iterated: for data in loader().")

    reset = start


def _arrays(batch: Any) -> list[Any]:
    return [as_array(value.numpy() if isinstance(value, EagerValue) else value) for value in batch]

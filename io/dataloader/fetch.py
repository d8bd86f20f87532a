"""Reading the samples of one batch from a dataset and collating them, in whatever process that happens."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator
from typing import Any


class _End:
    """The type of END."""


END = _End()
"""What `fetch` returns when a stream of samples has come to its end."""


@dataclasses.dataclass(frozen=True)
class Reading:
    """How a DataLoader's dataset is read. `batch_size` counts for a stream only; None reads single samples."""

    dataset: Any
    collate_fn: Callable[[Any], Any]
    iterable: bool
    batched: bool
    batch_size: int | None
    drop_last: bool


class _IndexFetcher:
    """Batches of a dataset that is read by index."""

    def __init__(self, reading: Reading):
        self._reading = reading

    def fetch(self, indices: Any) -> Any:
        """The batch of the samples at `indices`: a list of indices, or one index without batching."""
        dataset = self._reading.dataset
        return self._reading.collate_fn([dataset[i] for i in indices] if self._reading.batched else dataset[indices])


class _StreamFetcher:
    """Batches of a dataset that is read in sequence."""

    def __init__(self, reading: Reading):
        self._reading = reading
        self._samples: Iterator[Any] = iter(reading.dataset)

    def fetch(self, indices: Any) -> Any:
        """The next batch of the stream, or END; `indices` count for nothing here."""
        reading = self._reading
        size = (reading.batch_size or 1) if reading.batched else 1
        samples = list(itertools.islice(self._samples, size))
        if not samples or (reading.drop_last and len(samples) < size):
            self._samples = iter(())  # an end stays the end
            return END
        return reading.collate_fn(samples if reading.batched else samples[0])


def make_fetcher(reading: Reading) -> _IndexFetcher | _StreamFetcher:
    """The fetcher for one epoch; for a stream this starts its iteration."""
    return _StreamFetcher(reading) if reading.iterable else _IndexFetcher(reading)

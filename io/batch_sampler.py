"""Batch samplers: indices in batches, for one process or one of several that share the dataset; `paddle.batch`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..core import launched
from . import randomness
from .checks import require_bool, require_positive_int
from .dataset import IterableDataset
from .sampler import RandomSampler, Sampler, SequenceSampler


def _sampler(dataset: Any, sampler: Any, shuffle: bool) -> Any:
    where = "BatchSampler(dataset, sampler)"
    if (dataset is None) == (sampler is None):
        received = "neither" if dataset is None else "both"
        raise ValueError(f"{where}: give one of dataset and sampler. Received {received}.")
    if sampler is None:
        if isinstance(dataset, IterableDataset):
            raise TypeError(f"{where}: an IterableDataset has no indices to sample. Give batch_size to the DataLoader.")
        return RandomSampler(dataset) if shuffle else SequenceSampler(dataset)
    if shuffle:
        raise ValueError(f"{where}: shuffle must be False with a sampler, which decides the order itself.")
    if not hasattr(sampler, "__iter__"):
        raise TypeError(f"{where}: sampler must be a Sampler. Received {type(sampler).__name__}.")
    return sampler


class BatchSampler(Sampler):
    """Lists of `batch_size` indices, from a `sampler` or from a `dataset` in order (or at random: `shuffle`).

    The last batch may be smaller, unless `drop_last` leaves it out. Raises ValueError for both or neither of dataset
    and sampler, or for shuffle with a sampler. `paddle.io.BatchSampler`.

    >>> import proa as paddle
    >>> list(paddle.io.BatchSampler(sampler=paddle.io.SequenceSampler("abcde"), batch_size=2))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, dataset: Any = None, sampler: Any = None, shuffle: bool = False, batch_size: int = 1,
                 drop_last: bool = False):
        where = "BatchSampler(dataset, sampler)"
        self.sampler = _sampler(dataset, sampler, require_bool(where, "shuffle", shuffle))
        self.batch_size = require_positive_int(where, "batch_size", batch_size)
        self.drop_last = require_bool(where, "drop_last", drop_last)

    def __iter__(self) -> Iterator[list[Any]]:
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


class DistributedBatchSampler(BatchSampler):
    """The batches of one of `num_replicas` processes that share a dataset: each index goes to one of them.

    The indices are padded from the front so that every process gets as many. `shuffle` orders them by the epoch's
    number alone, so the processes agree; each iteration is one epoch further, or call `set_epoch`. Number and
    rank of the processes come from the launcher (`PADDLE_TRAINERS_NUM`, `PADDLE_TRAINER_ID`) where not given; one
    process by default. Raises ValueError for a rank outside. `paddle.io.DistributedBatchSampler`.

    >>> import proa as paddle
    >>> list(paddle.io.DistributedBatchSampler("abcdefgh", batch_size=2, num_replicas=2, rank=1))
    [[2, 3], [6, 7]]
    """

    def __init__(self, dataset: Any, batch_size: int, num_replicas: int | None = None, rank: int | None = None,
                 shuffle: bool = False, drop_last: bool = False):
        where = "DistributedBatchSampler(dataset, batch_size)"
        self.dataset = dataset
        self.batch_size = require_positive_int(where, "batch_size", batch_size)
        self.shuffle = require_bool(where, "shuffle", shuffle)
        self.drop_last = require_bool(where, "drop_last", drop_last)
        replicas = launched.size() if num_replicas is None else num_replicas
        self.nranks = require_positive_int(where, "num_replicas", replicas)
        self.local_rank = launched.rank() if rank is None else rank
        if not 0 <= self.local_rank < self.nranks:
            raise ValueError(
                f"{where}: rank must be at least 0 and below num_replicas={self.nranks}. Received {self.local_rank!r}."
            )
        self.epoch = 0

    @property
    def num_samples(self) -> int:
        """How many indices this process gets."""
        return math.ceil(len(self.dataset) / self.nranks)

    @property
    def total_size(self) -> int:
        """How many indices all processes get together, padding included."""
        return self.num_samples * self.nranks

    def _padded(self) -> list[int]:
        indices = list(range(len(self.dataset)))
        if not indices:
            return indices
        repeats = -(-self.total_size // len(indices))
        padded = (indices * repeats)[: self.total_size]
        return randomness.epoch_permutation(padded, self.epoch) if self.shuffle else padded

    def _local(self, indices: list[int]) -> list[int]:
        """This process's indices: whole batches in turn, and an equal share of what remains after the last turn."""
        turn = self.batch_size * self.nranks
        whole = len(indices) // turn * turn
        share = (len(indices) - whole) // self.nranks
        starts = range(self.local_rank * self.batch_size, whole, turn)
        local = [index for start in starts for index in indices[start : start + self.batch_size]]
        first = whole + self.local_rank * share
        return local + indices[first : first + share]

    def __iter__(self) -> Iterator[list[int]]:
        local = self._local(self._padded())
        self.epoch += self.shuffle
        end = len(self) * self.batch_size if self.drop_last else len(local)
        for start in range(0, end, self.batch_size):
            yield local[start : start + self.batch_size]

    def __len__(self) -> int:
        return self.num_samples // self.batch_size if self.drop_last else -(-self.num_samples // self.batch_size)

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch's number, which the order depends on; call it at the start of each with `shuffle`."""
        self.epoch = epoch


def batch(reader: Callable[[], Iterable[Any]], batch_size: int,
          drop_last: bool = False) -> Callable[[], Iterator[list[Any]]]:
    """A reader of lists of `batch_size` items of `reader`, which is a function that gives an iterable.

    The last list may be shorter; `drop_last` leaves it out. Raises ValueError for a batch_size below 1.

    >>> import proa as paddle
    >>> list(paddle.batch(lambda: range(3), 2)())
    [[0, 1], [2]]
    """
    if int(batch_size) < 1:
        raise ValueError(f"batch(batch_size): must be at least 1. Received {batch_size}.")

    def batches() -> Iterator[list[Any]]:
        items = iter(reader())
        while found := list(itertools.islice(items, int(batch_size))):
            if len(found) == batch_size or not drop_last:
                yield found

    return batches

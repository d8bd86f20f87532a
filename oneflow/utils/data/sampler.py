"""Samplers: in which order a loader reads, by this face's random numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from .... import io
from ....io import Sampler
from ...functions.creation import multinomial, randint, randperm, tensor

__all__ = ["BatchSampler", "DistributedSampler", "RandomSampler", "Sampler", "SequentialSampler",
           "SubsetRandomSampler", "WeightedRandomSampler", "order_of"]


def order_of(count: int, generator: Any = None) -> list[int]:
    """The numbers below `count` in random order."""
    return [int(n) for n in randperm(count, generator=generator).tolist()]


class SequentialSampler(io.SequenceSampler):
    """The indices of a data set in order."""


class RandomSampler(Sampler):
    """The indices of a data set in random order; with `replacement`, `num_samples` that may repeat.

    >>> import proa.oneflow as flow
    >>> sorted(flow.utils.data.RandomSampler([7, 8, 9]))
    [0, 1, 2]
    """

    def __init__(self, data_source: Any, replacement: bool = False, num_samples: int | None = None,
                 generator: Any = None):
        super().__init__(data_source)
        self.replacement, self.generator, self._count = replacement, generator, num_samples
        if num_samples is not None and num_samples <= 0:
            raise ValueError(f"RandomSampler(num_samples): must be above 0. Received {num_samples}.")

    @property
    def num_samples(self) -> int:
        """How many indices it gives."""
        return len(self.data_source) if self._count is None else self._count

    def __iter__(self) -> Iterator[int]:
        size, count = len(self.data_source), self.num_samples
        if self.replacement:
            yield from map(int, randint(0, size, (count,), generator=self.generator).tolist())
            return
        while count > 0:
            order = order_of(size, self.generator)[:count]
            count -= len(order)
            yield from order

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """The given indices in random order."""

    def __init__(self, indices: Sequence[Any], generator: Any = None):
        super().__init__(None)
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[Any]:
        return (self.indices[n] for n in order_of(len(self.indices), self.generator))

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Indices drawn with probabilities in proportion to weights."""

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None):
        super().__init__(None)
        self.weights = [float(weight) for weight in weights]
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(tensor(self.weights), self.num_samples, self.replacement, self.generator)
        return iter([int(n) for n in drawn.tolist()])

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of as many indices of a sampler as a batch has."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool):
        super().__init__(None)
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"BatchSampler(batch_size): must be an int above 0. Received {batch_size!r}.")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        batch: list[Any] = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler) / self.batch_size
        return math.floor(count) if self.drop_last else math.ceil(count)


class DistributedSampler(Sampler):
    """The indices of one of several processes; with one process all of them, in another order in each epoch."""

    def __init__(self, dataset: Any, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True,
                 seed: int = 0, drop_last: bool = False):
        super().__init__(dataset)
        self.num_replicas, self.rank = num_replicas or 1, rank or 0
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0
        count = len(dataset) / self.num_replicas
        self.num_samples = math.floor(count) if drop_last else math.ceil(count)

    def __iter__(self) -> Iterator[int]:
        from ...random_state import Generator

        size = len(self.data_source)
        order = order_of(size, Generator().manual_seed(self.seed + self.epoch)) if self.shuffle else list(range(size))
        total = self.num_samples * self.num_replicas
        order = (order * math.ceil(total / max(size, 1)))[:total]
        return iter(order[self.rank:total:self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Says which epoch comes: each has another order."""
        self.epoch = epoch

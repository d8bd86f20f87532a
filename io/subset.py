"""Parts of a dataset: a subset by indices, and a random split."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from ..core.random import Generator
from . import randomness
from .dataset import Dataset, _Sample


class Subset(Dataset[_Sample]):
    """The samples of `dataset` at `indices`, in that order. `paddle.io.Subset`.

    >>> import proa as paddle
    >>> data = paddle.io.TensorDataset([paddle.to_tensor([10, 20, 30])])
    >>> [sample[0].item() for sample in paddle.io.Subset(data, [2, 0])]
    [30, 10]
    """

    def __init__(self, dataset: Any, indices: Sequence[Any]):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> _Sample:
        sample: _Sample = self.dataset[self.indices[idx]]
        return sample

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[int], generator: Generator | None = None) -> list[Subset]:
    """Splits a dataset at random into parts of the given lengths, which share no sample and leave none out.

    `generator` (as `paddle.seed` returns one) is the host's by default, so `paddle.seed` repeats a split.
    Raises ValueError where the lengths do not add up to `len(dataset)`. `paddle.io.random_split`.

    >>> import proa as paddle
    >>> data = paddle.io.TensorDataset([paddle.to_tensor([10, 20, 30])])
    >>> train, test = paddle.io.random_split(data, [2, 1])
    >>> sorted(sample[0].item() for part in (train, test) for sample in part)
    [10, 20, 30]
    """
    where = "random_split(dataset, lengths)"
    if generator is not None and not isinstance(generator, Generator):
        raise TypeError(f"{where}: generator must be a Generator (paddle.seed(n) returns one). Received {generator!r}.")
    if not all(isinstance(length, numbers.Integral) and length >= 0 for length in lengths):
        raise ValueError(f"{where}: lengths must be ints of at least 0; fractions are not taken. Received {lengths!r}.")
    if sum(lengths) != len(dataset):
        raise ValueError(
            f"{where}: the lengths must add up to the dataset's. Received {list(lengths)}, which add up to "
            f"{sum(lengths)}, for a dataset of {len(dataset)} samples."
        )
    order = iter(randomness.split_permutation(len(dataset), generator))
    return [Subset(dataset, [next(order) for _ in range(length)]) for length in lengths]

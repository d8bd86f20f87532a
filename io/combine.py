"""Datasets made of several datasets: side by side, one after the other, by index or in sequence."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..core.errors import BeyondSamplesError
from .dataset import Dataset, IterableDataset


def _checked(where: str, datasets: Iterable[Any], iterable: bool) -> list[Any]:
    """The datasets as a list, which must not be empty and of one kind."""
    found = list(datasets)
    if not found:
        raise ValueError(f"{where}(datasets): give at least one dataset. Received an empty list.")
    kind = "IterableDataset" if iterable else "Dataset that is read by index (not an IterableDataset)"
    for dataset in found:
        if not isinstance(dataset, Dataset) or isinstance(dataset, IterableDataset) is not iterable:
            raise TypeError(f"{where}(datasets): each must be a {kind}. Received {type(dataset).__name__}.")
    return found


class ComposeDataset(Dataset):
    """Datasets of one length side by side: sample `i` is one tuple of all the fields of their samples `i`.

    Raises ValueError for no dataset or different lengths, TypeError for an IterableDataset.
    `paddle.io.ComposeDataset`.

    >>> import proa as paddle
    >>> images = paddle.io.TensorDataset([paddle.to_tensor([1, 2])])
    >>> labels = paddle.io.TensorDataset([paddle.to_tensor([7, 8])])
    >>> [t.item() for t in paddle.io.ComposeDataset([images, labels])[1]]
    [2, 8]
    """

    def __init__(self, datasets: Sequence[Dataset]):
        self.datasets = _checked("ComposeDataset", datasets, iterable=False)
        lengths = [len(dataset) for dataset in self.datasets]
        if len(set(lengths)) > 1:
            raise ValueError(f"ComposeDataset(datasets): the lengths must be equal. Received {lengths}.")

    def __getitem__(self, idx: int) -> tuple[Any, ...]:
        samples = (dataset[idx] for dataset in self.datasets)
        return tuple(itertools.chain.from_iterable(s if isinstance(s, (list, tuple)) else (s,) for s in samples))

    def __len__(self) -> int:
        return len(self.datasets[0])


class ChainDataset(IterableDataset):
    """The samples of several IterableDatasets, one dataset after the other. `paddle.io.ChainDataset`.

    Raises ValueError for no dataset, TypeError for one that is no IterableDataset.

    >>> import proa as paddle
    >>> class Letters(paddle.io.IterableDataset):
    ...     def __iter__(self):
    ...         return iter("ab")
    >>> list(paddle.io.ChainDataset([Letters(), Letters()]))
    ['a', 'b', 'a', 'b']
    """

    def __init__(self, datasets: Sequence[IterableDataset]):
        self.datasets = _checked("ChainDataset", datasets, iterable=True)

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(self.datasets)


class ConcatDataset(Dataset):
    """Datasets one after the other, read by one index; a negative one counts from the end.

    Raises ValueError for no dataset, TypeError for an IterableDataset, IndexError for an index outside.
    `paddle.io.ConcatDataset`.

    >>> import proa as paddle
    >>> first = paddle.io.TensorDataset([paddle.to_tensor([1, 2])])
    >>> second = paddle.io.TensorDataset([paddle.to_tensor([3])])
    >>> both = paddle.io.ConcatDataset([first, second])
    >>> len(both), both[2][0].item(), both[-3][0].item()
    (3, 3, 1)
    """

    def __init__(self, datasets: Iterable[Dataset]):
        self.datasets = _checked("ConcatDataset", datasets, iterable=False)
        self.cumulative_sizes = list(itertools.accumulate(len(dataset) for dataset in self.datasets))

    def __getitem__(self, idx: int) -> Any:
        index = idx + len(self) if idx < 0 else idx
        if not 0 <= index < len(self):
            raise BeyondSamplesError(f"ConcatDataset: the index {idx} is outside the {len(self)} samples.")
        number = bisect.bisect_right(self.cumulative_sizes, index)
        start = self.cumulative_sizes[number - 1] if number else 0
        return self.datasets[number][index - start]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

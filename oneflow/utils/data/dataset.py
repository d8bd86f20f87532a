"""Data sets: those of `proa.io`, with the constructors that OneFlow has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .... import io
from ....io import ConcatDataset, Dataset, IterableDataset, Subset
from .sampler import order_of

__all__ = ["ConcatDataset", "Dataset", "IterableDataset", "Subset", "TensorDataset", "random_split"]


class TensorDataset(io.TensorDataset):
    """Tensors of one first size; sample `i` is the tuple of their rows `i`.

    >>> import proa.oneflow as flow
    >>> data = flow.utils.data.TensorDataset(flow.tensor([1, 2]), flow.tensor([3, 4]))
    >>> [row.item() for row in data[1]]
    [2, 4]
    """

    def __init__(self, *tensors: Any):
        super().__init__(list(tensors))

    def __getitem__(self, idx: Any) -> tuple[Any, ...]:
        return tuple(tensor[idx] for tensor in self.tensors)


def random_split(dataset: Any, lengths: Sequence[int], generator: Any = None) -> list[Subset]:
    """Parts of a data set, chosen at random, of these lengths."""
    if sum(lengths) != len(dataset):
        raise ValueError(f"random_split(lengths): must add up to {len(dataset)}, the length of the data set. Received "
                         f"{list(lengths)}.")
    order, parts, begin = order_of(len(dataset), generator), [], 0
    for length in lengths:
        parts.append(Subset(dataset, order[begin:begin + length]))
        begin += length
    return parts

"""Datasets: what a DataLoader reads samples from, by index or in sequence.

Knows nothing of samplers, batches or workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic

from ..core.errors import NoIndexError, NoLengthError, UnequalLengthsError

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    _Sample = TypeVar("_Sample", covariant=True, default=Any)  # so that `Dataset` alone is `Dataset[Any]`
else:
    from typing import TypeVar

    _Sample = TypeVar("_Sample", covariant=True)


class Dataset(Generic[_Sample]):
    """A collection of samples that are read by index. Subclass it and define `__getitem__` and `__len__`.

    A sample is anything: an array, a number, text, or a tuple, list or dict of such. For type checkers, `Dataset[T]` is
    one of samples of type T. `paddle.io.Dataset`.

    >>> import proa as paddle
    >>> class Squares(paddle.io.Dataset):
    ...     def __getitem__(self, index):
    ...         return index * index
    ...     def __len__(self):
    ...         return 4
    >>> Squares()[3], len(Squares())
    (9, 4)
    """

    def __getitem__(self, idx: Any) -> _Sample:
        """The sample at `idx`."""
        raise NotImplementedError(
            f"{type(self).__name__}.__getitem__(idx) is not defined. Define it, so that it returns the sample at idx."
        )

    def __len__(self) -> int:
        """The number of samples."""
        raise NotImplementedError(
            f"{type(self).__name__}.__len__() is not defined. Define it, so that it returns the number of samples."
        )


class IterableDataset(Dataset[_Sample]):
    """A stream of samples that are read in sequence. Subclass it and define `__iter__`.

    With workers, every worker iterates a copy of its own: ask `get_worker_info()` which part is this worker's.
    It has no index and no length: `dataset[i]` and `len(dataset)` raise TypeErrors. `paddle.io.IterableDataset`.

    >>> import proa as paddle
    >>> class Countdown(paddle.io.IterableDataset):
    ...     def __iter__(self):
    ...         return iter([3, 2, 1])
    >>> list(Countdown())
    [3, 2, 1]
    """

    def __iter__(self) -> Iterator[_Sample]:
        """The samples, one after the other."""
        raise NotImplementedError(
            f"{type(self).__name__}.__iter__() is not defined. Define it, so that it yields the samples."
        )

    def __getitem__(self, idx: Any) -> _Sample:
        raise NoIndexError(
            f"{type(self).__name__} is an IterableDataset, which has no index. Iterate over it, or derive from Dataset."
        )

    def __len__(self) -> int:
        raise NoLengthError(
            f"{type(self).__name__} is an IterableDataset, which has no len(). Count while iterating, or derive from "
            "Dataset."
        )


class TensorDataset(Dataset):
    """Tensors (or arrays) of one first dimension; sample `i` is the tuple of their rows `i`.

    Raises UnequalLengthsError, a ValueError, where the first dimensions differ. `paddle.io.TensorDataset`.

    >>> import proa as paddle
    >>> data = paddle.io.TensorDataset([paddle.to_tensor([[1.0], [2.0]]), paddle.to_tensor([7, 8])])
    >>> len(data), [t.tolist() for t in data[1]]
    (2, [[2.0], 8])
    """

    def __init__(self, tensors: Sequence[Any]):
        if not isinstance(tensors, (list, tuple)) or not tensors:
            raise TypeError(f"TensorDataset(tensors): tensors must be a list of Tensors. Received {tensors!r}.")
        sizes = [tensor.shape[0] if tensor.shape else None for tensor in tensors]
        if None in sizes or len(set(sizes)) > 1:
            raise UnequalLengthsError(
                "TensorDataset(tensors): the first dimensions must be equal, since they count the samples. "
                f"Received shapes {[list(tensor.shape) for tensor in tensors]}."
            )
        self.tensors = tensors

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]

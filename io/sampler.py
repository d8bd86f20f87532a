"""Samplers: the order in which a dataset's samples are read, as a sequence of indices.

A sampler sees a dataset's length and nothing else of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic

import numpy as np

from . import randomness
from .checks import is_positive_int, require_bool, require_positive_int

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    _Index = TypeVar("_Index", covariant=True, default=Any)  # so that `Sampler` alone is `Sampler[Any]`
else:
    from typing import TypeVar

    _Index = TypeVar("_Index", covariant=True)


class Sampler(Generic[_Index]):
    """An iterable of indices. Subclass it and define `__iter__` (and `__len__` where the number is known).

    For type checkers, `Sampler[int]` is one of whole numbers. `paddle.io.Sampler`.

    >>> import proa as paddle
    >>> class Backwards(paddle.io.Sampler):
    ...     def __iter__(self):
    ...         return iter(range(len(self.data_source) - 1, -1, -1))
    >>> list(Backwards(data_source="abc"))
    [2, 1, 0]
    """

    def __init__(self, data_source: Any = None):
        self.data_source = data_source

    def __iter__(self) -> Iterator[_Index]:
        raise NotImplementedError(
            f"{type(self).__name__}.__iter__() is not defined. Define it, so that it yields indices."
        )


class SequenceSampler(Sampler[int]):
    """0, 1, 2, … to the end of `data_source`. `paddle.io.SequenceSampler`.

    >>> import proa as paddle
    >>> list(paddle.io.SequenceSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Any):
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices of `data_source` in random order, each once; or `num_samples` independent draws with `replacement`.

    The order comes from NumPy's global state (`np.random.seed`), or from `generator`, an iterator that yields the
    indices. `num_samples` needs `replacement=True`: ValueError otherwise. `paddle.io.RandomSampler`.

    >>> import proa as paddle
    >>> sorted(paddle.io.RandomSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Any, replacement: bool = False, num_samples: int | None = None,
                 generator: Iterator[int] | None = None):
        where = "RandomSampler(data_source)"
        self.data_source = data_source
        self.replacement = require_bool(where, "replacement", replacement)
        self.generator = generator
        if num_samples is not None and not replacement:
            raise ValueError(f"{where}: num_samples needs replacement=True. Received num_samples={num_samples!r}.")
        if num_samples is not None and not is_positive_int(num_samples):
            raise ValueError(f"{where}: num_samples must be an int of at least 1. Received {num_samples!r}.")
        self._num_samples = num_samples

    @property
    def num_samples(self) -> int:
        """How many indices an iteration yields."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        if self.generator is not None:
            return (index for _, index in zip(range(self.num_samples), self.generator, strict=False))
        if self.replacement:
            return iter(randomness.integers(len(self.data_source), self.num_samples))
        return iter(randomness.permutation(len(self.data_source)))

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """The given indices in random order, which `paddle.seed` repeats. ValueError for none.

    `paddle.io.SubsetRandomSampler`.

    >>> import proa as paddle
    >>> sorted(paddle.io.SubsetRandomSampler([7, 3, 5]))
    [3, 5, 7]
    """

    def __init__(self, indices: Sequence[Any]):
        if len(indices) == 0:
            raise ValueError("SubsetRandomSampler(indices): give at least one index. Received none.")
        self.indices = indices

    def __iter__(self) -> Iterator[Any]:
        return (self.indices[i] for i in randomness.split_permutation(len(self.indices), None))

    def __len__(self) -> int:
        return len(self.indices)


def _probabilities(weights: Any) -> np.ndarray:
    """The weights as float64 probabilities, which sum to 1."""
    array = np.asarray(weights, np.float64)
    where = "WeightedRandomSampler(weights, num_samples)"
    if array.ndim != 1:
        raise ValueError(f"{where}: weights must have one dimension. Received the shape {list(array.shape)}.")
    if not np.isfinite(array).all() or (array < 0).any() or not (array > 0).any():
        raise ValueError(f"{where}: weights must be finite, at least 0, and not all 0. Received {weights!r}.")
    return array / array.sum()


class WeightedRandomSampler(Sampler):
    """`num_samples` indices, drawn with probabilities in proportion to `weights` (a list, array or Tensor).

    Without `replacement` no index comes twice, so as many weights must be above 0: ValueError otherwise.
    `paddle.io.WeightedRandomSampler`.

    >>> import proa as paddle
    >>> list(paddle.io.WeightedRandomSampler([0.0, 2.5, 0.0], num_samples=3))
    [1, 1, 1]
    """

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True):
        where = "WeightedRandomSampler(weights, num_samples)"
        self.weights = _probabilities(weights)
        self.num_samples = require_positive_int(where, "num_samples", num_samples)
        self.replacement = require_bool(where, "replacement", replacement)
        possible = int((self.weights > 0).sum())
        if not replacement and possible < num_samples:
            raise ValueError(
                f"{where}: {num_samples} indices cannot be drawn without replacement from {possible} weights above 0. "
                "Lower num_samples or pass replacement=True."
            )

    def __iter__(self) -> Iterator[int]:
        return iter(randomness.weighted(self.weights, self.num_samples, self.replacement))

    def __len__(self) -> int:
        return self.num_samples

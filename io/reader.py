"""`paddle.io.reader`: the DataLoader, and what packages need that set a loader's attributes themselves.

paddlenlp 2.2 to 2.4 takes all of these, from `paddle.fluid.reader` in its time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.place import Place, expected_place, parse_place
from . import BatchSampler, DataLoader, IterableDataset, Subset
from .dataloader.dataloader_iter import _DatasetKind

__all__ = ["BatchSampler", "DataLoader", "IterableDataset", "Subset", "_DatasetKind"]

_current_expected_place = expected_place
_pinned: dict[str, bool | None] = {"wanted": None}


def _get_paddle_place(place: Any) -> Place | None:
    """A place, or what text such as "gpu:0" names; None stays None."""
    return None if place is None else parse_place(place)


def _get_paddle_place_list(places: Any) -> list[Place | None]:
    """The same for each of a list or tuple; TypeError for anything else."""
    if not isinstance(places, (list, tuple)):
        raise TypeError(f"_get_paddle_place_list(places): a list or tuple of places. Received {places!r}.")
    return [_get_paddle_place(place) for place in places]


def _convert_places(places: Any) -> list[Place | None]:
    """A list of places of one place or of several."""
    return _get_paddle_place_list(places if isinstance(places, (list, tuple)) else [places])


def use_pinned_memory(*args: bool) -> bool | None:
    """Keeps whether batches are to lie in pinned memory, and without an argument tells it: None where nobody said.

    It changes nothing in how batches reach a device.

    >>> use_pinned_memory()
    >>> use_pinned_memory(False)
    >>> use_pinned_memory()
    False
    """
    if not args:
        return _pinned["wanted"]
    _pinned["wanted"] = args[0]
    return None


class _InfiniteIterableSampler:
    """Batches of so many indices that mean nothing, without end: what is read of an IterableDataset."""

    def __init__(self, dataset: IterableDataset, batch_size: int = 1):
        if not isinstance(dataset, IterableDataset):
            raise TypeError("_InfiniteIterableSampler(dataset): an IterableDataset. Received "
                            f"{type(dataset).__name__}.")
        self.dataset, self.batch_size = dataset, batch_size

    def __iter__(self) -> Iterator[list[None]]:
        while True:
            yield [None] * self.batch_size

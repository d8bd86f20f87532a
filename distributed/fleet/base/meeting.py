"""What workers tell each other outside of training: gathered values, sums of arrays, and that all have come to a place.

Workers of one job meet by MPI where a launcher of MPI's connected them, and through the first parameter server where
there are servers; a worker alone meets itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...collectives import all_gather_object, barrier
from ...groups import Group
from ...ps.client import Client

__all__ = ["Alone", "ByCollectives", "Meeting", "ThroughServers", "reduced"]

_REDUCTIONS: dict[str, Callable[..., Any]] = {"sum": np.sum, "max": np.max, "min": np.min}


class Meeting:
    """Those who meet: each calls the same methods in the same order."""

    def all_gather(self, value: Any) -> list[Any]:
        """The values of all, in the order of their numbers."""
        raise NotImplementedError(type(self).__name__)

    def barrier(self) -> None:
        """Waits until all have come here."""
        self.all_gather(0)

    def all_reduce(self, value: Any, mode: str = "sum") -> np.ndarray:
        """The sum, max or min of all arrays, element by element; ValueError for another mode, or several shapes."""
        array = np.asarray(value)
        return reduced([np.asarray(other) for other in self.all_gather(array)], mode)


class Alone(Meeting):
    """One process."""

    def all_gather(self, value: Any) -> list[Any]:
        """The values of all, in the order of their numbers."""
        return [value]


class ByCollectives(Meeting):
    """The processes that `init_parallel_env` connects, or a group of them."""

    def __init__(self, group: Group | None = None):
        self._group = group

    def all_gather(self, value: Any) -> list[Any]:
        """The values of all, in the order of their numbers."""
        found: list[Any] = []
        all_gather_object(found, value, self._group)
        return found

    def barrier(self) -> None:
        """Waits until all have come here."""
        barrier(self._group)


class ThroughServers(Meeting):
    """The workers of a job with servers: the first server gathers what they have. Numbers and arrays, of one shape."""

    def __init__(self, client: Client, endpoint: str):
        self._client, self._endpoint = client, endpoint

    def all_gather(self, value: Any) -> list[Any]:
        """The values of all, in the order of their numbers."""
        array = np.asarray(value)
        if array.dtype.kind not in "biufc":
            raise TypeError(f"all_gather(input): a number, or an array of numbers. Received {value!r}.")
        found = self._client.gather(self._endpoint, array)
        return [item if array.ndim else item.item() for item in found]


def reduced(arrays: list[np.ndarray], mode: str) -> np.ndarray:
    """The arrays' sum, max or min, added in the order that they come in."""
    if mode not in _REDUCTIONS:
        raise ValueError(f"all_reduce(mode): must be one of {', '.join(_REDUCTIONS)}. Received {mode!r}.")
    if len({array.shape for array in arrays}) > 1:
        raise ValueError("all_reduce(input): every worker's must be of one shape. Received, by worker: "
                         f"{[list(array.shape) for array in arrays]}.")
    return np.asarray(_REDUCTIONS[mode](np.stack(arrays), axis=0), arrays[0].dtype)

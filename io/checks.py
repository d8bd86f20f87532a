"""Checks of the arguments of datasets, samplers and the DataLoader. Knows nothing of any of them."""

from __future__ import annotations

import numbers
from typing import Any

from ..core.errors import AssertedError
from ..core.place import Place, parse_place


def is_positive_int(value: Any) -> bool:
    """True for an int of at least 1 (NumPy's included, bool not)."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) > 0


def require_positive_int(where: str, name: str, value: Any) -> int:
    """`value` as an int; TypeError where it is no int, ValueError below 1."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise TypeError(f"{where}: {name} must be an int. Received {value!r}.")
    if value < 1:
        raise ValueError(f"{where}: {name} must be at least 1. Received {value!r}.")
    return int(value)


def require_bool(where: str, name: str, value: Any) -> bool:
    """`value`; TypeError where it is no bool."""
    if not isinstance(value, bool):
        raise TypeError(f"{where}: {name} must be True or False. Received {value!r}.")
    return value


def require_callable(where: str, name: str, value: Any) -> None:
    """TypeError where `value` is neither None nor callable."""
    if value is not None and not callable(value):
        raise TypeError(f"{where}: {name} must be a function or None. Received {value!r}.")


WHERE = "DataLoader(dataset)"


def places_of(places: Any, in_programs: bool) -> list[Place | None]:
    """The places that the user means; ValueError for none, and for several of which not each has a Program's feed."""
    found = list(places) if isinstance(places, (list, tuple)) else [places]
    if not found or (len(found) > 1 and not in_programs):
        raise ValueError(
            f"{WHERE}: places must be one place. Received {places!r}. For several devices start one process for each."
        )
    return [None if place is None else parse_place(place) for place in found]


def number(name: str, value: Any, kind: Any) -> Any:
    """A number of at least 0."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{WHERE}: {name} must be a number of at least 0. Received {value!r}.")
    if value < 0:
        raise AssertedError(f"{WHERE}: {name} must be at least 0. Received {value!r}.")
    return value


def check_stream(batch_sampler: Any, shuffle: bool) -> None:
    """ValueError for what makes no sense with an IterableDataset."""
    if shuffle:
        raise ValueError(f"{WHERE}: an IterableDataset decides its order: leave shuffle=False and shuffle inside it.")
    if batch_sampler is not None:
        raise ValueError(f"{WHERE}: an IterableDataset has no indices to sample. Give batch_size, not batch_sampler.")


def check_unset(batch_size: Any, shuffle: bool, drop_last: bool) -> None:
    """ValueError for what a batch sampler decides by itself."""
    if batch_size != 1 or shuffle or drop_last:
        raise AssertedError(
            f"{WHERE}: batch_sampler decides the batches itself. Give batch_size, shuffle and drop_last to it, not "
            f"here. Received {batch_size=}, {shuffle=}, {drop_last=}."
        )

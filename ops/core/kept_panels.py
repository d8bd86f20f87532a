"""Filters and matrices that eager operators meet again and again, kept in panels for as long as their array lives.

An update of a parameter gives it another array, even where that takes the memory of the one before: an array stands
for its values. What users may change comes as a view that is new each time. A weight that has come three times is
packed and kept; until then, and where there is no room, it is packed by the pass that needs it, which gives the same
bits.
"""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

import numpy as np

from ...backend.memory import keep_freed
from ...core import flags
from .panels import MATRIX, OF_MATRIX, Windows, pack_to_keep

_HOT = 3


class _Entry(NamedTuple):
    weight: weakref.ref[Any]
    how: tuple[int, Windows]
    uses: int
    call: Any
    size: int


_entries: dict[int, _Entry] = {}
"""By the array's id."""


def of(weight: np.ndarray, kind: int, windows: Windows) -> Any:
    """What `panels.pack` gives for this weight, or None: it has not come often enough, or others hold its memory."""
    place, how = id(weight), (kind, windows)
    entry = _entries.get(place)
    if entry is None or entry.how != how or entry.weight() is not weight:
        if _is_of_its_own(weight):
            _entries[place] = _Entry(weakref.ref(weight, lambda held: _forget(place, held)), how, 1, None, 0)
        return None
    if entry.call is not None:
        return entry.call
    call, size = None, 0
    if entry.uses + 1 >= _HOT and _has_room(weight.nbytes):
        keep_freed()
        call, size = pack_to_keep(weight, None, None, (entry.weight, None, None), kind, windows), weight.nbytes
    _entries[place] = entry._replace(uses=entry.uses + 1, call=call, size=size)
    return call


def of_matrix(weight: np.ndarray) -> Any:
    """The same for a matrix that rows are multiplied by."""
    return of(weight, MATRIX, OF_MATRIX)


_shared: dict[int, weakref.ref[Any]] = {}
"""Arrays whose memory another library was given, by id."""


def share(array: np.ndarray) -> None:
    """Another library is given an array's memory, and may change it: nothing of it is kept from now on."""
    owner = _owner(array)
    if owner is None:
        return
    place = id(owner)
    _shared[place] = weakref.ref(owner, lambda held: _shared.pop(place, None))
    for key, entry in list(_entries.items()):
        weight = entry.weight()
        if weight is not None and _owner(weight) is owner:
            del _entries[key]


def _owner(array: np.ndarray) -> np.ndarray | None:
    """The array whose memory it is; None where that is not an array's."""
    base = array.base
    if base is None:
        return array
    return base if type(base) is np.ndarray and base.base is None else None


def _is_of_its_own(weight: np.ndarray) -> bool:
    """Whether its memory is that of an array: what another library or process holds may change behind it."""
    owner = _owner(weight)
    return owner is not None and id(owner) not in _shared


def _has_room(size: int) -> bool:
    held = sum(entry.size for entry in list(_entries.values()))
    return held + size <= flags.values["FLAGS_kept_panels_megabytes"] * 2**20


def _forget(place: int, held: weakref.ref[Any]) -> None:
    """The array is gone; another may have its id since."""
    entry = _entries.get(place)
    if entry is not None and entry.weight is held:
        del _entries[place]

"""Which namespace an array belongs to, and moving arrays between places."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from ..core.errors import PlaceMismatchError
from ..core.place import CPUPlace, Place
from .devices import device_type, device_type_of, is_device_array

_CPU = CPUPlace()
_NUMPY = {np.ndarray}


def is_array(value: Any) -> bool:
    """True for an array of NumPy's or of a device's library."""
    return isinstance(value, np.ndarray) or is_device_array(value)


def namespace_at(place: Place) -> Any:
    """The namespace whose functions make arrays at `place`."""
    return device_type(place.kind).namespace if place.is_device() else np


def namespace_of(arrays: Any) -> ModuleType:
    """The namespace of several arrays (None among them is passed over); they must be in one place."""
    if type(arrays) is list and _NUMPY.issuperset(map(type, arrays)):
        return np
    namespace: Any = None
    for array in arrays:
        if array is None:
            continue
        if isinstance(array, (list, tuple)):
            if not array:
                continue
            own = np if _NUMPY.issuperset(map(type, array)) else namespace_of(array)
        else:
            own = np if isinstance(array, (np.ndarray, np.generic)) else device_type_of(array).namespace
        if namespace is not None and own is not namespace:
            raise PlaceMismatchError(
                "The tensors of one operation must be in one place. Received some on the host and some on a "
                "device, or on devices of several kinds. Bring them together with x.cuda(), x.cpu() or "
                "paddle.to_tensor(x, place=...)."
            )
        namespace = own
    return namespace or np


def bring_together(arrays: list) -> None:
    """Puts the arrays of the host, in a list with lists of arrays perhaps, where the first one of a device is."""
    place = next((place_of(a) for a in _flat(arrays) if is_device_array(a)), _CPU)

    def brought(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [brought(item) for item in value]
        return as_place(value, place) if isinstance(value, (np.ndarray, np.generic)) else value

    arrays[:] = map(brought, arrays)


def _flat(arrays: Any) -> Iterator[Any]:
    for array in arrays:
        if isinstance(array, (list, tuple)):
            yield from _flat(array)
        else:
            yield array


def place_of(array: Any) -> Place:
    """Where an array is."""
    if isinstance(array, np.ndarray):
        return _CPU
    device = device_type_of(array)
    return device.place(device.index_of(array))


def as_place(array: Any, place: Place) -> Any:
    """The array at `place`: itself where it is there already, otherwise a copy."""
    if place.is_device():
        return device_type(place.kind).to_device(array, place.index)
    if isinstance(array, np.ndarray) or getattr(array, "on_host", False):  # the second: some rows of a matrix
        return array
    return to_numpy(array)


def to_numpy(array: Any) -> np.ndarray:
    """The array on the host; itself where it is a NumPy array."""
    return array if isinstance(array, np.ndarray) else device_type_of(array).to_host(array)


def synchronize(place: Place) -> None:
    """Waits until the work queued at `place` is done; the host has none."""
    if place.is_device():
        device_type(place.kind).synchronize(place.index)

"""Which namespace an array belongs to, and moving arrays between places."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from ..core.errors import PlaceMismatchError
from ..core.place import CPUPlace, CUDAPlace, Place
from . import cuda

_CPU = CPUPlace()
_NUMPY = {np.ndarray}


def is_array(value: Any) -> bool:
    """True for a NumPy or CuPy array."""
    return isinstance(value, np.ndarray) or type(value).__module__.partition(".")[0] == "cupy"


def namespace_at(place: Place) -> Any:
    """The namespace whose functions make arrays at `place`."""
    return cuda.cupy() if place.is_gpu_place() else np


def namespace_of(arrays: Any) -> ModuleType:
    """The namespace of several arrays (None among them is passed over); they must be in one place."""
    namespace: Any = None
    for array in arrays:
        if array is None:
            continue
        if isinstance(array, (list, tuple)):
            if not array:
                continue
            own = np if _NUMPY.issuperset(map(type, array)) else namespace_of(array)
        else:
            own = np if isinstance(array, (np.ndarray, np.generic)) else cuda.cupy()
        if namespace is not None and own is not namespace:
            raise PlaceMismatchError(
                "The tensors of one operation must be in one place. Received some on the host and some on a CUDA "
                "device. Bring them together with x.cuda(), x.cpu() or paddle.to_tensor(x, place=...)."
            )
        namespace = own
    return namespace or np


def place_of(array: Any) -> Place:
    """Where an array is."""
    return _CPU if isinstance(array, np.ndarray) else CUDAPlace(array.device.id)


def as_place(array: Any, place: Place) -> Any:
    """The array at `place`: itself where it is there already, otherwise a copy."""
    if place.is_gpu_place():
        assert isinstance(place, CUDAPlace)
        return cuda.to_device(array, place)
    return array if isinstance(array, np.ndarray) else cuda.to_host(array)


def to_numpy(array: Any) -> np.ndarray:
    """The array on the host; itself where it is a NumPy array."""
    return array if isinstance(array, np.ndarray) else cuda.to_host(array)


def synchronize(place: Place) -> None:
    """Waits until the work queued at `place` is done; the host has none."""
    if place.is_gpu_place():
        cuda.cupy().cuda.Device(place.get_device_id()).synchronize()

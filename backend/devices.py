"""Kinds of device and the array library of each: CuPy for CUDA; others can be registered under names of their own.

A *device type* ("gpu", or what a plug-in calls itself) offers an array namespace that follows NumPy's, and what moves
its arrays to and from the host. It is made when a place of its kind is first used. Kernels are written on namespaces,
so one that can do what CuPy can runs every operator (`docs/gpu.md`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.place import CUDAPlace, CustomPlace, Place, add_custom_kind, remove_custom_kind


class DeviceType:
    """What a kind of device is used through: its arrays, the functions on them, and copies to and from the host."""

    name: str
    #: The class of its arrays.
    array_type: type
    #: The functions on its arrays, as NumPy names them; `random.default_rng`, `linalg` and `fft` among them.
    namespace: Any
    #: Functions that NumPy lacks, as SciPy's `special` names them.
    special: Any
    #: Its functions that add to places in an array, or store the largest or smallest value there, by (array, places,
    #: values).
    scatter_add: Callable[..., None]
    scatter_max: Callable[..., None]
    scatter_min: Callable[..., None]

    def count(self) -> int:
        """How many devices of this kind there are."""
        raise NotImplementedError

    def index_of(self, array: Any) -> int:
        """The number of the device that an array is on."""
        raise NotImplementedError

    def to_device(self, array: Any, index: int) -> Any:
        """An array of the host or of such a device on device `index`: itself where it is there already."""
        raise NotImplementedError

    def to_host(self, array: Any) -> np.ndarray:
        """A copy of an array for NumPy."""
        raise NotImplementedError

    def use(self, index: int) -> None:
        """Has this thread make new arrays on device `index`, where nobody says which."""

    def synchronize(self, index: int) -> None:
        """Waits until the work queued on a device is done."""
        raise NotImplementedError

    def raising_on_singular(self) -> contextlib.AbstractContextManager:
        """Within it, decompositions that fail raise LinAlgError instead of giving NaN."""
        raise NotImplementedError

    def place(self, index: int) -> Place:
        """The place that device `index` is."""
        return CUDAPlace(index) if self.name == CUDAPlace.kind else CustomPlace(self.name, index)


_makers: dict[str, Callable[[], DeviceType]] = {}
_made: dict[str, DeviceType] = {}
_by_array: dict[type, DeviceType] = {}


def register_device_type(name: str, make: Callable[[], DeviceType]) -> None:
    """Makes `name` a kind of device, whose `DeviceType` is made at first use.

    `paddle.CustomPlace(name, index)` and `paddle.set_device(name)` know it from then on. Raises ValueError for a name
    that is taken.
    """
    if name in _makers:
        raise ValueError(f"register_device_type({name!r}): there is a device type of this name.")
    if name != CUDAPlace.kind:
        add_custom_kind(name)
    _makers[name] = make


def unregister_device_type(name: str) -> None:
    """Forgets a kind of device; its arrays can be used no longer."""
    del _makers[name]
    remove_custom_kind(name)
    found = _made.pop(name, None)
    if found is not None:
        del _by_array[found.array_type]


def custom_device_types() -> list[str]:
    """The names of the kinds of device that were registered beside CUDA."""
    return sorted(set(_makers) - {CUDAPlace.kind})


def device_type(name: str) -> DeviceType:
    """The device type of this name; ValueError for an unknown one, RuntimeError where it cannot be used."""
    found = _made.get(name)
    if found is None:
        if name not in _makers:
            raise ValueError(f"There is no device type {name!r}. There are cpu, {', '.join(sorted(_makers))}.")
        found = _made[name] = _makers[name]()
        _by_array[found.array_type] = found
    return found


def device_type_of(array: Any) -> DeviceType:
    """The device type that an array belongs to which is not NumPy's."""
    return _by_array.get(type(array)) or device_type(CUDAPlace.kind)


def device_type_with(namespace: Any) -> DeviceType:
    """The device type whose functions these are."""
    return next(found for found in _made.values() if found.namespace is namespace)


def on_host(xp: Any, function: Callable[..., Any], *arrays: Any) -> tuple[Any, ...]:
    """The results of a function of NumPy, which no library of a device has: arrays go to the host, and results back."""
    if xp is not np:
        device = device_type_with(xp)
        return tuple(xp.asarray(result) for result in function(*map(device.to_host, arrays)))
    return tuple(function(*arrays))


def host_values(array: Any) -> list:
    """The values of an array that the host must know to go on (sizes, counts), as lists: a device is waited for."""
    return array.tolist()


def is_device_array(value: Any) -> bool:
    """True for an array of a device: one of CuPy's, or of a registered device type."""
    return type(value) in _by_array or type(value).__module__.partition(".")[0] == "cupy"

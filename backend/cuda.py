"""CuPy, imported at first use: CUDA devices, their count, and copies to and from the host."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
from typing import Any

import numpy as np

from ..core.place import CUDAPlace
from .devices import DeviceType, device_type, register_device_type


@functools.lru_cache(None)
def cupy() -> Any:
    """The module CuPy; an error that says what to install where it is missing or finds no device."""
    if importlib.util.find_spec("cupy") is None:
        raise RuntimeError(
            "A CUDA place needs the package CuPy, which is not installed. "
            "Install the extra for your CUDA version, pip install 'proa[cuda12]' or 'proa[cuda13]', "
            "or stay on the host with paddle.set_device('cpu')."
        )
    import cupy

    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise RuntimeError(f"CuPy is installed but finds no usable CUDA device: {error}.") from error
    if count == 0:
        raise RuntimeError("CuPy is installed but this machine has no CUDA device.")
    return cupy


def nccl() -> Any:
    """CuPy's module of NCCL, which it does not import by itself."""
    cupy()
    return importlib.import_module("cupy.cuda.nccl")


def is_available() -> bool:
    """True when CuPy is installed and finds a device."""
    return device_count() > 0


@functools.lru_cache(None)
def device_count() -> int:
    """How many CUDA devices there are; 0 without CuPy."""
    if importlib.util.find_spec("cupy") is None:
        return 0
    try:
        return int(cupy().cuda.runtime.getDeviceCount())
    except RuntimeError:
        return 0


def _counting(module: Any) -> Allocator | None:
    """What makes memory from now on; None where counting would cost by the arrays there are, or the user chose one."""
    if int(module.__version__.partition(".")[0]) < 14 or module.cuda.get_allocator() != (
            module.get_default_memory_pool().malloc):
        return None
    found = Allocator(module)
    module.cuda.set_allocator(found)
    return found


class Allocator:
    """CuPy's own pool of memory, which keeps the most bytes that were in use, and that it held, on each device."""

    def __init__(self, module: Any):
        pool = module.get_default_memory_pool()
        self._malloc, self._used, self._held = pool.malloc, pool.used_bytes, pool.total_bytes
        self._current = module.cuda.runtime.getDevice
        self.most_used: dict[int, int] = {}
        self.most_held: dict[int, int] = {}

    def __call__(self, size: int) -> Any:
        """Memory of so many bytes on the device in use."""
        memory = self._malloc(size)
        index, used, held = self._current(), self._used(), self._held()
        if used > self.most_used.get(index, 0):
            self.most_used[index] = used
        if held > self.most_held.get(index, 0):
            self.most_held[index] = held
        return memory


class Cuda(DeviceType):
    """CUDA devices, through CuPy."""

    name = CUDAPlace.kind

    def __init__(self) -> None:
        self.namespace = module = cupy()
        self.array_type = module.ndarray
        import cupyx
        import cupyx.scipy.special

        self.special = cupyx.scipy.special
        self.scatter_add, self.scatter_max, self.scatter_min = module.add.at, module.maximum.at, module.minimum.at
        self._errstate = cupyx.errstate
        self.allocator = _counting(module)

    def count(self) -> int:
        """How many CUDA devices there are."""
        return device_count()

    def index_of(self, array: Any) -> int:
        """The number of the device that an array is on."""
        return int(array.device.id)

    def to_device(self, array: Any, index: int) -> Any:
        """A copy of a host or device array on a device (the array itself where it is there already)."""
        if index >= device_count():
            raise ValueError(f"{CUDAPlace(index)!r} does not exist: this machine has {device_count()} CUDA device(s).")
        with self.namespace.cuda.Device(index):
            return self.namespace.asarray(array)

    def to_host(self, array: Any) -> np.ndarray:
        """A copy of a device array on the host."""
        return self.namespace.asnumpy(array)

    def use(self, index: int) -> None:
        """The device that CuPy takes by itself."""
        self.namespace.cuda.Device(index).use()

    def synchronize(self, index: int) -> None:
        """Waits until the work queued on a device is done."""
        self.namespace.cuda.Device(index).synchronize()

    def raising_on_singular(self) -> contextlib.AbstractContextManager:
        """CuPy's own `errstate`."""
        return self._errstate(linalg="raise")


register_device_type(CUDAPlace.kind, Cuda)


def allocator() -> Allocator | None:
    """What counts the memory of devices; None where nothing does."""
    found = device_type(CUDAPlace.kind)
    return found.allocator if isinstance(found, Cuda) else None


def to_device(array: Any, place: CUDAPlace) -> Any:
    """A copy of a host or device array on `place` (the array itself where it is there already)."""
    return device_type(CUDAPlace.kind).to_device(array, place.index)


def push_range(name: str) -> None:
    """Begins a named range that NVIDIA's tools show."""
    cupy().cuda.nvtx.RangePush(name)


def pop_range() -> None:
    """Ends the range that was begun last."""
    cupy().cuda.nvtx.RangePop()

"""`paddle.device.cuda`: CUDA devices, their memory, streams and events, by way of CuPy.

What needs a device raises RuntimeError, saying what to install, where there is none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..backend import cuda_device_count
from ..backend import synchronize as _synchronize
from ..backend.cuda import Allocator, allocator, cupy
from ..core.lazy import listed
from ..core.place import CUDAPlace
from .streams import Event, Stream, current_stream, place_of, stream_guard


class DeviceProperties(NamedTuple):
    """What a device is: `total_memory` in bytes, `major.minor` its compute capability."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int


def device_count() -> int:
    """How many CUDA devices there are.

    >>> import proa as paddle
    >>> paddle.device.cuda.device_count() >= 0
    True
    """
    return cuda_device_count()


def _index(device: Any) -> int:
    place = place_of(device)
    if device is None and not isinstance(place, CUDAPlace):
        place = CUDAPlace(0)
    if not isinstance(place, CUDAPlace):
        raise ValueError(f"device must be a CUDA device: an index, 'gpu:0' or a CUDAPlace. Received {device!r}.")
    cupy()
    if place.index >= device_count():
        raise ValueError(f"{place!r} does not exist: this machine has {device_count()} CUDA device(s).")
    return place.index


def get_device_properties(device: Any = None) -> DeviceProperties:
    """What a device is.

    >>> import proa as paddle
    >>> for index in range(paddle.device.cuda.device_count()):
    ...     assert paddle.device.cuda.get_device_properties(index).total_memory > 0
    """
    facts = cupy().cuda.runtime.getDeviceProperties(_index(device))
    name = facts["name"]
    return DeviceProperties(name.decode() if isinstance(name, bytes) else name, int(facts["major"]),
                            int(facts["minor"]), int(facts["totalGlobalMem"]), int(facts["multiProcessorCount"]))


def get_device_name(device: Any = None) -> str:
    """The name of a device.

    >>> import proa as paddle
    >>> for index in range(paddle.device.cuda.device_count()):
    ...     assert paddle.device.cuda.get_device_name(index)
    """
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The compute capability of a device, (major, minor).

    >>> import proa as paddle
    >>> for index in range(paddle.device.cuda.device_count()):
    ...     major, minor = paddle.device.cuda.get_device_capability(index)
    """
    facts = get_device_properties(device)
    return facts.major, facts.minor


def synchronize(device: Any = None) -> None:
    """Waits until the work queued on a device is done.

    >>> import proa as paddle
    >>> for index in range(paddle.device.cuda.device_count()):
    ...     paddle.device.cuda.synchronize(index)
    """
    _synchronize(CUDAPlace(_index(device)))


def empty_cache() -> None:
    """Gives the memory that CuPy keeps for reuse back; without CUDA there is none.

    >>> import proa as paddle
    >>> paddle.device.cuda.empty_cache()
    """
    if cuda_device_count():
        cupy().get_default_memory_pool().free_all_blocks()


def _pool(device: Any) -> Any:
    with cupy().cuda.Device(_index(device)):
        return cupy().get_default_memory_pool()


def memory_allocated(device: Any = None) -> int:
    """Bytes of arrays on a device.

    >>> import proa as paddle
    >>> for index in range(paddle.device.cuda.device_count()):
    ...     assert paddle.device.cuda.memory_allocated(index) <= paddle.device.cuda.memory_reserved(index)
    """
    with cupy().cuda.Device(_index(device)):
        return int(_pool(device).used_bytes())


def memory_reserved(device: Any = None) -> int:
    """Bytes that CuPy holds on a device, for arrays and for reuse.

    >>> import proa as paddle
    >>> for index in range(paddle.device.cuda.device_count()):
    ...     assert paddle.device.cuda.memory_reserved(index) >= paddle.device.cuda.memory_allocated(index)
    """
    with cupy().cuda.Device(_index(device)):
        return int(_pool(device).total_bytes())


def _allocator(asking: str) -> Allocator:
    found = allocator()
    if found is None:
        raise NotImplementedError(f"{asking}: the most is kept with CuPy 14 or later, and its own pool of memory. "
                                  "Ask memory_allocated() or memory_reserved() at the places that matter.")
    return found


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes of arrays that there were on a device.

    Raises NotImplementedError with CuPy before 14, or where memory is not of its own pool.

    >>> import proa as paddle
    >>> for index in range(paddle.device.cuda.device_count()):
    ...     assert paddle.device.cuda.max_memory_allocated(index) >= 0
    """
    return _allocator("max_memory_allocated").most_used.get(_index(device), 0)


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that CuPy held on a device, for arrays and for reuse; raises as `max_memory_allocated`.

    >>> import proa as paddle
    >>> for index in range(paddle.device.cuda.device_count()):
    ...     assert paddle.device.cuda.max_memory_reserved(index) >= paddle.device.cuda.max_memory_allocated(index)
    """
    return _allocator("max_memory_reserved").most_held.get(_index(device), 0)


def cudnn_version() -> int | None:
    """The version of cuDNN as CuPy sees it; None where it is not installed."""
    try:
        return int(cupy().cuda.cudnn.getVersion())
    except (AttributeError, ImportError, RuntimeError):
        return None


__all__ = ["Event", "Stream", "current_stream", "device_count", "empty_cache", "get_device_capability",
           "get_device_name", "get_device_properties", "max_memory_allocated", "max_memory_reserved",
           "memory_allocated", "memory_reserved", "stream_guard", "synchronize"]
__dir__ = listed(__name__)

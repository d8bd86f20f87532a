"""`paddle.device`: which device new tensors are made on, and what this installation can use."""

from __future__ import annotations

from typing import NoReturn

from ..backend import cuda_device_count, cuda_is_available
from ..backend import synchronize as _synchronize
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, Place, expected_place, get_device, parse_place
from ..core.place import set_expected_place as _set_expected_place
from . import cuda
from .streams import Event, Stream, current_stream, set_stream, stream_guard


def set_device(device: str | Place) -> Place:
    """Makes new tensors be made on 'cpu', 'gpu' or 'gpu:INDEX'; the place.

    Raises ValueError for another name, and RuntimeError, saying what to install, where CUDA cannot be used.

    >>> import proa as paddle
    >>> paddle.set_device("cpu")
    Place(cpu)
    """
    from ..backend import namespace_at

    place = parse_place(device)
    namespace_at(place)
    if isinstance(place, CUDAPlace) and place.index >= cuda_device_count():
        raise ValueError(f"set_device({device!r}): this machine has {cuda_device_count()} CUDA device(s).")
    _set_expected_place(place)
    return place


def is_compiled_with_cuda() -> bool:
    """True when CuPy is installed and finds a device."""
    return cuda_is_available()


def synchronize(device: str | Place | None = None) -> None:
    """Waits until the work queued on a device is done."""
    _synchronize(expected_place() if device is None else parse_place(device))


def get_all_device_type() -> list[str]:
    """The kinds of device that can be used."""
    return ["cpu", "gpu"] if cuda_is_available() else ["cpu"]


def get_available_device() -> list[str]:
    """The devices that can be used, such as ['cpu', 'gpu:0'].

    >>> import proa as paddle
    >>> paddle.device.get_available_device()[0]
    'cpu'
    """
    return ["cpu", *(f"gpu:{index}" for index in range(cuda_device_count()))]


def get_all_custom_device_type() -> list[str]:
    """The kinds of plugged-in device: none, for there is no way to plug one in."""
    return []


def get_available_custom_device() -> list[str]:
    """The plugged-in devices: none."""
    return []


def get_cudnn_version() -> int | None:
    """The version of cuDNN as a number such as 8900, None where CUDA cannot be used or cuDNN is not installed."""
    return cuda.cudnn_version() if cuda_is_available() else None


def is_compiled_with_custom_device(device_type: str) -> bool:
    """False: no kind of device can be plugged in."""
    return False


def is_compiled_with_distribute() -> bool:
    """True: `paddle.distributed` is part of this package."""
    return True


def is_compiled_with_rocm() -> bool:
    """False: AMD's devices are not supported."""
    return False


def is_compiled_with_xpu() -> bool:
    """False: Kunlun's devices are not supported."""
    return False


def is_compiled_with_ipu() -> bool:
    """False: Graphcore's devices are not supported."""
    return False


def is_compiled_with_cinn() -> bool:
    """False: the compiler here is proa's own."""
    return False


def XPUPlace(dev_id: int) -> NoReturn:
    """Raises RuntimeError: Kunlun's devices are not supported."""
    raise RuntimeError("XPUPlace(): Kunlun's devices are not supported. Use CPUPlace() or CUDAPlace(0).")


def IPUPlace() -> NoReturn:
    """Raises RuntimeError: Graphcore's devices are not supported."""
    raise RuntimeError("IPUPlace(): Graphcore's devices are not supported. Use CPUPlace() or CUDAPlace(0).")


def CustomPlace(device_type: str, dev_id: int = 0) -> NoReturn:
    """Raises RuntimeError: devices of plug-ins are not supported."""
    raise RuntimeError(f"CustomPlace({device_type!r}, {dev_id!r}): devices of plug-ins are not supported. "
                       "Use CPUPlace() or CUDAPlace(0).")


__all__ = [
    "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "CustomPlace", "Event", "IPUPlace", "Stream", "XPUPlace", "cuda",
    "current_stream", "get_all_custom_device_type", "get_all_device_type", "get_available_custom_device",
    "get_available_device", "get_cudnn_version", "get_device", "is_compiled_with_cinn", "is_compiled_with_cuda",
    "is_compiled_with_custom_device", "is_compiled_with_distribute", "is_compiled_with_ipu", "is_compiled_with_rocm",
    "is_compiled_with_xpu", "set_device", "set_stream", "stream_guard", "synchronize",
]

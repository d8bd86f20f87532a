"""`paddle.device`: which device new tensors are made on, and what this installation can use."""

from __future__ import annotations

import sys
from typing import Any

from ..backend import cuda_device_count, cuda_is_available, custom_device_types, device_type
from ..backend import synchronize as _synchronize
from ..core.absent import refusal
from ..core.lazy import listed, require
from ..core.place import (
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    CustomPlace,
    IPUPlace,
    Place,
    XPUPlace,
    expected_place,
    get_device,
    parse_place,
)
from ..core.place import set_expected_place as _set_expected_place
from . import cuda
from .streams import Event, Stream, current_stream, set_stream, stream_guard


def set_device(device: str | Place) -> Place:
    """Makes new tensors be made on 'cpu', 'gpu', 'gpu:INDEX' or a device of a registered kind; the place.

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
    if place.is_custom_place() and place.index >= device_type(place.kind).count():
        raise ValueError(f"set_device({device!r}): there are {device_type(place.kind).count()} device(s) of this kind.")
    if place.is_device():
        device_type(place.kind).use(place.index)
    _set_expected_place(place)
    return place


_convert_to_place = parse_place  # what packages call it


def is_compiled_with_cuda() -> bool:
    """True when CuPy is installed and finds a device.

    >>> import proa as paddle
    >>> isinstance(paddle.device.is_compiled_with_cuda(), bool)
    True
    """
    return cuda_is_available()


def synchronize(device: str | Place | None = None) -> None:
    """Waits until the work queued on a device is done.

    >>> import proa as paddle
    >>> paddle.device.synchronize("cpu")
    """
    _synchronize(expected_place() if device is None else parse_place(device))


def get_all_device_type() -> list[str]:
    """The kinds of device that can be used.

    >>> import proa as paddle
    >>> "cpu" in paddle.device.get_all_device_type()
    True
    """
    return ["cpu", "gpu"] if cuda_is_available() else ["cpu"]


def get_available_device() -> list[str]:
    """The devices that can be used, such as ['cpu', 'gpu:0'].

    >>> import proa as paddle
    >>> paddle.device.get_available_device()[0]
    'cpu'
    """
    return ["cpu", *(f"gpu:{index}" for index in range(cuda_device_count()))]


def get_all_custom_device_type() -> list[str]:
    """The kinds of device that were registered (`proa.backend.register_device_type`).

    >>> import proa as paddle
    >>> paddle.device.get_all_custom_device_type()
    []
    """
    return custom_device_types()


def get_available_custom_device() -> list[str]:
    """The devices of registered kinds, such as ['npu:0'].

    >>> import proa as paddle
    >>> paddle.device.get_available_custom_device()
    []
    """
    return [f"{name}:{index}" for name in custom_device_types() for index in range(device_type(name).count())]


def get_cudnn_version() -> int | None:
    """The version of cuDNN as a number such as 8900, None where CUDA cannot be used or cuDNN is not installed.

    >>> import proa as paddle
    >>> paddle.device.get_cudnn_version()
    """
    return cuda.cudnn_version() if cuda_is_available() else None


def is_compiled_with_custom_device(device_type: str) -> bool:
    """Whether a kind of device of this name was registered.

    >>> import proa as paddle
    >>> paddle.device.is_compiled_with_custom_device("npu")
    False
    """
    return device_type in custom_device_types()


def is_compiled_with_distribute() -> bool:
    """True: `paddle.distributed` is part of this package.

    >>> import proa as paddle
    >>> isinstance(paddle.device.is_compiled_with_distribute(), bool)
    True
    """
    return True


def is_compiled_with_rocm() -> bool:
    """False: AMD's devices are not supported.

    >>> import proa as paddle
    >>> paddle.device.is_compiled_with_rocm()
    False
    """
    return False


def is_compiled_with_xpu() -> bool:
    """False: Kunlun's devices are not supported.

    >>> import proa as paddle
    >>> paddle.device.is_compiled_with_xpu()
    False
    """
    return False


def is_compiled_with_ipu() -> bool:
    """False: Graphcore's devices are not supported.

    >>> import proa as paddle
    >>> paddle.device.is_compiled_with_ipu()
    False
    """
    return False


def is_compiled_with_cinn() -> bool:
    """False: the compiler here is proa's own.

    >>> import proa as paddle
    >>> paddle.device.is_compiled_with_cinn()
    False
    """
    return False


__all__ = [
    "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "CustomPlace", "Event", "IPUPlace", "Stream", "XPUPlace",
    "current_stream", "get_all_custom_device_type", "get_all_device_type", "get_available_custom_device",
    "get_available_device", "get_cudnn_version", "get_device", "is_compiled_with_cinn", "is_compiled_with_cuda",
    "is_compiled_with_custom_device", "is_compiled_with_distribute", "is_compiled_with_ipu", "is_compiled_with_rocm",
    "is_compiled_with_xpu", "set_device", "set_stream", "stream_guard", "synchronize",
]
__dir__ = listed(__name__)


def __getattr__(name: str) -> Any:
    if name not in ("core", "framework"):  # by which packages find places; they are above this one
        raise refusal(__name__, name)
    require(f"paddle.base.{name}")
    return sys.modules[f"{__package__.partition('.')[0]}.base.{name}"]

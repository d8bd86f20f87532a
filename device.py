"""`paddle.device`: which device new tensors are made on, and what this installation can use."""

from __future__ import annotations

from .backend import cuda_device_count, cuda_is_available
from .backend import synchronize as _synchronize
from .core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, Place, expected_place, get_device, parse_place
from .core.place import set_expected_place as _set_expected_place


def set_device(device: str | Place) -> Place:
    """Makes new tensors be made on 'cpu', 'gpu' or 'gpu:INDEX'; the place.

    Raises ValueError for another name, and RuntimeError, saying what to install, where CUDA cannot be used.

    >>> import proa as paddle
    >>> paddle.set_device("cpu")
    Place(cpu)
    """
    from .backend import namespace_at

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


__all__ = ["CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "get_all_device_type", "get_device", "is_compiled_with_cuda",
           "set_device", "synchronize"]

"""Places: where a tensor's memory is, and which place new tensors get.

A place is a name only. What it takes to use one (a device library) is `backend`'s business.
"""

from __future__ import annotations

import re

from . import launched

_HOSTS = frozenset({"cpu", "pinned", "undefined"})
_custom: set[str] = set()


class Place:
    """Base of the places; equal when of one kind and one index."""

    kind = "undefined"
    index = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and (self.kind, self.index) == (other.kind, other.index)

    def __hash__(self) -> int:
        return hash((self.kind, self.index))

    def _equals(self, other: Place) -> bool:
        """What `==` says."""
        return self == other

    def is_cpu_place(self) -> bool:
        """True for the host's memory."""
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        """True for a CUDA device."""
        return self.kind == "gpu"

    def is_cuda_pinned_place(self) -> bool:
        """True for page-locked host memory."""
        return self.kind == "pinned"

    def is_xpu_place(self) -> bool:
        """False: no such device is known here; so `is_ipu_place`."""
        return False

    is_ipu_place = is_xpu_place

    def _type(self) -> int:
        """The number of its kind, as Paddle counts them."""
        return {"cpu": 1, "gpu": 2, "pinned": 3}.get(self.kind, 10 if self.is_custom_place() else 0)

    def set_place(self, place: Place) -> None:
        """Makes this one equal to another: what was made as a bare `Place()` says nothing before."""
        self.kind, self.index = place.kind, place.index

    def is_custom_place(self) -> bool:
        """True for a device of a kind that was registered (`CustomPlace`)."""
        return self.kind in _custom

    def is_device(self) -> bool:
        """True for memory that is not the host's: a CUDA device's, or one of a registered kind."""
        return self.kind not in _HOSTS

    def custom_device_type(self) -> str:
        """The name of the registered kind of device, an empty one for other places."""
        return self.kind if self.is_custom_place() else ""

    def get_device_id(self) -> int:
        """The device's index."""
        return self.index

    gpu_device_id = get_device_id


class CPUPlace(Place):
    """The host's memory, as the place of tensors and of what computes; equal to every other CPUPlace.

    >>> import proa as paddle
    >>> paddle.to_tensor([1.0], place=paddle.CPUPlace()).place
    Place(cpu)
    """

    kind = "cpu"

    def __repr__(self) -> str:
        return "Place(cpu)"


class CUDAPinnedPlace(Place):
    """Page-locked host memory, from which copies to a CUDA device overlap with work; an ordinary array to NumPy.

    >>> import proa as paddle
    >>> paddle.CUDAPinnedPlace()
    Place(gpu_pinned)
    """

    kind = "pinned"

    def __repr__(self) -> str:
        return "Place(gpu_pinned)"


class CUDAPlace(Place):
    """CUDA device number `index`, through CuPy. Making the place needs no device; the first tensor there does.

    >>> import proa as paddle
    >>> paddle.CUDAPlace(0)
    Place(gpu:0)
    """

    kind = "gpu"

    def __init__(self, index: int = 0):
        if not isinstance(index, int) or index < 0:
            raise ValueError(f"CUDAPlace(index): index must be an int of at least 0. Received {index!r}.")
        self.index = index

    def __repr__(self) -> str:
        return f"Place(gpu:{self.index})"


class CustomPlace(Place):
    """Device number `index` of a kind that was registered under a name (`proa.backend.register_device_type`)."""

    def __init__(self, device_type: str, index: int = 0):
        if device_type not in _custom:
            raise RuntimeError(
                f"CustomPlace({device_type!r}, {index!r}): devices of this kind are not supported: none was "
                f"registered. Registered kinds: {sorted(_custom) or 'none'}. Use CPUPlace() or CUDAPlace(0), or "
                "proa.backend.register_device_type."
            )
        if not isinstance(index, int) or index < 0:
            raise ValueError(f"CustomPlace(device_type, index): index must be an int of at least 0. Got {index!r}.")
        self.kind, self.index = device_type, index

    def get_device_type(self) -> str:
        """The name of the kind."""
        return self.kind

    def __repr__(self) -> str:
        return f"Place({self.kind}:{self.index})"


def add_custom_kind(name: str) -> None:
    """Makes `name` the name of a kind of device; ValueError for what cannot be one."""
    if not re.fullmatch(r"[A-Za-z_]\w*", name) or name in _HOSTS | {"gpu", "cuda"}:
        raise ValueError(f"A kind of device is named by a word other than cpu, gpu and cuda. Received {name!r}.")
    _custom.add(name)


def remove_custom_kind(name: str) -> None:
    """Forgets a name that `add_custom_kind` was given."""
    _custom.remove(name)


def is_device_name(text: str) -> bool:
    """Whether a text names a kind of device, with a number or without: 'cpu', 'gpu:1', or one that was registered."""
    return text.partition(":")[0] in {"cpu", "gpu", "cuda"} | _custom


def parse_place(device: str | Place) -> Place:
    """The place that 'cpu', 'gpu', 'gpu:1' or a Place means; ValueError for anything else.

    'gpu' without a number is the device of this process: one of several has what its launcher gave it.
    Names of registered kinds of device are taken as well, with a number or without.
    """
    if isinstance(device, Place):
        return device
    if isinstance(device, str) and device not in _custom and device.isupper():
        device = device.lower()
    if device == "cpu":
        return CPUPlace()
    match = re.fullmatch(r"(\w+?)(?::(\d+))?", device) if isinstance(device, str) else None
    if match is not None and match[1] in _custom:
        return CustomPlace(match[1], int(match[2] or 0))
    if match is None or match[1] not in ("gpu", "cuda"):
        raise ValueError(f"A device is 'cpu', 'gpu' or 'gpu:INDEX'. Received {device!r}.")
    return CUDAPlace(launched.device() if match[2] is None else int(match[2]))


_expected: list[Place] = [CPUPlace()]


def expected_place() -> Place:
    """Where new tensors are made."""
    return _expected[0]


def set_expected_place(place: Place) -> None:
    """Sets where new tensors are made."""
    _expected[0] = place


def get_device() -> str:
    """The device in use, as `set_device` takes it: 'cpu' or 'gpu:0'.

    >>> from proa.core.place import get_device
    >>> get_device()
    'cpu'
    """
    place = expected_place()
    return f"{place.kind}:{place.index}" if place.is_device() else "cpu"


class XPUPlace(Place):
    """Raises RuntimeError: Kunlun's devices are not supported. No place is one.

    >>> import proa as paddle
    >>> paddle.device.XPUPlace(0)
    Traceback (most recent call last):
        ...
    RuntimeError: XPUPlace(): Kunlun's devices are not supported. Use CPUPlace() or CUDAPlace(0).
    """

    def __init__(self, dev_id: int):
        raise RuntimeError("XPUPlace(): Kunlun's devices are not supported. Use CPUPlace() or CUDAPlace(0).")


class IPUPlace(Place):
    """Raises RuntimeError: Graphcore's devices are not supported. No place is one.

    >>> import proa as paddle
    >>> paddle.device.IPUPlace()
    Traceback (most recent call last):
        ...
    RuntimeError: IPUPlace(): Graphcore's devices are not supported. Use CPUPlace() or CUDAPlace(0).
    """

    def __init__(self) -> None:
        raise RuntimeError("IPUPlace(): Graphcore's devices are not supported. Use CPUPlace() or CUDAPlace(0).")

"""Places: where a tensor's memory is, and which place new tensors get.

A place is a name only. What it takes to use one (a device library) is `backend`'s business.
"""

from __future__ import annotations

import re


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

    def get_device_id(self) -> int:
        """The device's index."""
        return self.index

    gpu_device_id = get_device_id


class CPUPlace(Place):
    """The host's memory.

    >>> from proa.core.place import CPUPlace
    >>> CPUPlace()
    Place(cpu)
    """

    kind = "cpu"

    def __repr__(self) -> str:
        return "Place(cpu)"


class CUDAPinnedPlace(Place):
    """Page-locked host memory, from which copies to a CUDA device overlap with work; an ordinary array to NumPy."""

    kind = "pinned"

    def __repr__(self) -> str:
        return "Place(gpu_pinned)"


class CUDAPlace(Place):
    """CUDA device number `index`, through CuPy. Making the place needs no device; the first tensor there does."""

    kind = "gpu"

    def __init__(self, index: int = 0):
        if not isinstance(index, int) or index < 0:
            raise ValueError(f"CUDAPlace(index): index must be an int of at least 0. Received {index!r}.")
        self.index = index

    def __repr__(self) -> str:
        return f"Place(gpu:{self.index})"


def parse_place(device: str | Place) -> Place:
    """The place that 'cpu', 'gpu', 'gpu:1' or a Place means; ValueError for anything else."""
    if isinstance(device, Place):
        return device
    if device == "cpu":
        return CPUPlace()
    match = re.fullmatch(r"(?:gpu|cuda)(?::(\d+))?", device) if isinstance(device, str) else None
    if match is None:
        raise ValueError(f"A device is 'cpu', 'gpu' or 'gpu:INDEX'. Received {device!r}.")
    return CUDAPlace(int(match[1] or 0))


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
    return "cpu" if place.is_cpu_place() else f"gpu:{place.index}"

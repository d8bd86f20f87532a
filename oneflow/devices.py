"""`flow.device`: where tensors are."""

from __future__ import annotations

from typing import Any

from ..core.place import CPUPlace, CUDAPlace, Place

_KINDS = ("cpu", "cuda")


class device:
    """A device: `flow.device("cuda:0")`, `flow.device("cuda", 0)`.

    >>> import proa.oneflow as flow
    >>> flow.device("cuda:1").index
    1
    """

    def __init__(self, type: Any, index: int | None = None):
        if isinstance(type, device):
            type, index = type.type, type.index
        name, colon, number = str(type).partition(":")
        if name not in _KINDS or colon and (index is not None or not number.isdigit()):
            raise ValueError(f"device(type): must be 'cpu' or 'cuda', with a number behind a colon or as the index. "
                             f"Received {type!r}" + ("." if index is None else f" and {index}."))
        self.type: str = name
        self.index = int(number) if colon else int(index or 0)

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, str):
            other = device(other)
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __repr__(self) -> str:
        return f"device(type='{self.type}', index={self.index})"

    def __str__(self) -> str:
        return f"{self.type}:{self.index}"


def is_device(value: Any) -> bool:
    """Whether an argument names a device."""
    return isinstance(value, (device, Place)) or isinstance(value, str) and value.partition(":")[0] in _KINDS


def place_of(value: Any) -> Place | None:
    """The place that an argument means; None for None."""
    if value is None or isinstance(value, Place):
        return value
    found = device(value)
    return CPUPlace() if found.type == "cpu" else CUDAPlace(found.index)


def device_at(place: Place) -> device:
    """The device that a place is."""
    return device("cuda", place.get_device_id()) if isinstance(place, CUDAPlace) else device("cpu", 0)

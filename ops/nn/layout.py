"""Where the channels of an image stand: second ("NCHW", "NCDHW", "NCL") or last ("NHWC", "NDHWC", "NLC")."""


from collections.abc import Sequence
from typing import Any


def channels_first(x: Any, data_format: str) -> Any:
    """A view of the array with its channels second."""
    return x.transpose(0, x.ndim - 1, *range(1, x.ndim - 1)) if data_format[-1] == "C" else x


def channels_restored(x: Any, data_format: str) -> Any:
    """A view of a channels-first array with its channels where the format has them."""
    return x.transpose(0, *range(2, x.ndim), 1) if data_format[-1] == "C" else x


def sizes_along(shape: Sequence[int], data_format: str) -> tuple[int, ...]:
    """The sizes of the dimensions other than samples and channels."""
    return tuple(shape[1:-1] if data_format[-1] == "C" else shape[2:])


def channels_of(shape: Sequence[int], data_format: str) -> int:
    """The number of channels."""
    return shape[-1] if data_format[-1] == "C" else shape[1]


def full_shape(samples: int, channels: int, sizes: Sequence[int], data_format: str) -> tuple[int, ...]:
    """The shape in this format."""
    return (samples, *sizes, channels) if data_format[-1] == "C" else (samples, channels, *sizes)

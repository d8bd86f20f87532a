"""What is fed to several devices: values divided by rows, or by their sequences, and results joined again."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import backend
from .lod_tensor import LoDTensor, lengths_of_offsets, offsets_of_lengths


def split_feed(feed: Any, count: int, fewer: bool = False) -> list[dict[str, Any]]:
    """A feed for each of so many devices: of a dict parts, of a list its dicts, which with `fewer` may be fewer.

    Raises ValueError for a batch of fewer rows or sequences than devices, and for a list of another length; TypeError
    for something else.
    """
    if isinstance(feed, (list, tuple)):
        if len(feed) != count and not (fewer and 0 < len(feed) < count):
            raise ValueError(f"feed: a list has a dict for each device, of which there are {count}. Received "
                             f"{len(feed)}. CPU_NUM, or places=, says how many devices there are.")
        for part in feed:
            if not isinstance(part, dict):
                raise TypeError(f"feed: each device takes a dict. Received {type(part).__name__}.")
        return list(feed)
    if feed is not None and not isinstance(feed, dict):
        raise TypeError(f"feed: must be a dict, or a list with a dict for each device. Received {type(feed).__name__}.")
    parts: list[dict[str, Any]] = [{} for _ in range(count)]
    for name, value in (feed or {}).items():
        for part, piece in zip(parts, _split(name, value, count), strict=True):
            part[name] = piece
    return parts


def _split(name: str, value: Any, count: int) -> list[Any]:
    """So many parts of nearly equal size, the first ones larger; of sequences where there are any."""
    if count == 1:
        return [value]
    tensor = value if isinstance(value, LoDTensor) else None
    array = value._array if hasattr(value, "_array") else tensor._held() if tensor is not None else np.asarray(value)
    if not array.ndim:
        return [value] * count
    lod = tensor.lod() if tensor is not None else []
    size = len(lod[0]) - 1 if lod else array.shape[0]
    if size < count:
        what = "sequences" if lod else "rows"
        raise ValueError(f"feed: {name!r} has {size} {what}, fewer than the {count} devices. Feed at least one to "
                         "each, or have fewer devices: CPU_NUM, or places=, says how many.")
    step = -(-size // count)
    starts = [min(step * number, size - (count - number)) for number in range(count)] + [size]
    return [_part(array, lod, begin, end) for begin, end in zip(starts, starts[1:], strict=False)]


def _part(array: Any, lod: list[list[int]], begin: int, end: int) -> Any:
    if not lod:
        return array[begin:end]
    levels = []
    for level in lod:
        levels.append([offset - level[begin] for offset in level[begin:end + 1]])
        begin, end = level[begin], level[end]
    return LoDTensor(array[begin:end], levels)


def joined(tensors: list[LoDTensor]) -> LoDTensor:
    """Values of several devices as one: their rows behind one another, single numbers as a vector."""
    arrays = [np.atleast_1d(backend.to_numpy(tensor._held())) for tensor in tensors]
    lengths = [lengths_of_offsets(tensor.lod()) for tensor in tensors]
    levels = [[length for found in level for length in found] for level in zip(*lengths, strict=False)]
    return LoDTensor(np.concatenate(arrays), offsets_of_lengths(levels))

"""What the functions of this folder have in common."""

from __future__ import annotations

from typing import Any


def is_pair_of_zeros(padding: Any) -> bool:
    """Whether a padding says that there is none."""
    return padding == 0 or isinstance(padding, (tuple, list)) and not any(padding)


def layout(what: str, data_format: Any, rank: int) -> str:
    """The layout below this face: "channels_first" or "channels_last" of so many spatial dimensions."""
    first = ("channels_first", None, "NCHW", "NCL", "NCDHW", "NC*")
    if data_format in first:
        return {1: "NCL", 2: "NCHW", 3: "NCDHW"}[rank]
    if data_format in ("channels_last", "NHWC", "NLC", "NDHWC"):
        return {1: "NLC", 2: "NHWC", 3: "NDHWC"}[rank]
    raise ValueError(f"{what}(data_format): must be 'channels_first' or 'channels_last'. Received {data_format!r}.")

"""Bytes of files, and images in them."""

from __future__ import annotations

from typing import Any

from ...ops.core.trace import apply
from ...ops.vision.image_files import MODES, decode_jpeg_op, read_file_op


def read_file(filename: str, name: str | None = None) -> Any:
    """The bytes of a file, 1-D, uint8."""
    return apply(read_file_op, filename=str(filename))


def decode_jpeg(x: Any, mode: str = "unchanged", name: str | None = None) -> Any:
    """The image [C, H, W], uint8, in the bytes of a JPEG file x, 1-D: as it is, or with mode 'gray' or 'rgb' made so.

    Pillow must be installed. Raises ValueError where the bytes are no JPEG image.
    """
    if mode not in MODES:
        raise ValueError(f"decode_jpeg(mode): 'unchanged', 'gray' or 'rgb'. Received {mode!r}.")
    return apply(decode_jpeg_op, x, mode=mode)

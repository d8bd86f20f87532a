"""Bytes of files, and images in them: read_file and decode_jpeg.

An image's bytes come from strangers: Pillow reads them, and what it cannot read is an error.
"""

import io
from pathlib import Path
from typing import Any

from ...backend import to_numpy
from ...core import dtype as dt
from ..core.operator import operator
from ..core.spec import Spec

MODES = {"unchanged": None, "gray": "L", "rgb": "RGB"}


def _read_file(xp, *, filename: str):
    return xp.asarray(bytearray(Path(filename).read_bytes()), dtype="uint8")


read_file_op = operator("read_file", "-> Out", kernel=_read_file, infer=lambda *, filename: Spec((-1,), dt.uint8),
                        effects="reads")


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("decode_jpeg(x) needs Pillow, which is not installed: pip install 'proa[vision]'.") from None
    return Image


def _decode_jpeg(xp, x, *, mode: str = "unchanged"):
    data = to_numpy(x).tobytes()
    image_of = _pillow()
    try:
        image = image_of.open(io.BytesIO(data), formats=["JPEG"])
        image = image.convert(MODES[mode]) if MODES[mode] else image
        rows = xp.asarray(bytearray(image.tobytes()), dtype="uint8")
    except OSError as error:
        raise ValueError(f"decode_jpeg(x): must hold the bytes of a JPEG image. Received {len(data)} bytes that are "
                         f"none: {error}.") from error
    return xp.ascontiguousarray(rows.reshape(image.height, image.width, -1).transpose(2, 0, 1))


def _infer_decode(x, *, mode="unchanged"):
    if x.rank != 1 or x.dtype is not dt.uint8:
        raise ValueError(f"decode_jpeg(x): must be 1-D, of uint8. Received {x.dtype} of shape {list(x.shape)}.")
    return Spec(({"gray": 1, "rgb": 3}.get(mode, -1), -1, -1), dt.uint8)


decode_jpeg_op = operator("decode_jpeg", "X -> Out", kernel=_decode_jpeg, infer=_infer_decode, fails="values")

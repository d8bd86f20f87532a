"""`flow.image`: images of one size, cropped, mirrored and normalized in a job; those of records resized before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.dtype import float32
from ..ops.array import rearrange, reshape
from ..ops.array.full import constant, full
from ..ops.array.slices import Ranges
from ..ops.array.where import where
from ..ops.math.casting import in_dtype
from ..ops.math.elementwise import divide, subtract
from .charge import their_face
from .data.images import ImageList, cropped, resize
from .refused import explaining
from .values import as_condition


@their_face
def crop_mirror_normalize(input_blob: Any, mirror_blob: Any = None, color_space: str = "BGR",
                          output_layout: str = "NCHW", crop_h: int = 0, crop_w: int = 0, crop_pos_y: float = 0.5,
                          crop_pos_x: float = 0.5, mean: Sequence[float] = (0.0,), std: Sequence[float] = (1.0,),
                          output_dtype: Any = float32, name: str | None = None) -> Any:
    """(image - mean) / std of a part of each image, mirrored left to right where `mirror_blob` is not 0.

    `input_blob` holds images of one size, (count, height, width, channels), or is what a decoder of records or `Resize`
    gives, images of several sizes, of which parts of one size are taken. `crop_h` and `crop_w` are the part's sizes
    (0: all), `crop_pos_y` and `crop_pos_x`, from 0 to 1, where it is in what is left. `mean` and `std` have a number
    for each channel, or one for all. The result is (count, channels, height, width), or with 'NHWC' as before.

    >>> import numpy as np
    >>> import proa.oneflow as flow
    >>> @flow.global_function()
    ... def job(x: flow.typing.Numpy.Placeholder((1, 4, 4, 3), flow.uint8)) -> flow.typing.Numpy:
    ...     return flow.image.crop_mirror_normalize(x, crop_h=2, crop_w=2, mean=[1.0], std=[2.0])
    >>> job(np.full((1, 4, 4, 3), 5, "uint8"))[0, 0].tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    if isinstance(input_blob, ImageList):
        input_blob, crop_h, crop_w = cropped(input_blob, crop_h, crop_w, crop_pos_y, crop_pos_x), 0, 0
    if output_layout not in ("NCHW", "NHWC"):
        raise ValueError(f"crop_mirror_normalize(output_layout): 'NCHW' or 'NHWC'. Received {output_layout!r}.")
    channels = {"BGR": 3, "RGB": 3, "GRAY": 1}.get(color_space.upper())
    if channels is None or len(input_blob.shape) != 4 or input_blob.shape[3] != channels:
        raise ValueError(f"crop_mirror_normalize(input_blob): images of one size, (count, height, width, channels), "
                         f"with the channels of {color_space}. Received the shape {list(input_blob.shape)}.")
    ranges = Ranges()
    for axis, size, place in ((1, crop_h, crop_pos_y), (2, crop_w, crop_pos_x)):
        there = int(input_blob.shape[axis])
        if not 0 <= size <= there or not 0 <= place <= 1:
            raise ValueError("crop_mirror_normalize(crop_h, crop_w, crop_pos_y, crop_pos_x): the part must lie in the "
                             f"image. Received a size of {size} at {place} for {there}.")
        first = int(place * (there - size)) if size else 0
        ranges.add(axis, first, first + size if size else there)
    images = ranges.take(input_blob)
    if mirror_blob is not None:
        images = where(reshape.reshape(as_condition(mirror_blob), [-1, 1, 1, 1]), rearrange.flip(images, [2]), images)
    images = in_dtype(images, float32)
    images = divide(subtract(images, _of_channels("mean", mean, channels)), _of_channels("std", std, channels))
    return in_dtype(reshape.transpose(images, [0, 3, 1, 2]) if output_layout == "NCHW" else images, output_dtype)


def _of_channels(what: str, numbers: Sequence[float], channels: int) -> Any:
    if len(numbers) not in (1, channels):
        raise ValueError(f"crop_mirror_normalize({what}): one number, or {channels}. Received {list(numbers)}.")
    if len(numbers) == 1:
        return full([], float(numbers[0]), float32)
    return constant([float(n) for n in numbers], float32)


CropMirrorNormalize = crop_mirror_normalize
Resize = resize
__getattr__ = explaining(__name__)

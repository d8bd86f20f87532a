"""Images of several sizes in records: decoded, cropped at random and resized for each call, before the job runs."""

from __future__ import annotations

import functools
import io
import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.dtype import DType, float32, int32, uint8
from ...core.files import CorruptFileError
from ...core.random import default_generator
from ...vision.image import pillow
from ..dtypes import to_dtype
from .ofrecord import OFRecordRawDecoder, RecordReader, checked_reader, ofrecord_reader
from .records import Record

_CHANNELS = {"RGB": 3, "BGR": 3, "GRAY": 1}
_KINDS = ("auto", "nearest_neighbor", "nn", "bilinear", "bicubic", "area")
_OLDER_KINDS = {"Linear": "bilinear", "NN": "nearest_neighbor", "Cubic": "bicubic"}


class ImageList:
    """A batch of images of several sizes, arrays (height, width, channels) of uint8, which each call makes anew.

    `flow.image.Resize` makes a blob of it, and so does `flow.image.CropMirrorNormalize` with a size to crop.
    """

    def __init__(self, reader: RecordReader, channels: int, images_of: Callable[[list[Record]], list[np.ndarray]]):
        self.reader, self.channels = reader, channels
        self._images_of = images_of
        self._last: tuple[list[Record], list[np.ndarray]] | None = None

    def images(self, batch: list[Record]) -> list[np.ndarray]:
        """The images of a batch, the same whoever asks."""
        if self._last is None or self._last[0] is not batch:
            self._last = batch, self._images_of(batch)
        return self._last[1]

    def mapped(self, function: Callable[[np.ndarray], np.ndarray]) -> ImageList:
        """What a function makes of each image, as a list again."""
        return ImageList(self.reader, self.channels, lambda batch: [function(image) for image in self.images(batch)])

    def blob(self, shape: tuple[int, ...], dtype: DType, function: Callable[[np.ndarray], Any]) -> Any:
        """What a function makes of each image, all of one shape, as a blob."""
        return self.reader.blob(shape, dtype, lambda batch: np.stack(
            [np.asarray(function(image), dtype.dtype) for image in self.images(batch)]))


def OFRecordImageDecoder(input_blob: RecordReader, blob_name: str, color_space: str = "BGR",
                         name: str | None = None) -> ImageList:
    """The images that the records have under `blob_name`, in the form of files (JPEG, PNG, …), of several sizes.

    `color_space` is "BGR", "RGB" or "GRAY". Pillow decodes them.

    >>> import io, os, struct, tempfile, numpy as np, proa.oneflow as flow, proa.oneflow.typing as tp
    >>> import proa.oneflow.core.record.record_pb2 as ofrecord
    >>> from PIL import Image
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "part-0"), "wb") as file:
    ...     image = io.BytesIO()
    ...     Image.fromarray(np.full((6, 4, 3), 9, "uint8")).save(image, "PNG")
    ...     feature = ofrecord.Feature(bytes_list=ofrecord.BytesList(value=[image.getvalue()]))
    ...     data = ofrecord.OFRecord(feature={"encoded": feature}).SerializeToString()
    ...     _ = file.write(struct.pack("<q", len(data)) + data)
    >>> @flow.global_function()
    ... def job() -> tp.Numpy:
    ...     images = flow.data.OFRecordImageDecoder(flow.data.ofrecord_reader(folder), "encoded", "RGB")
    ...     return flow.image.Resize(images, target_size=(2, 3))[0]
    >>> job().shape, int(job().max())
    ((1, 3, 2, 3), 9)
    """
    reader = checked_reader(input_blob, "OFRecordImageDecoder")
    decode = _decoder("OFRecordImageDecoder", blob_name, color_space)
    return ImageList(reader, _CHANNELS[color_space], lambda batch: [decode(record) for record in batch])


def OFRecordImageDecoderRandomCrop(
        input_blob: RecordReader, blob_name: str, color_space: str = "BGR", num_attempts: int = 10,
        seed: int | None = None, random_area: Sequence[float] = (0.08, 1.0),
        random_aspect_ratio: Sequence[float] = (0.75, 1.333333),
        name: str = "OFRecordImageDecoderRandomCrop") -> ImageList:
    """As `OFRecordImageDecoder`, and of each image a part, drawn at random anew each time.

    Its area is `random_area` of the image's, its width through its height `random_aspect_ratio`; after `num_attempts`
    draws that do not fit, the largest middle way. `seed`: of what is drawn, by default `paddle.seed`'s sequence.
    """
    caller = "OFRecordImageDecoderRandomCrop"
    reader, decode = checked_reader(input_blob, caller), _decoder(caller, blob_name, color_space)
    draw = np.random.default_rng(default_generator().next_seed() if seed is None else seed)

    def part(image: np.ndarray) -> np.ndarray:
        height, width = _random_size(image.shape[0], image.shape[1], draw, num_attempts, random_area,
                                     random_aspect_ratio)
        y, x = draw.integers(image.shape[0] - height + 1), draw.integers(image.shape[1] - width + 1)
        return image[y:y + height, x:x + width]

    return ImageList(reader, _CHANNELS[color_space], lambda batch: [part(decode(record)) for record in batch])


class EncodedImages:
    """The bytes of a batch of images, which `ImageDecoderRandomCropResize` decodes."""

    def __init__(self, reader: RecordReader, name: str):
        self.reader, self.name = reader, name


def OFRecordBytesDecoder(input_blob: RecordReader, blob_name: str, name: str | None = None) -> EncodedImages:
    """The bytes that the records have under `blob_name`, for `ImageDecoderRandomCropResize`."""
    return EncodedImages(checked_reader(input_blob, "OFRecordBytesDecoder"), blob_name)


def image_decoder_random_crop_resize(
        input_blob: EncodedImages, target_width: int, target_height: int, num_attempts: int | None = None,
        seed: int | None = None, random_area: Sequence[float] | None = None,
        random_aspect_ratio: Sequence[float] | None = None, num_workers: int | None = None,
        warmup_size: int | None = None, max_num_pixels: int | None = None, name: str | None = None) -> Any:
    """`OFRecordImageDecoderRandomCrop` in RGB and `Resize` in one: a blob (count, height, width, 3) of uint8."""
    if not isinstance(input_blob, EncodedImages):
        raise TypeError("image_decoder_random_crop_resize(input_blob): what OFRecordBytesDecoder gives is expected. "
                        f"Received {input_blob!r}.")
    images = OFRecordImageDecoderRandomCrop(
        input_blob.reader, input_blob.name, "RGB", 10 if num_attempts is None else num_attempts, seed,
        random_area or (0.08, 1.0), random_aspect_ratio or (0.75, 1.333333))
    return resize(images, (target_width, target_height), interpolation_type="bilinear")[0]


ImageDecoderRandomCropResize = image_decoder_random_crop_resize
ofrecord_bytes_decoder = OFRecordBytesDecoder
ofrecord_image_decoder = OFRecordImageDecoder
ofrecord_image_decoder_random_crop = OFRecordImageDecoderRandomCrop


def ofrecord_image_classification_reader(
        ofrecord_dir: str | os.PathLike[str], image_feature_name: str, label_feature_name: str, batch_size: int = 1,
        data_part_num: int = 1, part_name_prefix: str = "part-", part_name_suffix_length: int = -1,
        random_shuffle: bool = False, shuffle_buffer_size: int = 1024, shuffle_after_epoch: bool = False,
        color_space: str = "BGR", decode_buffer_size_per_thread: int = 32,
        num_decode_threads_per_machine: int | None = None, name: str | None = None) -> tuple[ImageList, Any]:
    """(images, labels) of records: `ofrecord_reader` with `OFRecordImageDecoder`, and a blob of int32 (batch_size,)."""
    reader = ofrecord_reader(ofrecord_dir, batch_size, data_part_num, part_name_prefix, part_name_suffix_length,
                             random_shuffle, shuffle_buffer_size, shuffle_after_epoch)
    return (OFRecordImageDecoder(reader, image_feature_name, color_space),
            OFRecordRawDecoder(reader, label_feature_name, (), int32))


def resize(image: ImageList, target_size: int | Sequence[int] | None = None, min_size: int | None = None,
           max_size: int | None = None, keep_aspect_ratio: bool = False, resize_side: str = "shorter",
           channels: int = 3, dtype: Any = None, interpolation_type: str = "auto", name: str | None = None,
           color_space: str | None = None, interp_type: str | None = None, resize_shorter: int = 0, resize_x: int = 0,
           resize_y: int = 0) -> Any:
    """Images of one size, a blob (count, height, width, channels): (images, scales, None) for `target_size` (w, h).

    With `keep_aspect_ratio` the shorter side (`resize_side`: or the longer one) becomes `target_size`, and the other
    one as long as it has to; a longer side is at most `max_size`, a shorter one at least `min_size`. Then the result is
    (images of several sizes, scales, sizes). Scales and sizes are blobs (count, 2), of the width and the height.

    `interpolation_type`: "bilinear", "nearest_neighbor", "bicubic", "area", or "auto", which is "area" for fewer
    pixels and "bilinear" for more, as OpenCV computes them, up to the rounding of its whole numbers. `dtype`: uint8 or
    float32. The older arguments (`color_space`, `interp_type`, `resize_shorter`, `resize_x` and `resize_y`) give the
    images alone.

    See `OFRecordImageDecoder` for an example.
    """
    if not isinstance(image, ImageList):
        raise TypeError("Resize(image): images of OFRecordImageDecoder are expected. For a blob of images of one size "
                        f"use paddle.nn.functional.interpolate. Received {image!r}.")
    older = color_space is not None or interp_type is not None or resize_shorter > 0 or (resize_x > 0 and resize_y > 0)
    kind = _OLDER_KINDS.get(interp_type, interp_type) if interp_type is not None else interpolation_type
    if kind not in _KINDS:
        raise ValueError(f"Resize(interpolation_type): one of {', '.join(_KINDS)}. Received {kind!r}.")
    if color_space is not None:
        channels = _CHANNELS.get(color_space.upper(), 0)
    if channels != image.channels:
        raise ValueError(f"Resize(channels): the images have {image.channels}. Received {channels}.")
    if resize_x > 0 and resize_y > 0:
        target_size, keep_aspect_ratio = (resize_x, resize_y), False
    if resize_shorter > 0:
        target_size, keep_aspect_ratio, resize_side = resize_shorter, True, "shorter"
    target = _sizes_of(target_size, keep_aspect_ratio, resize_side, min_size or 0, max_size or 0)
    scales = image.blob((2,), float32, lambda one: [new / old for new, old in zip(
        target(*one.shape[:2])[::-1], one.shape[1::-1], strict=True)])
    if keep_aspect_ratio:
        images: Any = image.mapped(lambda one: _rounded(resized(one, *target(*one.shape[:2]), kind)))
        new_sizes = image.blob((2,), int32, lambda one: target(*one.shape[:2])[::-1])
    else:
        form = to_dtype("Resize(dtype)", uint8 if dtype is None else dtype)
        convert: Callable[[np.ndarray], np.ndarray] = _rounded if form is uint8 else lambda values: values
        height, width = target(1, 1)
        images, new_sizes = image.blob((height, width, channels), form, lambda one: convert(
            resized(one, height, width, kind))), None
    return images if older else (images, scales, new_sizes)


def cropped(images: ImageList, height: int, width: int, place_y: float, place_x: float) -> Any:
    """A part of each image, all of one size, as a blob (count, height, width, channels) of uint8."""
    if height < 1 or width < 1:
        raise ValueError("crop_mirror_normalize(crop_h, crop_w): of images of several sizes parts of one size are "
                         f"taken. Received {height} and {width}.")

    def part(image: np.ndarray) -> np.ndarray:
        y, x = (image.shape[0] - height) * place_y, (image.shape[1] - width) * place_x
        if y < 0 or x < 0:
            raise ValueError(f"crop_mirror_normalize(crop_h, crop_w): {height} and {width} do not fit into an image of "
                             f"{image.shape[0]} and {image.shape[1]}. Resize it first.")
        return image[int(y):int(y) + height, int(x):int(x) + width]

    return images.blob((height, width, images.channels), uint8, part)


def _decoder(caller: str, name: str, color_space: str) -> Callable[[Record], np.ndarray]:
    if color_space not in _CHANNELS:
        raise ValueError(f"{caller}(color_space): one of {', '.join(_CHANNELS)}. Received {color_space!r}.")
    library = pillow(caller)
    mode = "L" if color_space == "GRAY" else "RGB"

    def decode(record: Record) -> np.ndarray:
        feature = record.feature(name)
        if feature.WhichOneof("kind") != "bytes_list" or len(feature.bytes_list.value) != 1:
            raise ValueError(f"{record.file}: the record at byte {record.place} has no bytes of an image under "
                             f"{name!r}.")
        try:
            with library.open(io.BytesIO(feature.bytes_list.value[0])) as image:
                pixels = np.asarray(image.convert(mode))
        except (OSError, SyntaxError, ValueError) as error:
            raise CorruptFileError(record.file, record.place, f"the image under {name!r} cannot be decoded: {error}") \
                from error
        if mode == "L":
            return pixels[:, :, None]
        return pixels[:, :, ::-1] if color_space == "BGR" else pixels

    return decode


def _random_size(height: int, width: int, draw: np.random.Generator, attempts: int, area: Sequence[float],
                 ratio: Sequence[float]) -> tuple[int, int]:
    """The size of a part of an image, as OneFlow draws it."""
    widest, highest = max(1, int(height * ratio[1])), max(1, int(width / ratio[0]))
    least = width * height * area[0]
    if height * widest < least:
        return height, widest
    if width * highest < least:
        return highest, width
    for _ in range(attempts):
        wanted = draw.uniform(area[0], area[1]) * height * width
        shape = math.exp(draw.uniform(math.log(ratio[0]), math.log(ratio[1])))
        w, h = max(1, round(math.sqrt(wanted * shape))), max(1, round(math.sqrt(wanted / shape)))
        if w <= width and h <= height and ratio[0] <= w / h <= ratio[1]:
            return h, w
    whole = width / height
    h, w = (height, widest) if whole > ratio[1] else (highest, width) if whole < ratio[0] else (height, width)
    factor = math.sqrt(min(1.0, area[1] * width * height / (h * w)))
    return max(1, int(h * factor)), max(1, int(w * factor))


def _sizes_of(target: Any, keep: bool, side: str, least: int, most: int) -> Callable[[int, int], tuple[int, int]]:
    """A function from an image's (height, width) to the one that it is resized to."""
    if not keep:
        if not isinstance(target, (tuple, list)) or len(target) != 2 or not all(
                isinstance(size, int) and size > 0 for size in target):
            raise ValueError(f"Resize(target_size): (width, height). Received {target!r}.")
        return lambda height, width: (target[1], target[0])
    if not isinstance(target, int) or target < 1:
        raise ValueError(f"Resize(target_size): with keep_aspect_ratio a number of pixels. Received {target!r}.")
    if side not in ("shorter", "longer"):
        raise ValueError(f"Resize(resize_side): 'shorter' or 'longer'. Received {side!r}.")

    def sizes(height: int, width: int) -> tuple[int, int]:
        short, long = sorted((height, width))
        if side == "shorter":
            new_short, new_long = target, round(target * long / short)
            if most and new_long > most:
                new_short, new_long = round(most * short / long), most
        else:
            new_short, new_long = round(target * short / long), target
            if least and new_short < least:
                new_short, new_long = least, round(least * long / short)
        new_short = max(1, new_short)
        return (new_short, new_long) if height <= width else (new_long, new_short)

    return sizes


def resized(image: np.ndarray, height: int, width: int, kind: str) -> np.ndarray:
    """An image (height, width, channels) of another size, float32: products with a matrix for each dimension."""
    if kind == "auto":
        kind = "bilinear" if height * width >= image.shape[0] * image.shape[1] else "area"
    rows, columns = _weights(image.shape[0], height, kind), _weights(image.shape[1], width, kind)
    lines = np.tensordot(rows, image.astype(np.float32), 1)
    return np.ascontiguousarray(np.moveaxis(np.tensordot(columns, lines, (1, 1)), 0, 1))


@functools.lru_cache(32)
def _weights(old: int, new: int, kind: str) -> np.ndarray:
    """(new, old): what each old place gives to a new one."""
    weights = np.zeros((new, old), np.float32)
    rows, step = np.arange(new), old / new
    if kind in ("nn", "nearest_neighbor"):
        weights[rows, np.minimum((rows * step).astype(int), old - 1)] = 1
    elif kind == "area" and new < old:
        edges = np.arange(old)
        covered = np.minimum((rows[:, None] + 1) * step, edges + 1) - np.maximum(rows[:, None] * step, edges)
        weights[:] = np.maximum(covered, 0) / step
    else:
        place = (rows + 0.5) * step - 0.5
        first = np.floor(place).astype(int)
        part = place - first
        taps = {0: 1 - part, 1: part} if kind != "bicubic" else _cubic(part)
        for offset, weight in taps.items():
            np.add.at(weights, (rows, np.clip(first + offset, 0, old - 1)), weight)
    weights.flags.writeable = False
    return weights


def _cubic(part: np.ndarray, a: float = -0.75) -> dict[int, np.ndarray]:
    """The weights of the four places around, by their offsets: Keys' cubic convolution with OpenCV's a."""
    def near(x: np.ndarray) -> np.ndarray:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: np.ndarray) -> np.ndarray:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return {-1: far(part + 1), 0: near(part), 1: near(1 - part), 2: far(2 - part)}


def _rounded(values: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)

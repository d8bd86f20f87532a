"""The functions of transforms for Pillow's images. Arguments are checked by `functional`."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image, ImageEnhance, ImageOps

from ...ops.array.creation import to_tensor as tensor_of
from .kinds import chosen
from .matrices import perspective_matrix
from .on_arrays import as_pixels

_INTERPOLATIONS = {name: getattr(Image.Resampling, name.upper())
                   for name in ("nearest", "bilinear", "bicubic", "box", "lanczos", "hamming")}


def to_tensor(pic: Image.Image, data_format: str) -> Any:
    """A Tensor; bytes become numbers from 0 to 1."""
    values: Any
    if pic.mode.startswith("I"):
        values = np.asarray(pic, np.int32)
    else:
        values = np.asarray(pic)
        values = values * np.uint8(255) if pic.mode == "1" else values
    values = values.reshape(pic.size[1], pic.size[0], -1)
    if values.dtype == np.uint8:
        values = values.astype(np.float32) / np.float32(255)
    return tensor_of(np.ascontiguousarray(values.transpose(2, 0, 1)) if data_format == "CHW" else values)


def resize(img: Image.Image, height: int, width: int, interpolation: str) -> Image.Image:
    """Scaled; where it becomes smaller, Pillow weighs all of the pixels that vanish."""
    return img.resize((width, height), chosen(_INTERPOLATIONS, interpolation, "resize"))


def _colour(img: Image.Image, fill: Any) -> Any:
    """A number stands for every channel."""
    bands = len(img.getbands())
    if isinstance(fill, (list, tuple)):
        return tuple(fill) if bands > 1 else fill[0]
    return fill if isinstance(fill, str) or bands == 1 else (fill,) * bands


def pad(img: Image.Image, sides: tuple[int, int, int, int], fill: Any, mode: str) -> Image.Image:
    """Pixels around the image: left, top, right and bottom."""
    if mode == "constant":
        return ImageOps.expand(img, border=sides, fill=_colour(img, fill))
    left, top, right, bottom = sides
    values = np.asarray(img)
    widths = [(top, bottom), (left, right), (0, 0)][: values.ndim]
    result = Image.fromarray(np.pad(values, widths, mode))  # type: ignore[call-overload]
    if img.mode == "P":
        result.putpalette(img.getpalette())  # type: ignore[arg-type]
    return result


def crop(img: Image.Image, top: int, left: int, height: int, width: int) -> Image.Image:
    """A part of the image; black where it has no pixels."""
    return img.crop((left, top, left + width, top + height))


def hflip(img: Image.Image) -> Image.Image:
    """Left and right exchanged."""
    return img.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


def vflip(img: Image.Image) -> Image.Image:
    """Top and bottom exchanged."""
    return img.transpose(Image.Transpose.FLIP_TOP_BOTTOM)


def adjust_brightness(img: Image.Image, factor: float) -> Image.Image:
    """Between black (factor 0) and the image (1), and beyond."""
    return ImageEnhance.Brightness(img).enhance(factor)


def adjust_contrast(img: Image.Image, factor: float) -> Image.Image:
    """Between the mean grey (factor 0) and the image (1), and beyond."""
    return ImageEnhance.Contrast(img).enhance(factor)


def adjust_saturation(img: Image.Image, factor: float) -> Image.Image:
    """Between the grey image (factor 0) and the image (1), and beyond."""
    return ImageEnhance.Color(img).enhance(factor)


def adjust_hue(img: Image.Image, factor: float) -> Image.Image:
    """The hue moved by factor of a whole turn; an image without colour stays as it is."""
    if img.mode in ("L", "1", "I", "F"):
        return img
    hue, saturation, value = img.convert("HSV").split()
    moved = (np.asarray(hue).astype(np.int16) + int(factor * 255)) % 256
    return Image.merge("HSV", (Image.fromarray(moved.astype(np.uint8)), saturation, value)).convert(img.mode)


def affine(img: Image.Image, matrix: list[float], interpolation: str, fill: Any) -> Image.Image:
    """The pixels at matrix @ place."""
    return _mapped(img, Image.Transform.AFFINE, matrix, interpolation, fill)


def perspective(img: Image.Image, startpoints: Any, endpoints: Any, interpolation: str, fill: Any) -> Image.Image:
    """The image with its `startpoints` moved to `endpoints`."""
    numbers = perspective_matrix(startpoints, endpoints).reshape(-1)[:8].tolist()
    return _mapped(img, Image.Transform.PERSPECTIVE, numbers, interpolation, fill)


def _mapped(img: Image.Image, method: Any, numbers: list[float], interpolation: str, fill: Any) -> Image.Image:
    filter_ = chosen(_INTERPOLATIONS, interpolation, "affine and perspective")
    return img.transform(img.size, method, numbers, filter_, fillcolor=_colour(img, fill))


def rotate(img: Image.Image, angle: float, interpolation: str, expand: bool, center: Any, fill: Any) -> Image.Image:
    """Turned against the clock about `center`, by default the middle."""
    filter_ = chosen(_INTERPOLATIONS, interpolation, "rotate")
    return img.rotate(angle, filter_, expand, center, fillcolor=_colour(img, fill))


def to_grayscale(img: Image.Image, channels: int) -> Image.Image:
    """Luma, of one channel (mode L) or of three equal ones (RGB)."""
    grey = img.convert("L")
    return grey if channels == 1 else Image.merge("RGB", [grey] * 3)


def erase(img: Image.Image, top: int, left: int, height: int, width: int, value: Any, inplace: bool) -> Image.Image:
    """A new image with the rectangle set to value."""
    pixels = np.array(img, dtype=np.uint8)
    value = as_pixels(value, pixels.dtype)
    if pixels.ndim == 2 and value.ndim == 3:
        value = value[..., 0]
    pixels[top : top + height, left : left + width] = value
    return Image.fromarray(pixels)

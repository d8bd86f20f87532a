"""The functions of transforms for NumPy arrays (height, width, channels): what Paddle asks of OpenCV, in NumPy.

Arrays have OpenCV's channel order where a colour space matters (hue, saturation: blue first), and red first in
`to_grayscale`, as in Paddle. Arguments are checked by `functional`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...ops.array.creation import to_tensor as tensor_of
from . import resample
from .matrices import perspective_matrix
from .resample import resize as resize

__all__ = [
    "adjust_brightness", "adjust_contrast", "adjust_hue", "adjust_saturation", "affine", "crop", "erase", "hflip",
    "normalize", "pad", "perspective", "resize", "rotate", "to_grayscale", "to_tensor", "vflip",
]

_MIDDLE_GREY = 74  # the mean that Paddle takes for every image's
_RED, _GREEN, _BLUE = 9798, 19235, 3735  # luma of ITU-R BT.601, in units of 1 / 32768


def to_tensor(pic: np.ndarray, data_format: str) -> Any:
    """A Tensor; bytes become numbers from 0 to 1."""
    pic = pic[:, :, None] if pic.ndim == 2 else pic
    if pic.dtype == np.uint8:
        pic = pic.astype(np.float32) / np.float32(255)
    return tensor_of(np.ascontiguousarray(pic.transpose(2, 0, 1)) if data_format == "CHW" else pic)


def pad(img: np.ndarray, sides: tuple[int, int, int, int], fill: Any, mode: str) -> np.ndarray:
    """Pixels around the image: left, top, right and bottom."""
    left, top, right, bottom = sides
    widths = [(top, bottom), (left, right), (0, 0)][: img.ndim]
    if mode != "constant":
        return np.pad(img, widths, mode)  # type: ignore[call-overload]
    result = np.empty([size + sum(width) for size, width in zip(img.shape, widths, strict=True)], img.dtype)
    result[...] = resample.pixel(img, fill)
    result[top : top + img.shape[0], left : left + img.shape[1]] = img
    return result


def crop(img: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """A part of the image, as a view; only what is there."""
    return img[top : top + height, left : left + width]


def hflip(img: np.ndarray) -> np.ndarray:
    """Left and right exchanged."""
    return np.ascontiguousarray(img[:, ::-1])


def vflip(img: np.ndarray) -> np.ndarray:
    """Top and bottom exchanged."""
    return np.ascontiguousarray(img[::-1])


def adjust_brightness(img: np.ndarray, factor: float) -> np.ndarray:
    """Bytes times factor."""
    return _table(lambda level: level * factor)[img.astype(np.uint8)]


def adjust_contrast(img: np.ndarray, factor: float) -> np.ndarray:
    """The distance of bytes from 74, times factor."""
    if img.dtype != np.uint8:
        raise TypeError("adjust_contrast(img): an array must hold bytes (dtype uint8). "
                        f"Received dtype {img.dtype}. Convert it with img.astype('uint8'), or use a Tensor.")
    return _table(lambda level: (level - _MIDDLE_GREY) * factor + _MIDDLE_GREY)[img]


def _table(of_level: Any) -> np.ndarray:
    return np.clip(of_level(np.arange(256)), 0, 255).astype(np.uint8)


def _three_channels(img: np.ndarray, caller: str) -> None:
    if img.ndim != 3 or img.shape[2] != 3:
        raise ValueError(f"{caller}(img): an array must have three channels, as (height, width, 3). "
                         f"Received img.shape={list(img.shape)}.")


def adjust_saturation(img: np.ndarray, factor: float) -> np.ndarray:
    """Between the grey image (factor 0) and the image (1), and beyond."""
    _three_channels(img, "adjust_saturation")
    values = img.astype(np.float32)
    grey = (values @ np.array([0.114, 0.587, 0.299], np.float32))[..., None]
    return np.clip(values * factor + grey * (1 - factor), 0, 255).astype(img.dtype)


def adjust_hue(img: np.ndarray, factor: float) -> np.ndarray:
    """The hue moved by factor of a whole turn, in steps of 1/256."""
    _three_channels(img, "adjust_hue")
    hue, saturation, value = _hsv(img.astype(np.uint8))
    return _bgr((hue + int(factor * 255)) % 256, saturation, value).astype(img.dtype)


def _hsv(img: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hue, saturation and value in 0 … 255, of bytes with blue first, in OpenCV's whole-number arithmetic."""
    blue, green, red = (img[..., channel].astype(np.int32) for channel in range(3))
    value = np.maximum(np.maximum(blue, green), red)
    spread = value - np.minimum(np.minimum(blue, green), red)
    level = np.arange(1, 256)
    by_value = np.concatenate([[0], np.rint((255 << 12) / level)]).astype(np.int32)
    by_spread = np.concatenate([[0], np.rint((256 << 12) / (6.0 * level))]).astype(np.int32)
    saturation = (spread * by_value[value] + 2048) >> 12
    sixth = np.where(value == red, green - blue,
                     np.where(value == green, blue - red + 2 * spread, red - green + 4 * spread))
    hue = (sixth * by_spread[spread] + 2048) >> 12
    return np.where(hue < 0, hue + 256, hue), saturation, value


def _bgr(hue: np.ndarray, saturation: np.ndarray, value: np.ndarray) -> np.ndarray:
    """The reverse; a whole turn is 255 here, as in OpenCV."""
    turn = hue.astype(np.float32) * np.float32(6 / 255)
    part, light = saturation.astype(np.float32) / np.float32(255), value.astype(np.float32) / np.float32(255)
    channels = []
    for start in (1, 3, 5):  # blue, green, red
        place = turn + np.float32(start)
        place -= np.float32(6) * (place >= 6)
        channels.append(light - light * part * np.clip(np.minimum(place, 4 - place), 0, 1))
    return np.stack([np.rint(channel * np.float32(255)).astype(np.uint8) for channel in channels], -1)


def affine(img: np.ndarray, matrix: list[float], interpolation: str, fill: Any) -> np.ndarray:
    """The pixels at matrix @ place; a place is the middle of a pixel, as for Pillow's images."""
    inverse = np.reshape(matrix, (2, 3)).astype(np.float64)
    inverse[:, 2] += 0.5 * (inverse[:, 0] + inverse[:, 1]) - 0.5
    return resample.affine(img, inverse, (img.shape[1], img.shape[0]), interpolation, fill)


def rotate(img: np.ndarray, angle: float, interpolation: str, expand: bool, center: Any, fill: Any) -> np.ndarray:
    """Turned against the clock about `center`, in indices of pixels: by default (width / 2, height / 2)."""
    height, width = img.shape[:2]
    x, y = (width / 2, height / 2) if center is None else center
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    forward = np.array([[cos, sin, (1 - cos) * x - sin * y], [-sin, cos, sin * x + (1 - cos) * y], [0, 0, 1]])
    size: Any = (width, height)
    if expand:
        corners = np.round(forward[:2], 9) @ np.array([[0, width, width, 0], [0, 0, height, height], [1, 1, 1, 1]])
        corners = np.round(corners, 6)
        size = tuple(int(n) for n in np.ceil(corners.max(1)) - np.floor(corners.min(1)))
        forward[:2, 2] += (np.array(size) - (width, height)) * 0.5
    return resample.affine(img, np.linalg.inv(forward)[:2], size, interpolation, fill)


def perspective(img: np.ndarray, startpoints: Any, endpoints: Any, interpolation: str, fill: Any) -> np.ndarray:
    """The image with its `startpoints` moved to `endpoints`; the points are indices of pixels."""
    return resample.perspective(img, perspective_matrix(startpoints, endpoints), interpolation, fill)


def to_grayscale(img: np.ndarray, channels: int) -> np.ndarray:
    """Luma, of one channel or of three equal ones; red comes first."""
    _three_channels(img, "to_grayscale")
    if img.dtype == np.uint8:
        red, green, blue = (img[..., channel].astype(np.int32) for channel in range(3))
        grey = ((red * _RED + green * _GREEN + blue * _BLUE + 16384) >> 15).astype(np.uint8)
    else:
        grey = resample.in_dtype(img @ np.array([0.299, 0.587, 0.114], np.float32), img.dtype)
    return np.repeat(grey[..., None], channels, -1)


def normalize(img: np.ndarray, mean: Any, std: Any, data_format: str, to_rgb: bool) -> np.ndarray:
    """(img - mean) / std, channel by channel."""
    shape = (-1, 1, 1) if data_format == "CHW" else (1, 1, -1)
    mean, std = (np.asarray(values, np.float32).reshape(shape) for values in (mean, std))
    img = img[..., ::-1] if to_rgb else img
    try:
        return (img - mean) / std
    except ValueError as error:
        raise ValueError(
            f"normalize(img, mean, std, data_format={data_format!r}): an array of shape {list(img.shape)} does not "
            f"have {mean.size} channels there. An array (height, width, channels) needs data_format='HWC'.") from error


def erase(img: np.ndarray, top: int, left: int, height: int, width: int, value: Any, inplace: bool) -> np.ndarray:
    """The rectangle set to value."""
    img = img if inplace else img.copy()
    img[top : top + height, left : left + width] = as_pixels(value, img.dtype)
    return img


def as_pixels(value: Any, dtype: np.dtype) -> np.ndarray:
    """Numbers in the dtype of an image; what does not fit a byte wraps around, as in Paddle."""
    value = np.asarray(value)
    return (value.astype(np.int64) if dtype.kind in "iu" else value).astype(dtype)

"""The functions of transforms for Tensors (channels, height, width), a batch before them or not, made of operators.

They have gradients, and Variables of a Program are taken too. Arguments are checked by `functional`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.dtype import convert_dtype
from ...nn import functional as F
from ...ops.array.concat_split import stack
from ...ops.array.creation import to_tensor as tensor_of
from .kinds import _get_image_size, chosen
from .matrices import perspective_matrix

_RESIZED = {name: name for name in ("nearest", "bilinear", "bicubic", "area")}
_SAMPLED = {name: name for name in ("nearest", "bilinear")}
_PADDED = {"constant": "constant", "edge": "replicate", "reflect": "reflect"}
_LUMA = (0.2989, 0.587, 0.114)


def to_tensor(pic: Any, data_format: str) -> Any:
    """As it is, or with its channels last."""
    return pic if data_format == "CHW" else pic.transpose([1, 2, 0])


def _is_float(img: Any) -> bool:
    return convert_dtype(img.dtype).is_floating


def _as_float(img: Any) -> Any:
    return img if _is_float(img) else img.astype("float32")


def _like(values: Any, img: Any) -> Any:
    """In the image's dtype; whole numbers are rounded."""
    return values if _is_float(img) else values.round().astype(img.dtype)


def _batch(img: Any) -> Any:
    return img.unsqueeze(0) if len(img.shape) == 3 else img


def _unbatch(values: Any, img: Any) -> Any:
    return values.squeeze(0) if len(img.shape) == 3 else values


def _channels(img: Any, caller: str) -> int:
    channels = img.shape[-3]
    if channels not in (1, 3):
        raise ValueError(f"{caller}(img): a Tensor image must have 1 or 3 channels. "
                         f"Received img.shape={list(img.shape)}.")
    return channels


def resize(img: Any, height: int, width: int, interpolation: str) -> Any:
    """Scaled by `nn.functional.interpolate`."""
    mode = chosen(_RESIZED, interpolation.lower(), "resize")
    return _like(_unbatch(F.interpolate(_batch(_as_float(img)), size=[height, width], mode=mode), img), img)


def pad(img: Any, sides: tuple[int, int, int, int], fill: Any, mode: str) -> Any:
    """Pixels around the image: left, top, right and bottom."""
    if mode not in _PADDED:
        raise ValueError(f"pad(padding_mode): for Tensors it must be one of {sorted(_PADDED)}. Received {mode!r}.")
    if not isinstance(fill, (int, float)):
        raise TypeError(f"pad(fill): for Tensors it must be a number. Received {fill!r}.")
    left, top, right, bottom = sides
    padded = F.pad(_batch(img), [left, right, top, bottom], mode=_PADDED[mode], value=float(fill))
    return _unbatch(padded, img)


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """A part of the image; only what is there."""
    return img[..., top : top + height, left : left + width]


def hflip(img: Any) -> Any:
    """Left and right exchanged."""
    return img.flip([-1])


def vflip(img: Any) -> Any:
    """Top and bottom exchanged."""
    return img.flip([-2])


def _blend(img: Any, other: Any, factor: float) -> Any:
    """other + factor · (img - other), inside the range of an image: to 1, or of whole numbers to 255."""
    blended = other + (_as_float(img) - other) * float(factor)
    return blended.clip(0, 1.0 if _is_float(img) else 255.0).astype(img.dtype)


def adjust_brightness(img: Any, factor: float) -> Any:
    """Between black (factor 0) and the image (1), and beyond."""
    _channels(img, "adjust_brightness")
    return _blend(img, 0.0, factor)


def adjust_contrast(img: Any, factor: float) -> Any:
    """Between the mean grey (factor 0) and the image (1), and beyond."""
    grey = _as_float(img) if _channels(img, "adjust_contrast") == 1 else _grey(img)
    return _blend(img, grey.mean([-3, -2, -1], keepdim=True), factor)


def adjust_saturation(img: Any, factor: float) -> Any:
    """Between the grey image (factor 0) and the image (1), and beyond."""
    return img if _channels(img, "adjust_saturation") == 1 else _blend(img, _grey(img), factor)


def _grey(img: Any) -> Any:
    red, green, blue = _as_float(img).unbind(-3)
    return (red * _LUMA[0] + green * _LUMA[1] + blue * _LUMA[2]).unsqueeze(-3)


def to_grayscale(img: Any, channels: int) -> Any:
    """Luma, of one channel or of three equal ones; an image of one channel is grey as it is."""
    grey = img if _channels(img, "to_grayscale") == 1 else _like(_grey(img), img)
    return grey if channels == 1 else grey.expand([*grey.shape[:-3], 3, *grey.shape[-2:]])


def adjust_hue(img: Any, factor: float) -> Any:
    """The hue moved by factor of a whole turn; an image of one channel stays as it is."""
    if _channels(img, "adjust_hue") == 1:
        return img
    values = img if _is_float(img) else img.astype("float32") / 255.0
    moved = _hue_moved(values, factor)
    return moved if _is_float(img) else (moved * 255.0).astype(img.dtype)


def _hue_moved(img: Any, factor: float) -> Any:
    red, green, blue = img.unbind(-3)
    value = img.max(-3)
    spread = value - img.min(-3)
    grey = (spread == 0).astype(img.dtype)
    by_red, by_green = (value == red).astype(img.dtype), (value == green).astype(img.dtype)
    by_green = by_green * (1.0 - by_red)
    sixths = (by_red * (green - blue) + by_green * (blue - red) + (1.0 - by_red - by_green) * (red - green)) / (
        spread + grey) + 2.0 * by_green + 4.0 * (1.0 - by_red - by_green)
    sixths = sixths + 6.0 * factor
    channels = []
    for start in (5.0, 3.0, 1.0):  # red, green, blue
        place = (sixths + start) / 6.0
        place = (place - place.floor()) * 6.0
        up = 1.0 - F.relu(1.0 - place)  # min(place, 1)
        down = 1.0 - F.relu(place - 3.0)  # min(4 - place, 1)
        channels.append(value - spread * F.relu(up + down - 1.0))
    return stack(channels, axis=-3)


def affine(img: Any, matrix: list[float], interpolation: str, fill: Any) -> Any:
    """The pixels at matrix @ place, places measured from the middle of the image."""
    width, height = _get_image_size(img, "affine")
    return _sampled(img, _affine_places(np.reshape(matrix, (2, 3)), width, height), interpolation, fill, "affine")


def _affine_places(matrix: np.ndarray, width: int, height: int) -> np.ndarray:
    """(height, width, 2): for each new pixel its place in the old image, from the middle."""
    x, y = np.arange(width) + 0.5 - 0.5 * width, np.arange(height)[:, None] + 0.5 - 0.5 * height
    return np.stack([row[0] * x + row[1] * y + row[2] for row in matrix], -1)


def rotate(img: Any, angle: float, interpolation: str, expand: bool, center: Any, fill: Any) -> Any:
    """Turned against the clock about `center`, by default the middle."""
    width, height = _get_image_size(img, "rotate")
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    x, y = (0.0, 0.0) if center is None else (center[0] - width * 0.5, center[1] - height * 0.5)
    matrix = np.array([[cos, -sin, x - cos * x + sin * y], [sin, cos, y - sin * x - cos * y]])
    new_width, new_height = _expanded(matrix, width, height, angle % 90 == 0) if expand else (width, height)
    return _sampled(img, _affine_places(matrix, new_width, new_height), interpolation, fill, "rotate")


def _expanded(matrix: np.ndarray, width: int, height: int, quarters: bool) -> tuple[int, int]:
    """The size that holds the whole turned image, as Paddle counts it but for quarters of a turn."""
    corners = np.array([[-0.5, 0.5, 0.5, -0.5], [-0.5, -0.5, 0.5, 0.5]]) * [[width], [height]]
    places = np.round(matrix[:, :2] @ corners + matrix[:, 2:], 6)
    across, down = np.ptp(places, 1) if quarters else np.ceil(places.max(1)) - np.floor(places.min(1))
    return int(across), int(down)


def perspective(img: Any, startpoints: Any, endpoints: Any, interpolation: str, fill: Any) -> Any:
    """The image with its `startpoints` moved to `endpoints`."""
    width, height = _get_image_size(img, "perspective")
    matrix = perspective_matrix(startpoints, endpoints)
    x, y = np.arange(width) + 0.5, np.arange(height)[:, None] + 0.5
    across, down, depth = (row[0] * x + row[1] * y + row[2] for row in matrix)
    places = np.stack([across / depth - 0.5 * width, down / depth - 0.5 * height], -1)
    return _sampled(img, places, interpolation, fill, "perspective")


def _sampled(img: Any, places: np.ndarray, interpolation: str, fill: Any, caller: str) -> Any:
    """The image at places from its middle, `fill` outside: a number, or one a channel."""
    mode = chosen(_SAMPLED, interpolation, caller)
    batch = _batch(_as_float(img))
    width, height = _get_image_size(img, caller)
    places = (places / (0.5 * width, 0.5 * height)).astype(np.float32)
    count = batch.shape[0]
    grid = tensor_of(np.broadcast_to(places, (count, *places.shape)).copy()).astype(batch.dtype)
    found = F.grid_sample(batch, grid, mode=mode, padding_mode="zeros", align_corners=False)
    inside = F.grid_sample(batch[:, :1] * 0.0 + 1.0, grid, mode=mode, padding_mode="zeros", align_corners=False)
    colour = tensor_of(_fill(fill, batch.shape[1], caller)).astype(batch.dtype)
    found = found * inside + (1.0 - inside) * colour  # an edge that is half inside fades twice, as in Paddle
    return _like(_unbatch(found, img), img)


def _fill(fill: Any, channels: int, caller: str) -> np.ndarray:
    values = np.asarray(0 if fill is None else fill, np.float32).reshape(-1)
    if values.size not in (1, channels):
        raise ValueError(f"{caller}(fill): fill must be a number, or one number for each of the {channels} channels. "
                         f"Received {fill!r}.")
    return np.broadcast_to(values, (channels,)).reshape(1, channels, 1, 1).copy()


def normalize(img: Any, mean: Any, std: Any, data_format: str, to_rgb: bool) -> Any:
    """(img - mean) / std, channel by channel."""
    shape = (-1, 1, 1) if data_format == "CHW" else (-1,)
    mean, std = (tensor_of(np.asarray(values, np.float32).reshape(shape)) for values in (mean, std))
    return (img - mean) / std


def erase(img: Any, top: int, left: int, height: int, width: int, value: Any, inplace: bool) -> Any:
    """The rectangle set to value."""
    img = img if inplace else img.clone()
    img[..., top : top + height, left : left + width] = value
    return img

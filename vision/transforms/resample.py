"""Arrays of pixels at other positions: scaling (resize), and affine and perspective maps, as OpenCV computes them.

Scaling is separable: every new row is a weighted sum of a few old ones, and every column likewise. 8-bit pixels take
weights that are rounded to 1/2048, and maps of the plane take places rounded to 1/32 pixel, as in OpenCV, so that
results agree with it, to one grey level at most where it rounds in ways of its own. Knows nothing of transforms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .kinds import chosen

_WEIGHT_UNIT = 2048  # of 8-bit pixels while scaling
_PLACE_UNIT = 32  # of places in a map
_STEP_UNIT = 1024  # of an affine map's steps

Taps = tuple[np.ndarray, np.ndarray]
"""For each new position the old ones (count, taps) and their weights."""


def cubic_weights(fraction: np.ndarray) -> np.ndarray:
    """Weights of the pixels at -1, 0, 1, 2 for a place `fraction` behind 0: Keys' cubic with a = -0.75."""
    a, near, far = -0.75, fraction, fraction + 1
    first = ((a * far - 5 * a) * far + 8 * a) * far - 4 * a
    second = ((a + 2) * near - (a + 3)) * near * near + 1
    other = 1 - near
    third = ((a + 2) * other - (a + 3)) * other * other + 1
    return np.stack([first, second, third, 1 - first - second - third], -1)


def lanczos_weights(fraction: np.ndarray) -> np.ndarray:
    """Weights of the pixels at -3 … 4: Lanczos' kernel of 8 pixels, made to sum to 1."""
    distance = fraction[..., None] - np.arange(-3, 5)
    weights = np.sinc(distance) * np.sinc(distance / 4)
    return weights / weights.sum(-1, keepdims=True)


def linear_weights(fraction: np.ndarray) -> np.ndarray:
    """Weights of the pixels at 0 and 1."""
    return np.stack([1 - fraction, fraction], -1)


_KERNELS: dict[str, tuple[int, Callable[[np.ndarray], np.ndarray]]] = {
    "bilinear": (0, linear_weights), "bicubic": (-1, cubic_weights), "lanczos": (-3, lanczos_weights),
}
_MAP_KERNELS: dict[str, Any] = {"nearest": None, "area": _KERNELS["bilinear"], **_KERNELS}


def resize(image: np.ndarray, height: int, width: int, interpolation: str) -> np.ndarray:
    """An array (height, width, …) scaled to another height and width, in its dtype."""
    taps_of = chosen(_TAPS, interpolation, "resize")
    old_height, old_width = image.shape[:2]
    if interpolation == "nearest":
        return image[taps_of(old_height, height)[0][:, 0]][:, taps_of(old_width, width)[0][:, 0]]
    enlarges = old_height < height or old_width < width
    halves = interpolation == "bilinear" and (old_height, old_width) == (2 * height, 2 * width)
    if interpolation == "area" and enlarges:
        taps_of = _area_enlarged
    elif halves:
        taps_of = _area
    rows, columns = taps_of(old_height, height), taps_of(old_width, width)
    if halves and image.dtype == np.uint8:
        return np.floor(_weighted(_weighted(image, columns, 1, np.float64), rows, 0, np.float64) + 0.5).astype(np.uint8)
    if image.dtype == np.uint8 and (interpolation != "area" or enlarges):
        return _resize_bytes(image, rows, columns, linear=rows[1].shape[1] == 2)
    dtype = np.float64 if image.dtype == np.float64 else np.float32
    return in_dtype(_weighted(_weighted(image, columns, 1, dtype), rows, 0, dtype), image.dtype)


def _resize_bytes(image: np.ndarray, rows: Taps, columns: Taps, linear: bool) -> np.ndarray:
    """With whole-number weights; of the linear sum, 4 bits are dropped between the two steps."""
    rows, columns = (rows[0], _whole(rows[1])), (columns[0], _whole(columns[1]))
    across = _weighted(image, columns, 1, np.int32)
    if not linear:
        exact = _weighted(across, rows, 0, np.int64)
        return np.clip((exact + (1 << 21)) >> 22, 0, 255).astype(np.uint8)
    index, weight = rows
    by_row = (slice(None), *[None] * (image.ndim - 1))
    parts = [((across[index[:, tap]] >> 4) * weight[:, tap][by_row]) >> 16 for tap in (0, 1)]
    return np.clip((parts[0] + parts[1] + 2) >> 2, 0, 255).astype(np.uint8)


def _whole(weights: np.ndarray) -> np.ndarray:
    return np.rint(weights.astype(np.float32) * np.float32(_WEIGHT_UNIT)).astype(np.int32)


def _weighted(image: np.ndarray, taps: Taps, axis: int, dtype: Any) -> np.ndarray:
    index, weight = taps[0], taps[1].astype(dtype)
    along = (None,) * axis + (slice(None),) + (None,) * (image.ndim - axis - 1)
    total = np.take(image, index[:, 0], axis).astype(dtype) * weight[:, 0][along]
    for tap in range(1, index.shape[1]):
        total += np.take(image, index[:, tap], axis).astype(dtype) * weight[:, tap][along]
    return total


def in_dtype(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Values in a dtype: rounded and kept inside its range if it holds whole numbers."""
    if dtype.kind not in "iu":
        return values.astype(dtype)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(values), limits.min, limits.max).astype(dtype)


def _nearest(old: int, new: int) -> Taps:
    index = np.minimum(np.floor(np.arange(new) * (old / new)).astype(np.int64), old - 1)
    return index[:, None], np.ones((new, 1))


def _kernel(name: str) -> Callable[[int, int], Taps]:
    first, weights_of = _KERNELS[name]

    def taps(old: int, new: int) -> Taps:
        place = ((np.arange(new) + 0.5) * (old / new) - 0.5).astype(np.float32)
        whole = np.floor(place)
        fraction, start = place - whole, whole.astype(np.int64)
        if name == "bilinear":
            fraction[(start < 0) | (start >= old - 1)] = 0
            start = np.clip(start, 0, old - 1)
        weights = weights_of(fraction)
        index = np.clip(start[:, None] + first + np.arange(weights.shape[1]), 0, old - 1)
        return index, weights

    return taps


def _area(old: int, new: int) -> Taps:
    """Each new pixel is the mean of what it covers of the old ones."""
    scale = old / new
    begin, end = np.arange(new)[:, None] * scale, (np.arange(new)[:, None] + 1) * scale
    index = np.floor(begin).astype(np.int64) + np.arange(int(np.ceil(scale)) + 1)
    weight = np.clip(np.minimum(end, index + 1) - np.maximum(begin, index), 0, None)
    weight[weight < 1e-3] = 0
    return np.minimum(index, old - 1), weight / weight.sum(1, keepdims=True)


def _area_enlarged(old: int, new: int) -> Taps:
    """Where a side grows: of two neighbours the part that a new pixel covers."""
    scale, position = old / new, np.arange(new)
    start = np.floor(position * scale).astype(np.int64)
    fraction = ((position + 1) - (start + 1) / scale).astype(np.float32)
    fraction = np.where(fraction <= 0, 0, fraction - np.floor(fraction))
    fraction[start >= old - 1] = 0
    return np.minimum(start[:, None] + np.arange(2), old - 1), linear_weights(fraction)


_TAPS: dict[str, Callable[[int, int], Taps]] = {
    "nearest": _nearest, "area": _area, **{name: _kernel(name) for name in _KERNELS},
}


def affine(image: np.ndarray, inverse: np.ndarray, size: tuple[int, int], interpolation: str, fill: Any) -> np.ndarray:
    """An array of `size` (width, height) whose pixel (x, y) is the image's at inverse @ (x, y, 1), or `fill` outside.

    `inverse` is 2 x 3 and speaks of the indices of pixels.
    """
    unit = 1 if interpolation == "nearest" else _PLACE_UNIT
    steps = inverse * _STEP_UNIT
    x, y = np.arange(size[0]), np.arange(size[1])[:, None]
    places = [
        (np.rint(row[0] * x).astype(np.int64) + np.rint(row[1] * y + row[2]).astype(np.int64)
         + _STEP_UNIT // unit // 2) // (_STEP_UNIT // unit)
        for row in steps
    ]
    return _at(image, places[0], places[1], interpolation, fill)


def perspective(image: np.ndarray, inverse: np.ndarray, interpolation: str, fill: Any) -> np.ndarray:
    """The image's pixels at inverse @ (x, y, 1), divided by the third number; `inverse` is 3 x 3."""
    height, width = image.shape[:2]
    x, y = np.arange(width), np.arange(height)[:, None]
    unit = 1 if interpolation == "nearest" else _PLACE_UNIT
    across, down, depth = (row[0] * x + row[1] * y + row[2] for row in inverse)
    factor = np.divide(unit, depth, out=np.zeros_like(depth), where=depth != 0)
    places = [np.rint(np.clip(value * factor, -2.0**31, 2.0**31 - 1)).astype(np.int64) for value in (across, down)]
    return _at(image, places[0], places[1], interpolation, fill)


def _at(image: np.ndarray, x: np.ndarray, y: np.ndarray, interpolation: str, fill: Any) -> np.ndarray:
    """The image at places in whole pixels (nearest), or in units of 1/32 pixel."""
    framed = _Framed(image, fill)
    if interpolation == "nearest":
        return framed.at(x, y)
    if image.dtype == np.uint8 and interpolation in ("bilinear", "area"):
        return _between_bytes(framed, x, y)
    first, weights_of = chosen(_MAP_KERNELS, interpolation, "affine, rotate and perspective")
    weights_x, weights_y = (weights_of(place % _PLACE_UNIT / _PLACE_UNIT) for place in (x, y))
    x, y = x // _PLACE_UNIT + first, y // _PLACE_UNIT + first
    total: Any = 0.0
    for down in range(weights_y.shape[-1]):
        for across in range(weights_x.shape[-1]):
            weight = weights_y[..., down] * weights_x[..., across]
            total = total + framed.at(x + across, y + down) * weight.reshape(weight.shape + (1,) * (image.ndim - 2))
    return in_dtype(np.floor(total + 0.5) if image.dtype == np.uint8 else total, image.dtype)


def _between_bytes(framed: _Framed, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The weighted sum of four bytes, in whole numbers: that of floats, rounded half up."""
    deep = (1,) * (framed.pixels.ndim - 2)
    x, y = np.broadcast_arrays(x, y)
    right, below = ((place % _PLACE_UNIT).astype(np.int32) for place in (x, y))
    x, y = x // _PLACE_UNIT, y // _PLACE_UNIT
    total: Any = _PLACE_UNIT * _PLACE_UNIT // 2
    for down, part_down in ((0, _PLACE_UNIT - below), (1, below)):
        for across, part_across in ((0, _PLACE_UNIT - right), (1, right)):
            weight = (part_down * part_across).reshape(*x.shape, *deep)
            total = total + framed.at(x + across, y + down) * weight
    return (total // (_PLACE_UNIT * _PLACE_UNIT)).astype(np.uint8)


class _Framed:
    """An image with one more pixel of `fill` on every side, which stands for all that is outside."""

    def __init__(self, image: np.ndarray, fill: Any):
        height, width = image.shape[:2]
        self.height, self.width = height, width
        self.pixels = np.empty((height + 2, width + 2, *image.shape[2:]), image.dtype)
        self.pixels[...] = pixel(image, fill)
        self.pixels[1:-1, 1:-1] = image
        self._row = self.pixels.reshape(-1, *image.shape[2:])

    def at(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The pixels at whole places."""
        rows, columns = np.clip(y, -1, self.height) + 1, np.clip(x, -1, self.width) + 1
        return np.take(self._row, rows * (self.width + 2) + columns, 0)


def pixel(image: np.ndarray, fill: Any) -> np.ndarray:
    """One pixel of the value `fill`: a number stands for every channel, a sequence has one number a channel."""
    channels = image.shape[2] if image.ndim == 3 else 1
    try:
        values = np.asarray(fill, np.float64).reshape(-1)
    except (TypeError, ValueError) as error:
        raise TypeError(f"fill must be a number, or one number a channel, for arrays. Received {fill!r}.") from error
    if values.size == 1:
        return in_dtype(values, image.dtype)[0]
    if values.size < channels:
        raise ValueError(f"fill must be a number, or one for each of the {channels} channels. Received {fill!r}.")
    return in_dtype(values[:channels] if image.ndim == 3 else values[0], image.dtype)

"""Functions of one image: `paddle.vision.transforms.functional`.

An image is a Pillow image, a NumPy array (height, width, channels) or a Tensor (channels, height, width); each function
gives back what it is given. Here arguments are checked and brought to one form; the work is in `on_pillow`, `on_arrays`
and `on_tensors`. Nothing here is random.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from . import on_arrays, on_tensors
from .kinds import _get_image_size, _is_numpy_image, _is_pil_image, _is_tensor_image, not_an_image
from .matrices import affine_matrix

__all__ = [
    "_is_numpy_image", "_is_pil_image", "_is_tensor_image", "adjust_brightness", "adjust_contrast", "adjust_hue",
    "adjust_saturation", "affine", "center_crop", "crop", "erase", "hflip", "normalize", "pad", "perspective", "resize",
    "rotate", "to_grayscale", "to_tensor", "vflip",
]

_PADDING_MODES = ("constant", "edge", "reflect", "symmetric")


def functions_for(img: Any, caller: str) -> ModuleType:
    """The module whose functions take this kind of image; TypeError that names `caller` for anything else."""
    if _is_pil_image(img):
        from . import on_pillow  # which needs Pillow

        return on_pillow
    if _is_numpy_image(img):
        return on_arrays
    if _is_tensor_image(img):
        return on_tensors
    raise not_an_image(img, caller)


def to_tensor(pic: Any, data_format: str = "CHW") -> Any:
    """The image as a Tensor, (channels, height, width) or with "HWC" (height, width, channels).

    Bytes 0 … 255 become float32 from 0 to 1; other dtypes keep their values. A Tensor is taken to be "CHW" already.
    `paddle.vision.transforms.to_tensor`.

    >>> import numpy as np
    >>> from proa.vision.transforms import to_tensor
    >>> to_tensor(np.full((4, 5, 3), 255, np.uint8)).shape
    [3, 4, 5]
    """
    found = functions_for(pic, "to_tensor")
    return found.to_tensor(pic, _checked_format(data_format, "to_tensor"))


def _checked_format(data_format: str, caller: str) -> str:
    if str(data_format).upper() not in ("CHW", "HWC"):
        raise ValueError(f"{caller}(data_format): must be 'CHW' or 'HWC'. Received {data_format!r}.")
    return data_format.upper()


def resize(img: Any, size: int | Sequence[int], interpolation: str = "bilinear") -> Any:
    """The image scaled to `size`: (height, width), or a number for the shorter side, the ratio kept.

    `interpolation` is "nearest", "bilinear" or "bicubic" everywhere, "box", "lanczos" or "hamming" for Pillow's images,
    "area" or "lanczos" for arrays, "area" for Tensors. Pillow weighs every old pixel where an image becomes smaller;
    arrays and Tensors take the neighbours only ("area" weighs all). `paddle.vision.transforms.resize`.

    >>> import numpy as np
    >>> from proa.vision.transforms import resize
    >>> resize(np.zeros((20, 40, 3), np.uint8), 10).shape
    (10, 20, 3)
    """
    found = functions_for(img, "resize")
    width, height = _get_image_size(img, "resize")
    if isinstance(size, numbers.Integral):
        if min(width, height) == size:
            return img
        shorter = int(size)
        size = (int(shorter * height / width), shorter) if width < height else (shorter, int(shorter * width / height))
    new_height, new_width = _pair(size, "resize(size)")
    if new_height < 1 or new_width < 1:
        raise ValueError(f"resize(size): both sides must be at least 1. Received {size!r} for an image of height "
                         f"{height} and width {width}.")
    return found.resize(img, new_height, new_width, interpolation)


def _pair(value: Any, name: str) -> tuple[int, int]:
    """(height, width) from a number or two."""
    if isinstance(value, numbers.Number):
        return int(value), int(value)  # type: ignore[call-overload]
    if not isinstance(value, (list, tuple, np.ndarray)) or len(value) != 2:
        raise TypeError(f"{name} must be a number, or two: (height, width). Received {value!r}.")
    return int(value[0]), int(value[1])


def pad(img: Any, padding: int | Sequence[int], fill: Any = 0, padding_mode: str = "constant") -> Any:
    """Pixels around the image: `padding` on every side, or (left/right, top/bottom), or (left, top, right, bottom).

    "constant" takes `fill` (a number for every channel, or one a channel), "edge" repeats the last pixel, "reflect"
    mirrors without and "symmetric" with the last pixel (not for Tensors). `paddle.vision.transforms.pad`.

    >>> import numpy as np
    >>> from proa.vision.transforms import pad
    >>> pad(np.ones((1, 1, 1), np.uint8), (1, 0), fill=7)[:, :, 0].tolist()
    [[7, 1, 7]]
    """
    found = functions_for(img, "pad")
    if padding_mode not in _PADDING_MODES:
        error = ValueError if isinstance(padding_mode, str) else TypeError
        raise error(f"pad(padding_mode): must be one of {list(_PADDING_MODES)}. Received {padding_mode!r}.")
    return found.pad(img, _sides(padding), fill, padding_mode)


def _sides(padding: Any) -> tuple[int, int, int, int]:
    """Left, top, right and bottom."""
    if isinstance(padding, numbers.Number):
        padding = (padding,)
    if not isinstance(padding, (list, tuple)):
        raise TypeError(f"pad(padding): must be a number or 2 or 4 of them. Received {padding!r}.")
    if len(padding) not in (1, 2, 4):
        raise ValueError(f"pad(padding): must be a number or 2 or 4 of them. Received {len(padding)}: {padding!r}.")
    left, top, right, bottom = (int(side) for side in tuple(padding) * (4 // len(padding)))
    if min(left, top, right, bottom) < 0:
        raise ValueError(f"pad(padding): must not be negative; crop cuts pixels off. Received {padding!r}.")
    return left, top, right, bottom


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """The rectangle of `height` and `width` whose upper left corner is at (top, left).

    Pillow's images are black beyond their edges; arrays and Tensors end there. `paddle.vision.transforms.crop`.

    >>> import numpy as np
    >>> from proa.vision.transforms import crop
    >>> crop(np.arange(9).reshape(3, 3, 1), 1, 1, 2, 1)[:, :, 0].tolist()
    [[4], [7]]
    """
    return functions_for(img, "crop").crop(img, top, left, height, width)


def center_crop(img: Any, output_size: int | Sequence[int]) -> Any:
    """The middle of the image: a square, or (height, width). `paddle.vision.transforms.center_crop`.

    Beyond a Pillow image's edges it is black. An array or Tensor that is one pixel too small stays as it is; a smaller
    one is refused.

    >>> import numpy as np
    >>> from proa.vision.transforms import center_crop
    >>> center_crop(np.zeros((8, 9, 3)), 4).shape
    (4, 4, 3)
    """
    height, width = _pair(output_size, "center_crop(output_size)")
    old_width, old_height = _get_image_size(img, "center_crop")
    top, left = int(round((old_height - height) / 2.0)), int(round((old_width - width) / 2.0))
    if not _is_pil_image(img) and min(top, left) < 0:
        raise ValueError(f"center_crop(output_size): must not exceed the image's height {old_height} and width "
                         f"{old_width}. Received {output_size!r}. pad makes an image larger.")
    return crop(img, top, left, height, width)


def hflip(img: Any) -> Any:
    """The image with left and right exchanged. `paddle.vision.transforms.hflip`.

    >>> import numpy as np
    >>> from proa.vision.transforms import hflip
    >>> hflip(np.arange(3).reshape(1, 3, 1))[:, :, 0].tolist()
    [[2, 1, 0]]
    """
    return functions_for(img, "hflip").hflip(img)


def vflip(img: Any) -> Any:
    """The image with top and bottom exchanged. `paddle.vision.transforms.vflip`.

    >>> import numpy as np
    >>> from proa.vision.transforms import vflip
    >>> vflip(np.arange(3).reshape(3, 1, 1))[:, 0, 0].tolist()
    [2, 1, 0]
    """
    return functions_for(img, "vflip").vflip(img)


def _checked_factor(factor: Any, name: str, low: float = 0.0, high: float = float("inf")) -> float:
    if not isinstance(factor, numbers.Number) or not low <= factor <= high:  # type: ignore[operator]
        rule = f"a number from {low} to {high}" if high < float("inf") else "a number that is not negative"
        raise ValueError(f"{name}: must be {rule}. Received {factor!r}.")
    return float(factor)  # type: ignore[arg-type]


def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """The image times `brightness_factor` ≥ 0: 0 is black, 1 the image. `paddle.vision.transforms.adjust_brightness`.

    Arrays are taken as bytes 0 … 255, Tensors of floats as 0 … 1; what leaves the range is cut.

    >>> import numpy as np
    >>> from proa.vision.transforms import adjust_brightness
    >>> adjust_brightness(np.full((1, 2, 3), 100, np.uint8), 1.5)[0, 0].tolist()
    [150, 150, 150]
    """
    factor = _checked_factor(brightness_factor, "adjust_brightness(brightness_factor)")
    return functions_for(img, "adjust_brightness").adjust_brightness(img, factor)


def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """The image's distance from its mean grey, times `contrast_factor` ≥ 0; an array's grey is always taken as 74.

    `paddle.vision.transforms.adjust_contrast`.

    >>> import numpy as np
    >>> from proa.vision.transforms import adjust_contrast
    >>> adjust_contrast(np.full((1, 1, 3), 100, np.uint8), 2)[0, 0].tolist()
    [126, 126, 126]
    """
    factor = _checked_factor(contrast_factor, "adjust_contrast(contrast_factor)")
    return functions_for(img, "adjust_contrast").adjust_contrast(img, factor)


def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """The image's distance from grey, times `saturation_factor` ≥ 0: 0 is grey, 1 the image.

    Arrays are read with blue first, as OpenCV has them. `paddle.vision.transforms.adjust_saturation`.

    >>> import numpy as np
    >>> from proa.vision.transforms import adjust_saturation
    >>> adjust_saturation(np.array([[[0, 0, 200]]], np.uint8), 0)[0, 0].tolist()
    [59, 59, 59]
    """
    factor = _checked_factor(saturation_factor, "adjust_saturation(saturation_factor)")
    return functions_for(img, "adjust_saturation").adjust_saturation(img, factor)


def adjust_hue(img: Any, hue_factor: float) -> Any:
    """The hue moved round the circle by `hue_factor` of a turn, from -0.5 to 0.5.

    Arrays are read with blue first, as OpenCV has them. `paddle.vision.transforms.adjust_hue`.

    >>> import numpy as np
    >>> from proa.vision.transforms import adjust_hue
    >>> adjust_hue(np.array([[[0, 0, 255]]], np.uint8), 0.0)[0, 0].tolist()
    [0, 0, 255]
    """
    factor = _checked_factor(hue_factor, "adjust_hue(hue_factor)", -0.5, 0.5)
    return functions_for(img, "adjust_hue").adjust_hue(img, factor)


def affine(
    img: Any, angle: float, translate: Sequence[float], scale: float, shear: float | Sequence[float],
    interpolation: str = "nearest", fill: Any = 0, center: Sequence[float] | None = None,
) -> Any:
    """The image sheared, turned with the clock, scaled and moved; its size stays, and `fill` is where it is not.

    `angle` and `shear` (for x, or x and y) in degrees, `translate` (right, down) in pixels, `scale` > 0, all about
    `center` (x, y), by default the middle. `paddle.vision.transforms.affine`.

    >>> import numpy as np
    >>> from proa.vision.transforms import affine
    >>> affine(np.arange(1, 4).reshape(1, 3, 1), 0, [1, 0], 1.0, 0)[:, :, 0].tolist()
    [[0, 1, 2]]
    """
    found = functions_for(img, "affine")
    if not isinstance(angle, numbers.Number):
        raise TypeError(f"affine(angle): must be a number of degrees. Received {angle!r}.")
    if not isinstance(translate, (list, tuple)) or len(translate) != 2:
        error = ValueError if isinstance(translate, (list, tuple)) else TypeError
        raise error(f"affine(translate): must be two numbers, (right, down). Received {translate!r}.")
    if not scale > 0:
        raise ValueError(f"affine(scale): must be positive. Received {scale!r}.")
    width, height = _get_image_size(img, "affine")
    middle = (0.5 * width, 0.5 * height)
    about = middle if center is None else tuple(center)
    if _is_tensor_image(img):  # its places are measured from the middle
        about = (about[0] - middle[0], about[1] - middle[1])
    return found.affine(img, affine_matrix(about, angle, translate, scale, _shear(shear)), interpolation, fill)


def _shear(shear: Any) -> tuple[float, float]:
    """For x and y."""
    if isinstance(shear, numbers.Number):
        return float(shear), 0.0  # type: ignore[arg-type]
    if not isinstance(shear, (list, tuple)) or len(shear) not in (1, 2):
        error = ValueError if isinstance(shear, (list, tuple)) else TypeError
        raise error(f"affine(shear): must be a number of degrees, or two, for x and y. Received {shear!r}.")
    return float(shear[0]), float(shear[-1])


def rotate(
    img: Any, angle: float, interpolation: str = "nearest", expand: bool = False,
    center: Sequence[float] | None = None, fill: Any = 0,
) -> Any:
    """The image turned by `angle` degrees against the clock, `fill` where it has no pixels.

    `expand` makes the result as large as the turned image. `center` is (x, y), by default the middle, which for arrays
    is the pixel (height / 2, width / 2), as in Paddle. `paddle.vision.transforms.rotate`.

    >>> import numpy as np
    >>> import proa as paddle
    >>> from proa.vision.transforms import rotate
    >>> rotate(paddle.to_tensor(np.arange(4.0, dtype="float32").reshape(1, 2, 2)), 90).tolist()
    [[[1.0, 3.0], [0.0, 2.0]]]
    """
    found = functions_for(img, "rotate")
    if not isinstance(angle, numbers.Number):
        raise TypeError(f"rotate(angle): must be a number of degrees. Received {angle!r}.")
    return found.rotate(img, angle, interpolation, expand, None if center is None else tuple(center), fill)


def perspective(
    img: Any, startpoints: Sequence[Sequence[float]], endpoints: Sequence[Sequence[float]],
    interpolation: str = "nearest", fill: Any = 0,
) -> Any:
    """The image tilted so that the four `startpoints` [x, y] come to the four `endpoints`, `fill` where it is not.

    `paddle.vision.transforms.perspective`.

    >>> import numpy as np
    >>> from proa.vision.transforms import perspective
    >>> corners, moved = [[0, 0], [2, 0], [2, 2], [0, 2]], [[1, 0], [3, 0], [3, 2], [1, 2]]
    >>> perspective(np.arange(1, 10).reshape(3, 3, 1), corners, moved)[0, :, 0].tolist()
    [0, 1, 2]
    """
    return functions_for(img, "perspective").perspective(img, startpoints, endpoints, interpolation, fill)


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """The luma of an image with red first, as one channel or three equal ones. `paddle.vision.transforms.to_grayscale`.

    >>> import numpy as np
    >>> from proa.vision.transforms import to_grayscale
    >>> to_grayscale(np.array([[[100, 0, 0]]], np.uint8))[0, 0].tolist()
    [30]
    """
    found = functions_for(img, "to_grayscale")
    if num_output_channels not in (1, 3):
        raise ValueError(f"to_grayscale(num_output_channels): must be 1 or 3. Received {num_output_channels!r}.")
    return found.to_grayscale(img, num_output_channels)


def normalize(img: Any, mean: Any, std: Any, data_format: str = "CHW", to_rgb: bool = False) -> Any:
    """(img - mean) / std, channel by channel, in float32; a Pillow image becomes an array.

    `data_format` says where the channels are, and counts for arrays and Pillow's images as well: those are "HWC"
    unless transposed. `to_rgb` reverses the channels of an array first. `paddle.vision.transforms.normalize`.

    >>> import numpy as np
    >>> from proa.vision.transforms import normalize
    >>> normalize(np.full((2, 2, 3), 255.0, np.float32), [127.5] * 3, [127.5] * 3, "HWC")[0, 0].tolist()
    [1.0, 1.0, 1.0]
    """
    if _is_pil_image(img):
        img = np.asarray(img, np.float32)
    if not isinstance(img, np.ndarray) and not _is_tensor_image(img):
        raise not_an_image(img, "normalize")
    from . import on_arrays, on_tensors

    found: Any = on_arrays if isinstance(img, np.ndarray) else on_tensors
    return found.normalize(img, mean, std, _checked_format(data_format, "normalize"), to_rgb)


def erase(img: Any, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Any:
    """The image with the rectangle of height `h` and width `w` at row `i`, column `j` set to `v`.

    `v` is a number or has the shape of the rectangle. `inplace` changes an array or a Tensor itself.
    `paddle.vision.transforms.erase`.

    >>> import numpy as np
    >>> from proa.vision.transforms import erase
    >>> erase(np.ones((2, 2, 1)), 0, 0, 1, 2, 5)[:, :, 0].tolist()
    [[5.0, 5.0], [1.0, 1.0]]
    """
    return functions_for(img, "erase").erase(img, i, j, h, w, v, inplace)

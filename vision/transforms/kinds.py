"""What an image is: a Pillow image, a NumPy array (height, width[, channels]) or a Tensor (channels, height, width).

Pillow is an extra: an image that is none of Pillow's needs no Pillow. Knows nothing of what is done to an image.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ...dygraph.tensor import Tensor
from ...static.ir.variable import Variable


def _is_pil_image(img: Any) -> bool:
    """True for an image of Pillow's."""
    pillow = sys.modules.get("PIL.Image")  # there are no such images before Pillow is imported
    return pillow is not None and isinstance(img, pillow.Image)


def _is_tensor_image(img: Any) -> bool:
    """True for a Tensor, and for a Variable of a Program."""
    return isinstance(img, (Tensor, Variable))


def _is_numpy_image(img: Any) -> bool:
    """True for an array of 2 or 3 dimensions."""
    return isinstance(img, np.ndarray) and img.ndim in (2, 3)


def not_an_image(img: Any, caller: str) -> TypeError:
    """The error for what is no image."""
    shape = f" of shape {list(img.shape)}" if hasattr(img, "shape") else ""
    return TypeError(f"{caller}(img): img must be a Pillow image, a NumPy array of 2 or 3 dimensions (height, width, "
                     f"channels) or a Tensor (channels, height, width). Received {type(img).__name__}{shape}.")


def _get_image_size(img: Any, caller: str = "transform") -> tuple[int, int]:
    """(width, height) of an image."""
    if _is_pil_image(img):
        return img.size
    if _is_numpy_image(img):
        return img.shape[1], img.shape[0]
    if not _is_tensor_image(img):
        raise not_an_image(img, caller)
    if len(img.shape) not in (3, 4):
        raise ValueError(f"{caller}(img): a Tensor image has the dimensions (channels, height, width), and a batch may "
                         f"come before them. Received img.shape={list(img.shape)}.")
    return img.shape[-1], img.shape[-2]


def chosen(table: dict[str, Any], name: str, caller: str) -> Any:
    """The entry for an interpolation; ValueError that lists the names."""
    if name not in table:
        raise ValueError(f"{caller}(interpolation): for this kind of image it must be one of {sorted(table)}. "
                         f"Received {name!r}.")
    return table[name]

"""A transform that erases a random rectangle."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ops.array.creation import to_tensor
from . import functional as F
from .base import RandomTransform
from .geometry import _ATTEMPTS, check_probability, check_range
from .kinds import _get_image_size
from .randomness import area_between, happens, noise, place_below, tensor_noise


class RandomErasing(RandomTransform):
    """A rectangle of the image erased, with probability `prob`.

    It has a share of `scale` of the area, and a ratio of height to width in `ratio`; where ten draws do not fit, the
    image stays. `value` is what stands there: a number, one a channel, or "random" for normal noise. "Random Erasing
    Data Augmentation", Zhong et al. 2017. `paddle.vision.transforms.RandomErasing`.

    >>> import numpy as np
    >>> from proa.vision.transforms import RandomErasing
    >>> int(RandomErasing(1.0, (0.25, 0.25), (1.0, 1.0))(np.ones((8, 8, 3), np.uint8)).sum())
    144
    """

    def __init__(self, prob: float = 0.5, scale: Sequence[float] = (0.02, 0.33), ratio: Sequence[float] = (0.3, 3.3),
                 value: Any = 0, inplace: bool = False, keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.prob = check_probability(prob, "RandomErasing(prob)")
        self.scale = check_range(scale, "RandomErasing(scale)", 0, 1)
        self.ratio = check_range(ratio, "RandomErasing(ratio)", low=1e-6)
        if not (value == "random" if isinstance(value, str) else isinstance(value, (numbers.Number, tuple, list))):
            raise ValueError(f"RandomErasing(value): must be a number, one a channel, or 'random'. Received {value!r}.")
        self.value = value
        self.inplace = inplace

    def _apply_image(self, image: Any) -> Any:
        if not happens(self.prob):
            return image
        width, height = _get_image_size(image, "RandomErasing")
        channels = _channels(image)
        if isinstance(self.value, (tuple, list)) and len(self.value) not in (1, channels):
            raise ValueError(f"RandomErasing(value): must be a number, or one for each of the image's {channels} "
                             f"channels. Received {self.value!r}.")
        for _ in range(_ATTEMPTS):
            area = area_between(*self.scale) * height * width
            ratio = math.exp(area_between(math.log(self.ratio[0]), math.log(self.ratio[1])))
            erased = int(round(math.sqrt(area * ratio))), int(round(math.sqrt(area / ratio)))
            if erased[0] < height and erased[1] < width:
                value = self._drawn(image, channels, *erased)
                top, left = place_below(height - erased[0] + 1), place_below(width - erased[1] + 1)
                return F.erase(image, top, left, *erased, value, self.inplace)
        return image

    def _drawn(self, image: Any, channels: int, height: int, width: int) -> Any:
        """What stands in the rectangle."""
        if F._is_tensor_image(image):
            if isinstance(self.value, str):
                return tensor_noise([channels, height, width]).astype(image.dtype)
            values = np.asarray(self.value, np.float64).reshape(-1, 1, 1)
            return to_tensor(values).astype(image.dtype)
        if isinstance(self.value, str):
            pixels = noise([height, width, channels]) * 255
            return pixels[..., 0] if F._is_numpy_image(image) and image.ndim == 2 else pixels
        return np.asarray(self.value)


def _channels(image: Any) -> int:
    if F._is_pil_image(image):
        return len(image.getbands())
    if F._is_tensor_image(image):
        return image.shape[-3]
    return 1 if image.ndim == 2 else image.shape[2]

"""Transforms that change an image's colours at random."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from . import functional as F
from .base import Compose, RandomTransform
from .randomness import between, shuffled


def _factors(value: Any, name: str, middle: float, low: float, high: float) -> list[float] | None:
    """The range of factors that `value` means, a distance from the middle or (lowest, highest); None: no change."""
    if isinstance(value, numbers.Number):
        if value < 0 or middle + value > high:  # type: ignore[operator]
            raise ValueError(f"{name}: a single number must not be negative, and at most {high - middle}. "
                             f"Received {value!r}.")
        ends = [max(middle - value, low), middle + value]  # type: ignore[operator]
    elif isinstance(value, (tuple, list)) and len(value) == 2:
        ends = list(value)
        if not low <= ends[0] <= ends[1] <= high:
            raise ValueError(f"{name}: two numbers are the lowest and the highest factor, between {low} and {high}. "
                             f"Received {value!r}.")
    else:
        raise TypeError(f"{name}: must be a number, or two: (lowest, highest). Received {value!r}.")
    return None if ends[0] == ends[1] == middle else ends


def _check_input(value: Any, name: str, center: float = 1, bound: tuple[float, float] = (0, float("inf")),
                 clip_first_on_zero: bool = True) -> Any:
    """The range that `value` means, as transforms that users write ask for it; None: no change."""
    return _factors(value, name, center, *bound)


class _Colour(RandomTransform):
    """One property, changed by a factor that is drawn from `self.value`."""

    _name, _middle, _low, _high = "", 1.0, 0.0, float("inf")

    def __init__(self, value: Any, keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.value = _factors(value, f"{type(self).__name__}(value)", self._middle, self._low, self._high)

    def _apply_image(self, image: Any) -> Any:
        if self.value is None:
            return image
        return getattr(F, self._name)(image, between(*self.value))


class BrightnessTransform(_Colour):
    """The brightness times a factor of [max(0, 1 - value), 1 + value], or of [value[0], value[1]].

    `paddle.vision.transforms.BrightnessTransform`.

    >>> import numpy as np
    >>> from proa.vision.transforms import BrightnessTransform
    >>> BrightnessTransform((0.5, 0.5))(np.full((1, 1, 3), 100, np.uint8))[0, 0].tolist()
    [50, 50, 50]
    """

    _name = "adjust_brightness"


class ContrastTransform(_Colour):
    """The contrast times a factor of [max(0, 1 - value), 1 + value], or of [value[0], value[1]].

    `paddle.vision.transforms.ContrastTransform`.

    >>> import numpy as np
    >>> from proa.vision.transforms import ContrastTransform
    >>> ContrastTransform((2.0, 2.0))(np.full((1, 1, 3), 100, np.uint8))[0, 0].tolist()
    [126, 126, 126]
    """

    _name = "adjust_contrast"


class SaturationTransform(_Colour):
    """The saturation times a factor of [max(0, 1 - value), 1 + value], or of [value[0], value[1]].

    `paddle.vision.transforms.SaturationTransform`.

    >>> import numpy as np
    >>> from proa.vision.transforms import SaturationTransform
    >>> SaturationTransform(0.4)(np.full((1, 1, 3), 100, np.uint8)).shape
    (1, 1, 3)
    """

    _name = "adjust_saturation"


class HueTransform(_Colour):
    """The hue moved by a part of a turn of [-value, value], or of [value[0], value[1]]; at most 0.5 each way.

    `paddle.vision.transforms.HueTransform`.

    >>> import numpy as np
    >>> from proa.vision.transforms import HueTransform
    >>> HueTransform(0.4)(np.full((1, 1, 3), 100, np.uint8))[0, 0].tolist()
    [100, 100, 100]
    """

    _name, _middle, _low, _high = "adjust_hue", 0.0, -0.5, 0.5


class ColorJitter(RandomTransform):
    """Brightness, contrast, saturation and hue changed at random, in random order.

    Each argument is the `value` of that property's transform; 0 leaves it. `paddle.vision.transforms.ColorJitter`.

    >>> import numpy as np
    >>> from proa.vision.transforms import ColorJitter
    >>> ColorJitter(0.4, 0.4, 0.4, 0.1)(np.full((2, 2, 3), 100, np.uint8)).shape
    (2, 2, 3)
    """

    def __init__(self, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0,
                 keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.brightness, self.contrast, self.saturation, self.hue = brightness, contrast, saturation, hue
        values = {BrightnessTransform: brightness, ContrastTransform: contrast, SaturationTransform: saturation,
                  HueTransform: hue}
        self._parts = [kind(value, self.keys) for kind, value in values.items() if value is not None]

    def _apply_image(self, image: Any) -> Any:
        return Compose([part._apply_image for part in shuffled(self._parts)])(image)

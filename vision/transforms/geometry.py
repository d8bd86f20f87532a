"""Transforms of an image's geometry at random: RandomCrop, RandomResizedCrop, RandomRotation, …"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

from . import functional as F
from .base import RandomTransform
from .kinds import _get_image_size
from .randomness import area_between, between, happens, whole

_ATTEMPTS = 10


def check_probability(prob: float, name: str) -> float:
    """The number; ValueError unless it is from 0 to 1."""
    if not 0 <= prob <= 1:
        raise ValueError(f"{name}: must be from 0 to 1. Received {prob!r}.")
    return prob


def check_range(ends: Any, name: str, low: float = 0.0, high: float = float("inf")) -> Any:
    """(lowest, highest); ValueError unless they are in order and between `low` and `high`."""
    if not isinstance(ends, (list, tuple)) or len(ends) != 2 or not low <= ends[0] <= ends[1] <= high:
        raise ValueError(f"{name}: must be two numbers (lowest, highest) from {low} to {high}. Received {ends!r}.")
    return ends


class RandomHorizontalFlip(RandomTransform):
    """Left and right exchanged with probability `prob`. `paddle.vision.transforms.RandomHorizontalFlip`.

    >>> import numpy as np
    >>> from proa.vision.transforms import RandomHorizontalFlip
    >>> RandomHorizontalFlip(1.0)(np.arange(2).reshape(1, 2, 1))[:, :, 0].tolist()
    [[1, 0]]
    """

    def __init__(self, prob: float = 0.5, keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.prob = check_probability(prob, "RandomHorizontalFlip(prob)")

    def _apply_image(self, image: Any) -> Any:
        return F.hflip(image) if happens(self.prob) else image


class RandomVerticalFlip(RandomTransform):
    """Top and bottom exchanged with probability `prob`. `paddle.vision.transforms.RandomVerticalFlip`.

    >>> import numpy as np
    >>> from proa.vision.transforms import RandomVerticalFlip
    >>> RandomVerticalFlip(1.0)(np.arange(2).reshape(2, 1, 1))[:, 0, 0].tolist()
    [1, 0]
    """

    def __init__(self, prob: float = 0.5, keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.prob = check_probability(prob, "RandomVerticalFlip(prob)")

    def _apply_image(self, image: Any) -> Any:
        return F.vflip(image) if happens(self.prob) else image


class RandomCrop(RandomTransform):
    """A part of (height, width), or a square, from anywhere in the image. `paddle.vision.transforms.RandomCrop`.

    `padding` is put around the image first, as `pad` does; with `pad_if_needed` a side that is too short then grows.
    ValueError where the image is smaller than the part.

    >>> import numpy as np
    >>> from proa.vision.transforms import RandomCrop
    >>> RandomCrop(4, padding=1)(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 4, 3)
    """

    def __init__(self, size: Any, padding: Any = None, pad_if_needed: bool = False, fill: Any = 0,
                 padding_mode: str = "constant", keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.size = F._pair(size, "RandomCrop(size)")
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    def _apply_image(self, image: Any) -> Any:
        image = self._padded(image)
        width, height = _get_image_size(image, "RandomCrop")
        new_height, new_width = self.size
        if (height, width) == (new_height, new_width):
            return F.crop(image, 0, 0, height, width)
        if new_height > height or new_width > width:
            raise ValueError(f"RandomCrop(size): must not exceed the image. Received {self.size} for an image of "
                             f"height {height} and width {width}. Did you mean pad_if_needed=True?")
        top, left = whole(0, height - new_height), whole(0, width - new_width)
        return F.crop(image, top, left, new_height, new_width)

    def _padded(self, image: Any) -> Any:
        if self.padding is not None:
            image = F.pad(image, self.padding, self.fill, self.padding_mode)
        if self.pad_if_needed:
            width, height = _get_image_size(image, "RandomCrop")
            short = (max(self.size[1] - width, 0), max(self.size[0] - height, 0))
            image = F.pad(image, short, self.fill, self.padding_mode) if any(short) else image
        return image


class RandomResizedCrop(RandomTransform):
    """A random part of the image, scaled to `size`: (height, width) or a square.

    The part has a share of `scale` of the image's area and a ratio of width to height in `ratio`; where ten draws do
    not fit, the largest middle part whose ratio is allowed. `paddle.vision.transforms.RandomResizedCrop`.

    >>> import numpy as np
    >>> from proa.vision.transforms import RandomResizedCrop
    >>> RandomResizedCrop(8)(np.zeros((20, 30, 3), np.uint8)).shape
    (8, 8, 3)
    """

    def __init__(self, size: Any, scale: Sequence[float] = (0.08, 1.0), ratio: Sequence[float] = (3.0 / 4, 4.0 / 3),
                 interpolation: str = "bilinear", keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.size = F._pair(size, "RandomResizedCrop(size)")
        self.scale = check_range(scale, "RandomResizedCrop(scale)")
        self.ratio = check_range(ratio, "RandomResizedCrop(ratio)", low=1e-6)
        self.interpolation = interpolation

    def _apply_image(self, image: Any) -> Any:
        width, height = _get_image_size(image, "RandomResizedCrop")
        part = F.crop(image, *(self._drawn(width, height) or self._middle(width, height)))
        return F.resize(part, self.size, self.interpolation)

    def _drawn(self, width: int, height: int) -> tuple[int, int, int, int] | None:
        """Top, left, height and width, or None where no draw fits."""
        for _ in range(_ATTEMPTS):
            area = area_between(*self.scale) * height * width
            ratio = math.exp(area_between(math.log(self.ratio[0]), math.log(self.ratio[1])))
            new_width, new_height = int(round(math.sqrt(area * ratio))), int(round(math.sqrt(area / ratio)))
            if 0 < new_width <= width and 0 < new_height <= height:
                return whole(0, height - new_height), whole(0, width - new_width), new_height, new_width
        return None

    def _middle(self, width: int, height: int) -> tuple[int, int, int, int]:
        lowest, highest = self.ratio
        new_width, new_height = width, height
        if width / height < lowest:
            new_height = int(round(width / lowest))
        elif width / height > highest:
            new_width = int(round(height * highest))
        return (height - new_height) // 2, (width - new_width) // 2, new_height, new_width


class RandomRotation(RandomTransform):
    """The image turned by an angle of [-degrees, degrees], or of [degrees[0], degrees[1]], against the clock.

    The other arguments are those of `rotate`. `paddle.vision.transforms.RandomRotation`.

    >>> import numpy as np
    >>> from proa.vision.transforms import RandomRotation
    >>> RandomRotation(30, expand=False)(np.zeros((4, 5, 3), np.uint8)).shape
    (4, 5, 3)
    """

    def __init__(self, degrees: Any, interpolation: str = "nearest", expand: bool = False, center: Any = None,
                 fill: Any = 0, keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.degrees = _angles(degrees, "RandomRotation(degrees)")
        self.interpolation = interpolation
        self.expand = expand
        if center is not None and len(center) != 2:
            raise ValueError(f"{type(self).__name__}(center): must be two numbers. Received {center!r}.")
        self.center = center
        self.fill = fill

    def _apply_image(self, image: Any) -> Any:
        angle = between(self.degrees[0], self.degrees[1])
        return F.rotate(image, angle, self.interpolation, self.expand, self.center, self.fill)


def _angles(degrees: Any, name: str, counts: Sequence[int] = (2,)) -> list[float]:
    """The lowest and the highest angle; of a shear perhaps for x and y."""
    if isinstance(degrees, numbers.Number):
        if degrees < 0:  # type: ignore[operator]
            raise ValueError(f"{name}: a single number must not be negative. Received {degrees!r}.")
        return [-float(degrees), float(degrees)]  # type: ignore[arg-type]
    if not isinstance(degrees, Sequence) or len(degrees) not in counts:
        raise ValueError(f"{name}: must be a number, or {' or '.join(map(str, counts))} of them. Received {degrees!r}.")
    return [float(angle) for angle in degrees]


class RandomAffine(RandomTransform):
    """The image turned, moved, scaled and sheared at random, as `affine` does.

    An angle of `degrees`; a shift of at most `translate` (x, y) of the sides, in whole pixels; a factor of `scale`
    (lowest, highest); a `shear` of x (a number, or two), or of x and y (four). None: nothing of it.
    `paddle.vision.transforms.RandomAffine`.

    >>> import numpy as np
    >>> from proa.vision.transforms import RandomAffine
    >>> RandomAffine(10, translate=(0.1, 0.1), scale=(0.9, 1.1), shear=5)(np.zeros((8, 8, 3), np.uint8)).shape
    (8, 8, 3)
    """

    def __init__(self, degrees: Any, translate: Any = None, scale: Any = None, shear: Any = None,
                 interpolation: str = "nearest", fill: Any = 0, center: Any = None, keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.degrees = _angles(degrees, "RandomAffine(degrees)")
        self.translate = translate
        if translate is not None and (len(translate) != 2 or not all(0 <= part <= 1 for part in translate)):
            raise ValueError(f"RandomAffine(translate): must be two parts of the sides, each from 0 to 1. "
                             f"Received {translate!r}.")
        self.scale = None if scale is None else check_range(scale, "RandomAffine(scale)", low=1e-12)
        self.shear = None if shear is None else _angles(shear, "RandomAffine(shear)", (2, 4))
        self.interpolation = interpolation
        self.fill = 0 if fill is None else fill
        if center is not None and len(center) != 2:
            raise ValueError(f"{type(self).__name__}(center): must be two numbers. Received {center!r}.")
        self.center = center

    def _apply_image(self, image: Any) -> Any:
        size = _get_image_size(image, "RandomAffine")
        angle = between(*self.degrees)
        moved = [0, 0]
        if self.translate is not None:
            moved = [int(between(-part * side, part * side)) for part, side in zip(self.translate, size, strict=True)]
        scale = 1.0 if self.scale is None else between(*self.scale)
        shear = [0.0, 0.0]
        for axis in range(len(self.shear or ()) // 2):
            shear[axis] = between(*self.shear[2 * axis : 2 * axis + 2])  # type: ignore[index]
        return F.affine(image, angle, moved, scale, shear, self.interpolation, self.fill, self.center)


class RandomPerspective(RandomTransform):
    """The image tilted with probability `prob`: each corner moves inwards, at most `distortion_scale` of half a side.

    `interpolation` and `fill` are those of `perspective`. `paddle.vision.transforms.RandomPerspective`.

    >>> import numpy as np
    >>> from proa.vision.transforms import RandomPerspective
    >>> RandomPerspective(1.0)(np.zeros((8, 8, 3), np.uint8)).shape
    (8, 8, 3)
    """

    def __init__(self, prob: float = 0.5, distortion_scale: float = 0.5, interpolation: str = "nearest", fill: Any = 0,
                 keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.prob = check_probability(prob, "RandomPerspective(prob)")
        self.distortion_scale = check_probability(distortion_scale, "RandomPerspective(distortion_scale)")
        self.interpolation = interpolation
        self.fill = fill

    def get_params(self, width: int, height: int, distortion_scale: float) -> tuple[list[Any], list[Any]]:
        """Corners as they are, and as they are drawn: four points [x, y] each, from the upper left one clockwise."""
        across, down = int(distortion_scale * (width // 2)), int(distortion_scale * (height // 2))
        left, right = (0, across + 1), (width - across - 1, width)
        upper, lower = (0, down + 1), (height - down - 1, height)
        corners = ((left, upper), (right, upper), (right, lower), (left, lower))
        startpoints = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
        return startpoints, [[int(between(*x)), int(between(*y))] for x, y in corners]

    def _apply_image(self, image: Any) -> Any:
        width, height = _get_image_size(image, "RandomPerspective")
        if not happens(self.prob):
            return image
        startpoints, endpoints = self.get_params(width, height, self.distortion_scale)
        return F.perspective(image, startpoints, endpoints, self.interpolation, self.fill)

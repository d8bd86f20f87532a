"""Transforms that do the same to every image. They keep their arguments and call `functional`."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import functional as F
from .base import BaseTransform


class ToTensor(BaseTransform):
    """Images as Tensors: bytes become float32 from 0 to 1. `paddle.vision.transforms.ToTensor`.

    >>> import numpy as np
    >>> from proa.vision.transforms import ToTensor
    >>> ToTensor()(np.zeros((4, 5, 3), np.uint8)).shape
    [3, 4, 5]
    """

    def __init__(self, data_format: str = "CHW", keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.data_format = data_format

    def _apply_image(self, image: Any) -> Any:
        return F.to_tensor(image, self.data_format)


class Resize(BaseTransform):
    """Images scaled to (height, width), or with a number for the shorter side. `paddle.vision.transforms.Resize`.

    >>> import numpy as np
    >>> from proa.vision.transforms import Resize
    >>> Resize((2, 3))(np.zeros((4, 5, 3), np.uint8)).shape
    (2, 3, 3)
    """

    def __init__(self, size: Any, interpolation: str = "bilinear", keys: Sequence[str] | None = None):
        super().__init__(keys)
        F._pair(size, "Resize(size)")
        self.size = size
        self.interpolation = interpolation

    def _apply_image(self, image: Any) -> Any:
        return F.resize(image, self.size, self.interpolation)


class CenterCrop(BaseTransform):
    """The middle of images, (height, width) or a square. `paddle.vision.transforms.CenterCrop`.

    >>> import numpy as np
    >>> from proa.vision.transforms import CenterCrop
    >>> CenterCrop(2)(np.zeros((4, 5, 3), np.uint8)).shape
    (2, 2, 3)
    """

    def __init__(self, size: Any, keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.size = F._pair(size, "CenterCrop(size)")

    def _apply_image(self, image: Any) -> Any:
        return F.center_crop(image, self.size)


class Normalize(BaseTransform):
    """(image - mean) / std, channel by channel; a number stands for three. `paddle.vision.transforms.Normalize`.

    >>> import numpy as np
    >>> from proa.vision.transforms import Normalize
    >>> Normalize(127.5, 127.5, "HWC")(np.zeros((2, 2, 3), np.uint8))[0, 0].tolist()
    [-1.0, -1.0, -1.0]
    """

    def __init__(self, mean: Any = 0.0, std: Any = 1.0, data_format: str = "CHW", to_rgb: bool = False,
                 keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.mean = [mean] * 3 if isinstance(mean, numbers.Number) else mean
        self.std = [std] * 3 if isinstance(std, numbers.Number) else std
        self.data_format = data_format
        self.to_rgb = to_rgb

    def _apply_image(self, image: Any) -> Any:
        return F.normalize(image, self.mean, self.std, self.data_format, self.to_rgb)


class Transpose(BaseTransform):
    """The dimensions of images in another order; a Pillow image becomes an array, two dimensions become three.

    By default (height, width, channels) becomes (channels, height, width). `paddle.vision.transforms.Transpose`.

    >>> import numpy as np
    >>> from proa.vision.transforms import Transpose
    >>> Transpose()(np.zeros((4, 5))).shape
    (1, 4, 5)
    """

    def __init__(self, order: Sequence[int] = (2, 0, 1), keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.order = order

    def _apply_image(self, image: Any) -> Any:
        if F._is_pil_image(image):
            image = np.asarray(image)
        if isinstance(image, np.ndarray) and image.ndim == 2:
            image = image[..., np.newaxis]
        if not isinstance(image, np.ndarray) and not F._is_tensor_image(image):
            raise F.not_an_image(image, "Transpose")
        return image.transpose(list(self.order))


class Pad(BaseTransform):
    """Pixels around images, as `pad` does. `paddle.vision.transforms.Pad`.

    >>> import numpy as np
    >>> from proa.vision.transforms import Pad
    >>> Pad(2)(np.zeros((4, 5, 3), np.uint8)).shape
    (8, 9, 3)
    """

    def __init__(self, padding: Any, fill: Any = 0, padding_mode: str = "constant", keys: Sequence[str] | None = None):
        super().__init__(keys)
        F._sides(padding)
        if not isinstance(fill, (numbers.Number, str, list, tuple)):
            raise TypeError(f"Pad(fill): must be a number, one a channel, or a colour's name. Received {fill!r}.")
        if padding_mode not in F._PADDING_MODES:
            raise ValueError(f"Pad(padding_mode): must be one of {list(F._PADDING_MODES)}. Received {padding_mode!r}.")
        self.padding = tuple(padding) if isinstance(padding, list) else padding
        self.fill = tuple(fill) if isinstance(fill, list) else fill
        self.padding_mode = padding_mode

    def _apply_image(self, image: Any) -> Any:
        return F.pad(image, self.padding, self.fill, self.padding_mode)


class Grayscale(BaseTransform):
    """The luma of images, as one channel or three equal ones. `paddle.vision.transforms.Grayscale`.

    >>> import numpy as np
    >>> from proa.vision.transforms import Grayscale
    >>> Grayscale(3)(np.zeros((4, 5, 3), np.uint8)).shape
    (4, 5, 3)
    """

    def __init__(self, num_output_channels: int = 1, keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.num_output_channels = num_output_channels

    def _apply_image(self, image: Any) -> Any:
        return F.to_grayscale(image, self.num_output_channels)

"""The classes of `paddle.vision.transforms`, under the name of Paddle's module."""

from .base import BaseTransform, Compose
from .colours import (
    BrightnessTransform,
    ColorJitter,
    ContrastTransform,
    HueTransform,
    SaturationTransform,
    _check_input,
)
from .erasing import RandomErasing
from .geometry import (
    RandomAffine,
    RandomCrop,
    RandomHorizontalFlip,
    RandomPerspective,
    RandomResizedCrop,
    RandomRotation,
    RandomVerticalFlip,
)
from .kinds import _get_image_size
from .plain import CenterCrop, Grayscale, Normalize, Pad, Resize, ToTensor, Transpose

__all__ = [
    "BaseTransform", "BrightnessTransform", "CenterCrop", "ColorJitter", "Compose", "ContrastTransform", "Grayscale",
    "HueTransform", "Normalize", "Pad", "RandomAffine", "RandomCrop", "RandomErasing", "RandomHorizontalFlip",
    "RandomPerspective", "RandomResizedCrop", "RandomRotation", "RandomVerticalFlip", "Resize", "SaturationTransform",
    "ToTensor", "Transpose", "_check_input", "_get_image_size",
]

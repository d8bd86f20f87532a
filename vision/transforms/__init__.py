"""Preparing and varying images, as classes and as functions: `paddle.vision.transforms`. Knows nothing of datasets."""

from ...core.absent import asked_of
from . import functional, transforms
from .functional import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
    affine,
    center_crop,
    crop,
    erase,
    hflip,
    normalize,
    pad,
    perspective,
    resize,
    rotate,
    to_grayscale,
    to_tensor,
    vflip,
)
from .transforms import (
    BaseTransform,
    BrightnessTransform,
    CenterCrop,
    ColorJitter,
    Compose,
    ContrastTransform,
    Grayscale,
    HueTransform,
    Normalize,
    Pad,
    RandomAffine,
    RandomCrop,
    RandomErasing,
    RandomHorizontalFlip,
    RandomPerspective,
    RandomResizedCrop,
    RandomRotation,
    RandomVerticalFlip,
    Resize,
    SaturationTransform,
    ToTensor,
    Transpose,
)

__all__ = [
    "BaseTransform", "BrightnessTransform", "CenterCrop", "ColorJitter", "Compose", "ContrastTransform", "Grayscale",
    "HueTransform", "Normalize", "Pad", "RandomAffine", "RandomCrop", "RandomErasing", "RandomHorizontalFlip",
    "RandomPerspective", "RandomResizedCrop", "RandomRotation", "RandomVerticalFlip", "Resize", "SaturationTransform",
    "ToTensor", "Transpose", "adjust_brightness", "adjust_contrast", "adjust_hue", "affine", "center_crop", "crop",
    "erase", "hflip", "normalize", "pad", "perspective", "resize", "rotate", "to_grayscale", "to_tensor", "vflip",
]
__getattr__ = asked_of(__name__)

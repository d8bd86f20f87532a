"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.vision.transforms`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import functional as functional, transforms as transforms
from proa.vision.transforms.base import BaseTransform as BaseTransform, Compose as Compose
from proa.vision.transforms.colours import BrightnessTransform as BrightnessTransform, ColorJitter as ColorJitter, ContrastTransform as ContrastTransform, HueTransform as HueTransform, SaturationTransform as SaturationTransform
from proa.vision.transforms.erasing import RandomErasing as RandomErasing
from proa.vision.transforms.functional import adjust_brightness as adjust_brightness, adjust_contrast as adjust_contrast, adjust_hue as adjust_hue, affine as affine, center_crop as center_crop, crop as crop, erase as erase, hflip as hflip, normalize as normalize, pad as pad, perspective as perspective, resize as resize, rotate as rotate, to_grayscale as to_grayscale, to_tensor as to_tensor, vflip as vflip
from proa.vision.transforms.geometry import RandomAffine as RandomAffine, RandomCrop as RandomCrop, RandomHorizontalFlip as RandomHorizontalFlip, RandomPerspective as RandomPerspective, RandomResizedCrop as RandomResizedCrop, RandomRotation as RandomRotation, RandomVerticalFlip as RandomVerticalFlip
from proa.vision.transforms.plain import CenterCrop as CenterCrop, Grayscale as Grayscale, Normalize as Normalize, Pad as Pad, Resize as Resize, ToTensor as ToTensor, Transpose as Transpose


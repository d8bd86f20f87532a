"""`paddle.incubate.hapi.vision.transforms`: an image's colours changed at random."""

from ....vision.transforms import BrightnessTransform, ColorJitter, ContrastTransform, HueTransform, SaturationTransform

__all__ = ["BrightnessTransform", "ColorJitter", "ContrastTransform", "HueTransform", "SaturationTransform"]

"""Padding and images of other sizes, as modules."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..job_form import also_function
from ..module import Module
from ..pixel_shuffle import pixel_shuffle


class _Pad(Module):
    count: int
    mode = "constant"

    def __init__(self, padding: Any, value: Any = 0):
        super().__init__()
        self.padding = (padding,) * self.count if isinstance(padding, int) else tuple(padding)
        self.value = value

    def forward(self, x: Any) -> Any:
        """x with values around it."""
        return F.pad(x, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        """Its setting."""
        return f"{self.padding}"


class ConstantPad1d(_Pad):
    """A number at both ends."""

    count = 2


class ConstantPad2d(_Pad):
    """A number around an image: `padding` is (left, right, top, bottom), or one number for all."""

    count = 4


class ConstantPad3d(_Pad):
    """A number around a volume."""

    count = 6


class ZeroPad2d(_Pad):
    """Zeros around an image."""

    count = 4


class ReflectionPad1d(_Pad):
    """The signal mirrored at both ends."""

    count, mode = 2, "reflect"


class ReflectionPad2d(_Pad):
    """The image mirrored at its edges."""

    count, mode = 4, "reflect"


class ReplicationPad1d(_Pad):
    """The outermost values repeated at both ends."""

    count, mode = 2, "replicate"


class ReplicationPad2d(_Pad):
    """The outermost values repeated around an image."""

    count, mode = 4, "replicate"


class Upsample(Module):
    """Images of another size."""

    def __init__(self, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
                 align_corners: bool | None = None):
        super().__init__()
        self.size, self.scale_factor, self.mode, self.align_corners = size, scale_factor, mode, align_corners

    def forward(self, x: Any) -> Any:
        """The image in its new size."""
        return F.interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners)

    def extra_repr(self) -> str:
        """Its settings."""
        how = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{how}, mode={self.mode}"


class UpsamplingNearest2d(Upsample):
    """Upsample by the nearest pixel."""

    def __init__(self, size: Any = None, scale_factor: Any = None):
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """Upsample between four pixels, the corners staying where they are."""

    def __init__(self, size: Any = None, scale_factor: Any = None):
        super().__init__(size, scale_factor, "bilinear", True)


@also_function(pixel_shuffle, 1)
class PixelShuffle(Module):
    """Channels laid out as an image."""

    def __init__(self, upscale_factor: int | None = None, h_upscale_factor: int | None = None,
                 w_upscale_factor: int | None = None):
        super().__init__()
        height, width = h_upscale_factor or upscale_factor, w_upscale_factor or upscale_factor
        if height is None or width is None:
            raise ValueError("PixelShuffle(upscale_factor): must be given, or h_upscale_factor and w_upscale_factor.")
        self.factors = height, width

    def forward(self, x: Any) -> Any:
        """[N, C * h * w, H, W] gives [N, C, H * h, W * w]."""
        height, width = self.factors
        if height == width:
            return F.pixel_shuffle(x, height)
        n, c, rows, columns = x.shape
        parts = x.reshape(n, c // (height * width), height, width, rows, columns).permute(0, 1, 4, 2, 5, 3)
        return parts.reshape(n, c // (height * width), rows * height, columns * width)

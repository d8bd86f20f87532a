"""Resizing of signals, images and volumes."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..layer import Layer


class _Resized(Layer):
    """What the resizing layers share."""

    __shows_its_name__ = True

    size: Any
    scale_factor: Any
    data_format: str

    def _target(self) -> str:
        return f"scale_factor={self.scale_factor}" if self.scale_factor is not None else f"size={self.size}"


class Upsample(_Resized):
    """Its input resized to `size` or by `scale_factor`: see `nn.functional.interpolate`.

    >>> import proa as paddle
    >>> paddle.nn.Upsample(scale_factor=2)(paddle.ones([1, 3, 4, 5])).shape
    [1, 3, 8, 10]
    """

    def __init__(self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool = False,
                 align_mode: int = 0, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        self.name = name
        self.size, self.scale_factor, self.mode = size, scale_factor, mode.lower()
        self.align_corners, self.align_mode, self.data_format = align_corners, align_mode, data_format

    def forward(self, x: Any) -> Any:
        """The resized input."""
        return F.interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners, self.align_mode,
                             self.data_format)

    def extra_repr(self) -> str:
        """The settings."""
        return (f"{self._target()}, mode={self.mode}, align_corners={self.align_corners}, "
                f"align_mode={self.align_mode}, data_format={self.data_format}")


class _Upsampling2D(_Resized):
    """Images resized in the one way that a subclass says."""

    _mode: str
    _align_corners: bool

    def __init__(self, size: Any = None, scale_factor: Any = None, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        self.name = name
        self.size = [size, size] if isinstance(size, int) else size
        self.scale_factor, self.data_format = scale_factor, data_format

    def forward(self, x: Any) -> Any:
        """The resized images."""
        return F.interpolate(x, self.size, self.scale_factor, self._mode, self._align_corners, 0, self.data_format)

    def extra_repr(self) -> str:
        """The settings."""
        return f"{self._target()}, data_format={self.data_format}"


class UpsamplingNearest2D(_Upsampling2D):
    """Images [N, C, H, W] resized, each place having the nearest element.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[[[1.0, 2.0]]]])
    >>> paddle.nn.UpsamplingNearest2D(scale_factor=2)(x).tolist()
    [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]
    """

    _mode, _align_corners = "nearest", False


class UpsamplingBilinear2D(_Upsampling2D):
    """Images [N, C, H, W] resized linearly in both dimensions, corners staying corners.

    >>> import proa as paddle
    >>> paddle.nn.UpsamplingBilinear2D(scale_factor=2)(paddle.ones([1, 3, 4, 4])).shape
    [1, 3, 8, 8]
    """

    _mode, _align_corners = "bilinear", True

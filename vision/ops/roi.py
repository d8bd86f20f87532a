"""Regions of images (RoI) brought to one size, as functions and as layers: roi_align, roi_pool, psroi_pool."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...ops.core.trace import apply
from ...ops.vision.roi import psroi_pool_op, roi_align_op, roi_pool_op


def _bins(what: str, output_size: Any) -> dict[str, int]:
    height, width = (output_size, output_size) if isinstance(output_size, int) else output_size
    if height < 1 or width < 1:
        raise ValueError(f"{what}(output_size): must be positive. Received {output_size!r}.")
    return {"pooled_height": height, "pooled_width": width}


def roi_align(x: Any, boxes: Any, boxes_num: Any, output_size: Any, spatial_scale: float = 1.0,
              sampling_ratio: int = -1, aligned: bool = True, name: str | None = None) -> Any:
    """Regions of x [N, C, H, W] as [R, C, *output_size], each bin the mean of interpolated samples.

    boxes [R, 4] are (left, top, right, bottom), in order of the images, of which each has boxes_num [N], int32;
    `spatial_scale` brings them to the elements of x. A bin has sampling_ratio samples along each side, or by default as
    many as elements. `aligned` takes coordinates as those of the elements' edges.
    He et al., Mask R-CNN, 2017.

    >>> import proa as paddle
    >>> x = paddle.arange(16.0).reshape([1, 1, 4, 4])
    >>> boxes, count = paddle.to_tensor([[1.0, 1.0, 3.0, 3.0]]), paddle.to_tensor([1], "int32")
    >>> paddle.vision.ops.roi_align(x, boxes, count, 2).tolist()
    [[[[5.0, 6.0], [9.0, 10.0]]]]
    """
    return apply(roi_align_op, x, boxes, boxes_num, [], spatial_scale=spatial_scale, sampling_ratio=sampling_ratio,
                 aligned=aligned, **_bins("roi_align", output_size))


def roi_pool(x: Any, boxes: Any, boxes_num: Any, output_size: Any, spatial_scale: float = 1.0,
             name: str | None = None) -> Any:
    """Regions of x [N, C, H, W] as [R, C, *output_size], each bin its largest element; the rest as in `roi_align`.

    Girshick, Fast R-CNN, 2015.

    >>> import proa as paddle
    >>> boxes = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]])
    >>> paddle.vision.ops.roi_pool(paddle.ones([1, 3, 8, 8]), boxes, paddle.to_tensor([1], "int32"), 2).shape
    [1, 3, 2, 2]
    """
    return apply(roi_pool_op, x, boxes, boxes_num, [], spatial_scale=spatial_scale,
                 **_bins("roi_pool", output_size))[0]


def psroi_pool(x: Any, boxes: Any, boxes_num: Any, output_size: Any, spatial_scale: float = 1.0,
               name: str | None = None) -> Any:
    """Regions of x [N, C * h * w, H, W] as [R, C, h, w]: a bin is the mean of its own channel; else as `roi_align`.

    Dai et al., R-FCN: Object Detection via Region-based Fully Convolutional Networks, 2016.

    >>> import proa as paddle
    >>> boxes = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]])
    >>> paddle.vision.ops.psroi_pool(paddle.ones([1, 8, 8, 8]), boxes, paddle.to_tensor([1], "int32"), 2).shape
    [1, 2, 2, 2]
    """
    bins = _bins("psroi_pool", output_size)
    count = bins["pooled_height"] * bins["pooled_width"]
    if len(x.shape) != 4 or x.shape[1] < 0 or x.shape[1] % count:
        raise ValueError(f"psroi_pool(x, output_size): x must have the shape [N, C * {count}, H, W], C being known. "
                         f"Received x.shape={list(x.shape)}.")
    return apply(psroi_pool_op, x, boxes, boxes_num, [], spatial_scale=spatial_scale,
                 output_channels=x.shape[1] // count, **bins)


class _Regions(nn.Layer):
    """What the layers share: the size of the result, and the scale of the boxes."""

    def __init__(self, output_size: Any, spatial_scale: float = 1.0):
        super().__init__()
        self._output_size, self._spatial_scale = output_size, spatial_scale

    def extra_repr(self) -> str:
        """The settings."""
        return f"output_size={self._output_size}, spatial_scale={self._spatial_scale}"


class RoIAlign(_Regions):
    """`roi_align` as a layer.

    >>> import proa as paddle
    >>> boxes = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]])
    >>> paddle.vision.ops.RoIAlign(2)(paddle.ones([1, 3, 8, 8]), boxes, paddle.to_tensor([1], "int32")).shape
    [1, 3, 2, 2]
    """

    def forward(self, x: Any, boxes: Any, boxes_num: Any, aligned: bool = True) -> Any:
        """[N, C, H, W], [R, 4] and [N] to [R, C, *output_size]."""
        return roi_align(x, boxes, boxes_num, self._output_size, self._spatial_scale, aligned=aligned)


class RoIPool(_Regions):
    """`roi_pool` as a layer.

    >>> import proa as paddle
    >>> boxes = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]])
    >>> paddle.vision.ops.RoIPool(2)(paddle.ones([1, 3, 8, 8]), boxes, paddle.to_tensor([1], "int32")).shape
    [1, 3, 2, 2]
    """

    def forward(self, x: Any, boxes: Any, boxes_num: Any) -> Any:
        """[N, C, H, W], [R, 4] and [N] to [R, C, *output_size]."""
        return roi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)


class PSRoIPool(_Regions):
    """`psroi_pool` as a layer.

    >>> import proa as paddle
    >>> boxes = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]])
    >>> paddle.vision.ops.PSRoIPool(2)(paddle.ones([1, 8, 8, 8]), boxes, paddle.to_tensor([1], "int32")).shape
    [1, 2, 2, 2]
    """

    def forward(self, x: Any, boxes: Any, boxes_num: Any) -> Any:
        """[N, C * h * w, H, W], [R, 4] and [N] to [R, C, h, w]."""
        return psroi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)

"""Layers that bring regions of images to one size: roi_pool, roi_align, psroi_pool, prroi_pool."""

from __future__ import annotations

from typing import Any

from ...core.dtype import int32
from ...ops.math.elementwise import cast
from ..layer_helper import LayerHelper
from ..mode import face


def _counts(rois_lod: Any) -> Any:
    """How many regions each image has, from a Variable of where they begin and end, [N + 1]."""
    return None if rois_lod is None else cast(rois_lod[1:] - rois_lod[:-1], int32)


@face
def roi_pool(input: Any, rois: Any, pooled_height: int = 1, pooled_width: int = 1, spatial_scale: float = 1.0,
             rois_lod: Any = None) -> Any:
    """Regions [R, 4] of images [N, C, H, W] as [R, C, pooled_height, pooled_width]: the largest element of each bin.

    Which image each is of the LoD of the regions says, or `rois_lod`. Girshick, Fast R-CNN, 2015.
    """
    return LayerHelper("roi_pool").apply("roi_pool", input, rois, _counts(rois_lod), pooled_height=pooled_height,
                                         pooled_width=pooled_width, spatial_scale=spatial_scale)[0]


@face
def roi_align(input: Any, rois: Any, pooled_height: int = 1, pooled_width: int = 1, spatial_scale: float = 1.0,
              sampling_ratio: int = -1, name: str | None = None, rois_lod: Any = None) -> Any:
    """As `roi_pool`: the mean of interpolated samples in each bin. He et al., Mask R-CNN, 2017.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     x, rois = fluid.data("x", [None, 8, 16, 16]), fluid.data("rois", [None, 4], lod_level=1)
    ...     fluid.layers.roi_align(x, rois, 7, 7, spatial_scale=0.5).shape
    (-1, 8, 7, 7)
    """
    return LayerHelper("roi_align", name=name).apply(
        "roi_align", input, rois, _counts(rois_lod), pooled_height=pooled_height, pooled_width=pooled_width,
        spatial_scale=spatial_scale, sampling_ratio=sampling_ratio)


def _check_kinds(what: str, spatial_scale: Any, pooled_height: Any, pooled_width: Any) -> None:
    for name, value, kind in (("spatial_scale", spatial_scale, float), ("pooled_height", pooled_height, int),
                              ("pooled_width", pooled_width, int)):
        if not isinstance(value, kind):
            raise TypeError(f"{what}({name}): must be {'a float' if kind is float else 'an int'}. "
                            f"Received {type(value).__name__}.")


@face
def psroi_pool(input: Any, rois: Any, output_channels: int, spatial_scale: float, pooled_height: int,
               pooled_width: int, name: str | None = None) -> Any:
    """As `roi_pool`: the mean of each bin, which has channels of its own. Dai et al., R-FCN, 2016."""
    _check_kinds("psroi_pool", spatial_scale, pooled_height, pooled_width)
    return LayerHelper("psroi_pool", name=name).apply(
        "psroi_pool", input, rois, None, output_channels=output_channels, spatial_scale=spatial_scale,
        pooled_height=pooled_height, pooled_width=pooled_width)


@face
def prroi_pool(input: Any, rois: Any, spatial_scale: float = 1.0, pooled_height: int = 1, pooled_width: int = 1,
               batch_roi_nums: Any = None, name: str | None = None) -> Any:
    """As `roi_pool`: the mean over each bin of the image as a continuous function, interpolated between its elements.

    `batch_roi_nums`: how many regions each image has. Jiang et al., Acquisition of Localization Confidence for Accurate
    Object Detection, 2018.
    """
    _check_kinds("prroi_pool", spatial_scale, pooled_height, pooled_width)
    return LayerHelper("prroi_pool", name=name).apply(
        "prroi_pool", input, rois, batch_roi_nums, spatial_scale=spatial_scale, pooled_height=pooled_height,
        pooled_width=pooled_width)


__all__ = ["prroi_pool", "psroi_pool", "roi_align", "roi_pool"]

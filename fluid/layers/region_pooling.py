"""Layers that bring regions of images to one size: roi_pool, roi_align, psroi_pool, prroi_pool,
deformable_roi_pooling, roi_perspective_transform."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.dtype import int32
from ...ops.math.casting import cast
from ...ops.nn.window_arguments import repeated
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


def _check_kinds(what: str, spatial_scale: Any, **sizes: Any) -> None:
    kinds = {"spatial_scale": (spatial_scale, float), **{name: (value, int) for name, value in sizes.items()}}
    for name, (value, kind) in kinds.items():
        if not isinstance(value, kind):
            raise TypeError(f"{what}({name}): must be {'a float' if kind is float else 'an int'}. "
                            f"Received {type(value).__name__}.")


@face
def psroi_pool(input: Any, rois: Any, output_channels: int, spatial_scale: float, pooled_height: int,
               pooled_width: int, name: str | None = None) -> Any:
    """As `roi_pool`: the mean of each bin, which has channels of its own. Dai et al., R-FCN, 2016."""
    _check_kinds("psroi_pool", spatial_scale, pooled_height=pooled_height, pooled_width=pooled_width)
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
    _check_kinds("prroi_pool", spatial_scale, pooled_height=pooled_height, pooled_width=pooled_width)
    return LayerHelper("prroi_pool", name=name).apply(
        "prroi_pool", input, rois, batch_roi_nums, spatial_scale=spatial_scale, pooled_height=pooled_height,
        pooled_width=pooled_width)


@face
def deformable_roi_pooling(input: Any, rois: Any, trans: Any, no_trans: bool = False, spatial_scale: float = 1.0,
                           group_size: Sequence[int] = (1, 1), pooled_height: int = 1, pooled_width: int = 1,
                           part_size: Sequence[int] | None = None, sample_per_part: int = 1, trans_std: float = 0.1,
                           position_sensitive: bool = False, name: str | None = None) -> Any:
    """As `roi_pool`: the mean of `sample_per_part`² samples in each bin, which `trans` shifts.

    `trans` [R, 2 * kinds, *part_size]: shifts across and down, as shares of the region's size times `trans_std`. With
    `position_sensitive` each bin has channels of its own. Dai et al., Deformable Convolutional Networks, 2017.
    """
    channels = input.shape[1] // (pooled_height * pooled_width) if position_sensitive else input.shape[1]
    parts = (pooled_height, pooled_width) if part_size is None else part_size
    return LayerHelper("deformable_psroi_pooling", name=name).apply(
        "deformable_psroi_pooling", input, rois, trans, None, no_trans=no_trans, spatial_scale=spatial_scale,
        output_dim=channels, group_size=repeated("deformable_roi_pooling", "group_size", group_size, 2),
        pooled_height=pooled_height, pooled_width=pooled_width,
        part_size=repeated("deformable_roi_pooling", "part_size", parts, 2), sample_per_part=sample_per_part,
        trans_std=trans_std)[0]


@face
def roi_perspective_transform(input: Any, rois: Any, transformed_height: int, transformed_width: int,
                              spatial_scale: float = 1.0, name: str | None = None) -> tuple[Any, Any, Any]:
    """Quadrangles of images as upright rectangles: (result, mask, matrices).

    `rois` [R, 8]: corners clockwise from the upper left one. The mask [R, 1, height, width] is 1 where an element of
    the result lies in its quadrangle; the matrices [R, 9] bring places of the result to places of the input.
    """
    _check_kinds("roi_perspective_transform", spatial_scale, transformed_height=transformed_height,
                 transformed_width=transformed_width)
    return LayerHelper("roi_perspective_transform", name=name).apply(
        "roi_perspective_transform", input, rois, None, transformed_height=transformed_height,
        transformed_width=transformed_width, spatial_scale=spatial_scale)


__all__ = ["deformable_roi_pooling", "prroi_pool", "psroi_pool", "roi_align", "roi_perspective_transform", "roi_pool"]

"""Regions of images by generated loops: tables of what stands in the bins, and what sums, compares or divides by them.

The arguments are those of the kernels in `roi.py`. What NumPy tells better, corners that are no numbers for one, is
left to it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.kernels import regions as fast
from . import roi_kernels as kernels


def _known(boxes: np.ndarray, counts: Any, lod: Any) -> np.ndarray | None:
    """The image of each region; None where there are none, or corners at no place."""
    if not len(boxes) or not np.isfinite(boxes).all():
        return None
    counts = kernels.counts_of(np, boxes, lod) if counts is None else counts
    return kernels.images_of_boxes(np, counts, boxes)


def align_by_loops(x: np.ndarray, boxes: np.ndarray, counts: Any = None, lod: Any = (), *, pooled_height: int = 1,
                   pooled_width: int = 1, spatial_scale: float = 1.0, sampling_ratio: int = -1,
                   aligned: bool = False) -> Any:
    """`roi_align`."""
    image = _known(boxes, counts, lod)
    if image is None or not x.size:
        return NotImplemented
    return fast.weighted_bins(x, image, *kernels.samples(np, boxes, (pooled_height, pooled_width), x.shape[2:],
                                                         spatial_scale, sampling_ratio, aligned))


def align_back_by_loops(g: np.ndarray, boxes: np.ndarray, counts: Any, like: Any = None, *, size: Sequence[int] = (),
                        spatial_scale: float = 1.0, sampling_ratio: int = -1, aligned: bool = False) -> Any:
    """`roi_align_back`."""
    image, shape = _known(boxes, counts, ()), tuple(size) if like is None else like.shape
    if image is None:
        return NotImplemented
    return fast.spread_bins(g, image, *kernels.samples(np, boxes, g.shape[2:], shape[2:], spatial_scale, sampling_ratio,
                                                       aligned), shape)


def maxima_by_loops(x: np.ndarray, boxes: np.ndarray, counts: Any = None, lod: Any = (), *, pooled_height: int = 1,
                    pooled_width: int = 1, spatial_scale: float = 1.0) -> Any:
    """`roi_pool`."""
    image = _known(boxes, counts, lod)
    if image is None or not x.size:
        return NotImplemented
    return fast.largest_in_bins(x, image, *kernels.rounded_spans(np, boxes, (pooled_height, pooled_width), x.shape[2:],
                                                                 spatial_scale))


def put_by_loops(g: np.ndarray, positions: np.ndarray, counts: np.ndarray, like: Any = None, *,
                 size: Sequence[int] = ()) -> Any:
    """`roi_put`."""
    shape = tuple(size) if like is None else like.shape
    return fast.put_in_planes(g, kernels.images_of(np, counts, len(g)), positions, shape)


def own_means_by_loops(x: np.ndarray, boxes: np.ndarray, counts: Any = None, lod: Any = (), *, output_channels: int = 1,
                       pooled_height: int = 1, pooled_width: int = 1, spatial_scale: float = 1.0) -> Any:
    """`psroi_pool`."""
    image = _known(boxes, counts, lod)
    if image is None or not x.size:
        return NotImplemented
    return fast.means_of_own_planes(x, image, *kernels.scaled_spans(np, boxes, (pooled_height, pooled_width),
                                                                    x.shape[2:], spatial_scale))


def own_shares_by_loops(g: np.ndarray, boxes: np.ndarray, counts: Any, like: Any = None, *, size: Sequence[int] = (),
                        spatial_scale: float = 1.0) -> Any:
    """`psroi_back`."""
    image, shape = _known(boxes, counts, ()), tuple(size) if like is None else like.shape
    if image is None:
        return NotImplemented
    return fast.shares_of_own_planes(g, image, *kernels.scaled_spans(np, boxes, g.shape[2:], shape[2:], spatial_scale),
                                     shape)

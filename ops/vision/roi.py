"""Regions of images brought to one size: roi_align, roi_pool, psroi_pool and prroi_pool.

Images X [N, C, H, W], regions ROIs [R, 4] of corners in the coordinates of the image before `spatial_scale`, and how
many of them each image has: RoisNum [N], or without it the LoD of the regions. Gradients go to the images, as in
Paddle, not to the regions.
"""

from typing import Any

from ...backend.engines import LOOPS
from ...backend.kernels.regions import LEAST
from ...backend.scatter import add_at
from ...core import dtype as dt
from ..core.kernels import by
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..sequence.steps import sequences_of
from . import roi_kernels as kernels
from . import roi_loops


def _check(what: str, x: Spec, boxes: Spec) -> None:
    if x.rank != 4 or boxes.rank != 2 or boxes.shape[1] not in (4, -1):
        raise ValueError(f"{what}(x, boxes): x must have the shape [N, C, H, W] and boxes [R, 4]. "
                         f"Received x.shape={list(x.shape)}, boxes.shape={list(boxes.shape)}.")


def _shape(like: Any, size: Any) -> tuple[int, ...]:
    return tuple(size) if like is None else tuple(like.shape)


def _sizes(shape: Any) -> tuple[Any, list[int]]:
    """A shape handle as an input and an attribute."""
    return (None, list(shape)) if type(shape) is tuple else (shape, [])


# roi_counts

roi_counts_op = operator("roi_counts", "ROIs, lod^ROIs -> RoisNum", kernel=kernels.counts_of, only_here=True,
                         lod="drop",
                         infer=lambda boxes, lod=(): Spec((sequences_of(lod) if lod else 1,), dt.int32), fails="values")
"""How many regions each image has, by their LoD; without one all are of one image."""


def _given_counts(ROIs: Any, RoisNum: Any, lod: Any) -> Any:
    return apply(roi_counts_op, ROIs, lod) if RoisNum is None else RoisNum


# roi_align

def _roi_align(xp, x, boxes, counts=None, lod=(), *, pooled_height: int = 1, pooled_width: int = 1,
               spatial_scale: float = 1.0, sampling_ratio: int = -1, aligned: bool = False):
    counts = kernels.counts_of(xp, boxes, lod) if counts is None else counts
    return kernels.align(xp, x, boxes, counts, (pooled_height, pooled_width), spatial_scale, sampling_ratio, aligned)


def _infer_roi_align(x, boxes, counts=None, lod=(), *, pooled_height=1, pooled_width=1, **_):
    _check("roi_align", x, boxes)
    return Spec((boxes.shape[0], x.shape[1], pooled_height, pooled_width), x.dtype)


def _roi_align_back(xp, g, boxes, counts, like=None, *, size: Ints = (), spatial_scale: float = 1.0,
                    sampling_ratio: int = -1, aligned: bool = False):
    return kernels.align_back(xp, g, boxes, counts, _shape(like, size), spatial_scale, sampling_ratio, aligned)


def _aligned_gradient(g, ROIs, RoisNum, lod, X_shape, spatial_scale, sampling_ratio, aligned):
    like, size = _sizes(X_shape)
    return apply(roi_align_back_op, g, ROIs, _given_counts(ROIs, RoisNum, lod), like, size=size,
                 spatial_scale=spatial_scale, sampling_ratio=sampling_ratio, aligned=aligned)


def _aligned_again(g, ROIs, RoisNum, G_shape, spatial_scale, sampling_ratio, aligned):
    height, width = (G_shape if type(G_shape) is tuple else tuple(G_shape.shape))[2:]
    return apply(roi_align_op, g, ROIs, RoisNum, [], pooled_height=height, pooled_width=width,
                 spatial_scale=spatial_scale, sampling_ratio=sampling_ratio, aligned=aligned)


roi_align_op = operator("roi_align", "X, ROIs, RoisNum?, lod^ROIs -> Out", kernel=_roi_align, infer=_infer_roi_align,
                        grad={"X": _aligned_gradient}, fails="values", lod="drop",
                        engines=[by(LOOPS, roi_loops.align_by_loops, LEAST)])
roi_align_back_op = operator("roi_align_back", "G, ROIs, RoisNum, Like? -> Out", kernel=_roi_align_back,
                             infer=lambda g, boxes, counts, like=None, *, size=(), **_: Spec(
                                 _shape(like, size), g.dtype), grad={"G": _aligned_again}, only_here=True,
                             fails="values", engines=[by(LOOPS, roi_loops.align_back_by_loops, LEAST)])


# roi_pool

def _roi_pool(xp, x, boxes, counts=None, lod=(), *, pooled_height: int = 1, pooled_width: int = 1,
              spatial_scale: float = 1.0):
    counts = kernels.counts_of(xp, boxes, lod) if counts is None else counts
    return kernels.maxima(xp, x, boxes, counts, (pooled_height, pooled_width), spatial_scale)


def _infer_roi_pool(x, boxes, counts=None, lod=(), *, pooled_height=1, pooled_width=1, **_):
    _check("roi_pool", x, boxes)
    shape = (boxes.shape[0], x.shape[1], pooled_height, pooled_width)
    return Spec(shape, x.dtype), Spec(shape, dt.int64)


def _roi_put(xp, g, positions, counts, like=None, *, size: Ints = ()):
    shape = _shape(like, size)
    result = xp.zeros(shape, g.dtype)
    at = kernels.flat_positions(xp, positions, counts, shape[2] * shape[3])
    add_at(xp, result.reshape(-1), at.reshape(-1), (g * (positions >= 0)).reshape(-1))
    return result


def _roi_take(xp, x, positions, counts):
    at = kernels.flat_positions(xp, positions, counts, x.shape[2] * x.shape[3])
    return x.reshape(-1)[at] * (positions >= 0).astype(x.dtype)


def _put_gradient(g, Argmax, RoisNum, X_shape):
    like, size = _sizes(X_shape)
    return apply(roi_put_op, g, Argmax, RoisNum, like, size=size)


def _pooled_gradient(g, Argmax, ROIs, RoisNum, lod, X_shape):
    like, size = _sizes(X_shape)
    return apply(roi_put_op, g, Argmax, _given_counts(ROIs, RoisNum, lod), like, size=size)


roi_pool_op = operator("roi_pool", "X, ROIs, RoisNum?, lod^ROIs -> Out, Argmax&", kernel=_roi_pool,
                       infer=_infer_roi_pool, grad={"X": _pooled_gradient}, fails="values", lod="drop",
                       engines=[by(LOOPS, roi_loops.maxima_by_loops, LEAST)])
roi_put_op = operator("roi_put", "G, Argmax, RoisNum, Like? -> Out", kernel=_roi_put,
                      infer=lambda g, positions, counts, like=None, *, size=(): Spec(_shape(like, size), g.dtype),
                      grad={"G": lambda g, Argmax, RoisNum: apply(roi_take_op, g, Argmax, RoisNum)}, only_here=True,
                      fails="values", engines=[by(LOOPS, roi_loops.put_by_loops, LEAST)])
roi_take_op = operator("roi_take", "X, Argmax, RoisNum -> Out", kernel=_roi_take,
                       infer=lambda x, positions, counts: Spec(positions.shape, x.dtype), grad={"X": _put_gradient},
                       only_here=True, fails="values")


# psroi_pool

def _psroi_pool(xp, x, boxes, counts=None, lod=(), *, output_channels: int = 1, pooled_height: int = 1,
                pooled_width: int = 1, spatial_scale: float = 1.0):
    counts = kernels.counts_of(xp, boxes, lod) if counts is None else counts
    bins = (pooled_height, pooled_width)
    return kernels.SummedBins(xp, boxes, counts, bins, x.shape[2:], spatial_scale).means(x)


def _infer_psroi_pool(x, boxes, counts=None, lod=(), *, output_channels=1, pooled_height=1, pooled_width=1, **_):
    _check("psroi_pool", x, boxes)
    if x.shape[1] not in (-1, output_channels * pooled_height * pooled_width):
        raise ValueError(f"psroi_pool(x, output_size): x must have channels for every place of the result, a multiple "
                         f"of {pooled_height * pooled_width}. Received x.shape={list(x.shape)}.")
    return Spec((boxes.shape[0], output_channels, pooled_height, pooled_width), x.dtype)


def _psroi_back(xp, g, boxes, counts, like=None, *, size: Ints = (), spatial_scale: float = 1.0):
    shape = _shape(like, size)
    return kernels.SummedBins(xp, boxes, counts, g.shape[2:], shape[2:], spatial_scale).back(g, shape[0])


def _summed_gradient(g, ROIs, RoisNum, lod, X_shape, spatial_scale):
    like, size = _sizes(X_shape)
    return apply(psroi_back_op, g, ROIs, _given_counts(ROIs, RoisNum, lod), like, size=size,
                 spatial_scale=spatial_scale)


def _summed_again(g, ROIs, RoisNum, G_shape, spatial_scale):
    channels, height, width = (G_shape if type(G_shape) is tuple else tuple(G_shape.shape))[1:]
    return apply(psroi_pool_op, g, ROIs, RoisNum, [], output_channels=channels, pooled_height=height,
                 pooled_width=width, spatial_scale=spatial_scale)


psroi_pool_op = operator("psroi_pool", "X, ROIs, RoisNum?, lod^ROIs -> Out", kernel=_psroi_pool,
                         infer=_infer_psroi_pool, grad={"X": _summed_gradient}, fails="values",
                         engines=[by(LOOPS, roi_loops.own_means_by_loops, LEAST)])
psroi_back_op = operator("psroi_back", "G, ROIs, RoisNum, Like? -> Out", kernel=_psroi_back,
                         infer=lambda g, boxes, counts, like=None, *, size=(), **_: Spec(_shape(like, size), g.dtype),
                         grad={"G": _summed_again}, only_here=True, fails="values",
                         engines=[by(LOOPS, roi_loops.own_shares_by_loops, LEAST)])


# prroi_pool

def _prroi_pool(xp, x, boxes, counts=None, lod=(), *, spatial_scale: float = 1.0, pooled_height: int = 1,
                pooled_width: int = 1):
    counts = kernels.counts_of(xp, boxes, lod) if counts is None else counts
    return kernels.Integrals(xp, boxes, counts, (pooled_height, pooled_width), x.shape[2:], spatial_scale).means(x)


def _infer_prroi_pool(x, boxes, counts=None, lod=(), *, spatial_scale=1.0, pooled_height=1, pooled_width=1):
    _check("prroi_pool", x, boxes)
    return Spec((boxes.shape[0], x.shape[1], pooled_height, pooled_width), x.dtype)


def _prroi_back(xp, g, boxes, counts, like=None, *, size: Ints = (), spatial_scale: float = 1.0):
    shape = _shape(like, size)
    return kernels.Integrals(xp, boxes, counts, g.shape[2:], shape[2:], spatial_scale).back(g, shape[0])


def _integrated_gradient(g, ROIs, BatchRoINums, lod, X_shape, spatial_scale):
    like, size = _sizes(X_shape)
    return apply(prroi_back_op, g, ROIs, _given_counts(ROIs, BatchRoINums, lod), like, size=size,
                 spatial_scale=spatial_scale)


def _integrated_again(g, ROIs, RoisNum, G_shape, spatial_scale):
    height, width = (G_shape if type(G_shape) is tuple else tuple(G_shape.shape))[2:]
    return apply(prroi_pool_op, g, ROIs, RoisNum, [], pooled_height=height, pooled_width=width,
                 spatial_scale=spatial_scale)


prroi_pool_op = operator("prroi_pool", "X, ROIs, BatchRoINums?, lod^ROIs -> Out", kernel=_prroi_pool,
                         infer=_infer_prroi_pool, grad={"X": _integrated_gradient}, fails="values", lod="drop")
"""The mean over each bin of the image as a continuous function, interpolated between its elements. Jiang et al.,
Acquisition of Localization Confidence for Accurate Object Detection, 2018."""
prroi_back_op = operator("prroi_back", "G, ROIs, RoisNum, Like? -> Out", kernel=_prroi_back,
                         infer=lambda g, boxes, counts, like=None, *, size=(), **_: Spec(_shape(like, size), g.dtype),
                         grad={"G": _integrated_again}, only_here=True, fails="values")

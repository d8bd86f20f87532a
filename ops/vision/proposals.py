"""Proposals of regions: generate_proposals_v2 makes them of anchors, distribute_fpn_proposals sorts them by size.

How many there are depends on the values: the first sizes of the results are not known before.
"""

import math
from typing import Any

import numpy as np

from ...core import dtype as dt
from ..core.operator import operator
from ..core.spec import Spec
from ..sequence.offsets import from_lengths, levels_of
from ..sequence.steps import sequences_of
from .matching import bounds_of
from .nms import best_first, standing
from .roi_kernels import images_of

_MOST_GROWTH = math.log(1000.0 / 16.0)


def _decoded(xp: Any, anchors: Any, deltas: Any, variances: Any, more: float) -> Any:
    """Anchors [M, 4] moved and stretched by deltas [M, 4]."""
    deltas = deltas * variances
    sides = anchors[:, 2:] - anchors[:, :2] + more
    middle = anchors[:, :2] + sides / 2 + deltas[:, :2] * sides
    half = xp.exp(xp.minimum(deltas[:, 2:], _MOST_GROWTH)) * sides / 2
    return xp.concatenate([middle - half, middle + half - more], 1)


def _of_image(xp: Any, scores: Any, deltas: Any, size: Any, anchors: Any, variances: Any, before: int, after: int,
              threshold: float, min_size: float, eta: float, more: float, scale: float = 1.0) -> tuple[Any, Any]:
    """The proposals of one image and their scores, best first; `min_size` is meant for what `scale` made this size."""
    chosen = best_first(xp, scores, before if before > 0 else -1)
    boxes = _decoded(xp, anchors[chosen], deltas[chosen], variances[chosen], more)
    edge = xp.concatenate([size[::-1], size[::-1]]).astype(boxes.dtype) - more
    boxes, scores = xp.clip(boxes, 0, edge), scores[chosen]
    sides = boxes[:, 2:] - boxes[:, :2] + more
    large = ((boxes[:, 2:] - boxes[:, :2]) / scale + more >= max(min_size, 1.0)).all(1)
    if more:
        middle = boxes[:, :2] + sides / 2
        large &= (middle <= size[::-1]).all(1)
    boxes, scores = boxes[large], scores[large]
    if not len(boxes):
        return xp.zeros((1, 4), boxes.dtype), xp.zeros((1, 1), scores.dtype)
    kept = standing(xp, boxes, threshold, more, eta, after) if threshold > 0 else list(range(len(boxes)))
    return boxes[kept], scores[kept, None]


def _by_image(scores: Any, deltas: Any, anchors: Any, variances: Any) -> tuple[Any, Any, Any, Any]:
    """Scores [N, places], deltas [N, places, 4], anchors and variances [places, 4]."""
    samples, count, height, width = scores.shape
    deltas = deltas.reshape(samples, count, 4, height, width).transpose(0, 3, 4, 1, 2).reshape(samples, -1, 4)
    return scores.transpose(0, 2, 3, 1).reshape(samples, -1), deltas, anchors.reshape(-1, 4), variances.reshape(-1, 4)


def _generate(xp, scores, deltas, sizes, anchors, variances, *, pre_nms_topN: int = 6000, post_nms_topN: int = 1000,
              nms_thresh: float = 0.5, min_size: float = 0.1, eta: float = 1.0, pixel_offset: bool = True):
    scores, deltas, anchors, variances = _by_image(scores, deltas, anchors, variances)
    found = [_of_image(xp, scores[n], deltas[n], sizes[n], anchors, variances, pre_nms_topN, post_nms_topN, nms_thresh,
                       min_size, eta, 1.0 if pixel_offset else 0.0) for n in range(len(scores))]
    counts = xp.asarray([len(boxes) for boxes, _ in found], dtype="int32")
    return xp.concatenate([boxes for boxes, _ in found]), xp.concatenate([values for _, values in found]), counts


def _infer_generate(scores, deltas, sizes, anchors, variances, **_):
    if scores.rank != 4 or deltas.rank != 4 or deltas.shape[1] not in (-1, 4 * scores.shape[1]):
        raise ValueError(f"generate_proposals(scores, bbox_deltas): must have the shapes [N, A, H, W] and "
                         f"[N, 4 * A, H, W]. Received {list(scores.shape)} and {list(deltas.shape)}.")
    boxes = dt.promote(dt.promote(deltas.dtype, anchors.dtype), variances.dtype)
    return Spec((-1, 4), boxes), Spec((-1, 1), scores.dtype), Spec(scores.shape[:1], dt.int32)


generate_proposals_op = operator(
    "generate_proposals_v2", "Scores, BboxDeltas, ImShape, Anchors, Variances -> RpnRois, RpnRoiProbs, RpnRoisNum?",
    kernel=_generate, infer=_infer_generate, lod="drop")



def _generate_with_lod(xp, scores, deltas, sizes, anchors, variances, *, pre_nms_topN: int = 6000,
                       post_nms_topN: int = 1000, nms_thresh: float = 0.5, min_size: float = 0.1, eta: float = 1.0):
    scores, deltas, anchors, variances = _by_image(scores, deltas, anchors, variances)
    found = [_of_image(xp, scores[n], deltas[n], sizes[n, :2], anchors, variances, pre_nms_topN, post_nms_topN,
                       nms_thresh, min_size, eta, 1.0, sizes[n, 2]) for n in range(len(scores))]
    offsets = xp.cumsum(xp.asarray([0, *(len(boxes) for boxes, _ in found)], dtype="int64"))
    return (xp.concatenate([boxes for boxes, _ in found]), xp.concatenate([values for _, values in found]),
            offsets[1:].copy(), [offsets], [offsets.copy()])


def _infer_generate_with_lod(scores, deltas, sizes, anchors, variances, **attrs):
    boxes, values, counts = _infer_generate(scores, deltas, sizes, anchors, variances)
    return boxes, values, Spec(counts.shape, dt.int64), *[[Spec((-1,), dt.int64)]] * 2


generate_with_lod_op = operator(
    "generate_proposals", "Scores, BboxDeltas, ImInfo, Anchors, Variances -> RpnRois, RpnRoiProbs, RpnRoisLod, "
    "lod_rois^RpnRois, lod_probs^RpnRoiProbs", kernel=_generate_with_lod, infer=_infer_generate_with_lod, lod="drop")
"""As Paddle 1.x has it: with a LoD of images, which RpnRoisLod tells, too. ImInfo [N, 3]: height, width, scale."""


# collect_fpn_proposals

def _collect(xp, levels, scores, lods=(), numbers=None, *, post_nms_topN: int = 1000):
    boxes, values = xp.concatenate(levels), xp.concatenate(scores).reshape(-1)
    if numbers:
        image = xp.concatenate([images_of(xp, each, len(x)) for each, x in zip(numbers, levels, strict=True)])
        images = len(numbers[0])
    else:
        counts = [[b - a for a, b in bounds_of("collect_fpn_proposals(multi_rois)", x, [offsets])]
                  for x, offsets in zip(levels, lods, strict=True)]
        image = xp.asarray(np.concatenate([np.repeat(np.arange(len(each)), each) for each in counts]))
        images = len(counts[0])
    best = best_first(xp, values, post_nms_topN)
    best = best[xp.argsort(image[best], kind="stable")]
    found = xp.bincount(image[best], minlength=images)
    return boxes[best], found.astype("int32") if numbers else None, [from_lengths(xp, found)]


def _infer_collect(levels, scores, lods=(), numbers=None, **_):
    if numbers and len(numbers) != len(levels):
        raise ValueError("collect_fpn_proposals(rois_num_per_level): must be one for each level of multi_rois. "
                         f"Received {len(numbers)} for {len(levels)} levels.")
    if not numbers and len(lods) != len(levels):
        levels_of("collect_fpn_proposals(multi_rois)", [])
    each = Spec(numbers[0].shape, dt.int32) if numbers else None
    return Spec((-1, 4), levels[0].dtype), each, [Spec((-1,), dt.int64)]


collect_proposals_op = operator(
    "collect_fpn_proposals", "MultiLevelRois*, MultiLevelScores*, lod^MultiLevelRois, MultiLevelRoIsNum*? -> "
    "FpnRois, RoisNum?, out_lod^FpnRois", kernel=_collect, infer=_infer_collect, lod="drop", fails="values")
"""The `post_nms_topN` best of the regions of all levels, by image and best first; how many, where numbers
say whose they are."""


# distribute_fpn_proposals

def _distribute(xp, boxes, counts=None, lod=(), *, min_level: int = 2, max_level: int = 5, refer_level: int = 4,
                refer_scale: int = 224, pixel_offset: bool = True):
    sides = boxes[:, 2:] - boxes[:, :2]
    real = (sides >= 0).all(1)
    area = xp.where(real, (sides + (1.0 if pixel_offset else 0.0)).prod(1), 0)
    level = xp.floor(xp.log2(xp.sqrt(area) / refer_scale + 1e-6)) + refer_level
    levels = _levels(min_level, max_level)
    level = xp.clip(level, min_level, max_level).astype("int64")
    found = [xp.flatnonzero(level == n) for n in levels]
    restored = xp.argsort(xp.concatenate(found), kind="stable").astype("int32")[:, None]
    if counts is None and lod:
        counts = xp.asarray([b - a for a, b in bounds_of("distribute_fpn_proposals(fpn_rois)", boxes, lod)])
    if counts is None:
        each = [xp.asarray([len(at)], dtype="int32") for at in found]
    else:
        image = images_of(xp, counts, len(boxes))
        each = [xp.bincount(image[at], minlength=len(counts)).astype("int32") for at in found]
    return [boxes[at] for at in found], each, restored, [from_lengths(xp, lengths) for lengths in each]


_MOST_LEVELS = 1024


def _levels(min_level: int, max_level: int) -> range:
    if not min_level <= max_level < min_level + _MOST_LEVELS:
        raise ValueError("distribute_fpn_proposals(min_level, max_level): the first must not be above the second, nor "
                         f"{_MOST_LEVELS} or more below it. Received {min_level} and {max_level}.")
    return range(min_level, max_level + 1)


def _infer_distribute(boxes, counts=None, lod=(), *, min_level=2, max_level=5, **_):
    levels = len(_levels(min_level, max_level))
    count = Spec(counts.shape if counts is not None else (sequences_of(lod) if lod else 1,), dt.int32)
    return ([Spec((-1, 4), boxes.dtype)] * levels, [count] * levels, Spec((boxes.shape[0], 1), dt.int32),
            [Spec((-1,), dt.int64)] * levels)


distribute_proposals_op = operator(
    "distribute_fpn_proposals",
    "FpnRois, RoisNum?, lod^FpnRois -> MultiFpnRois*, MultiLevelRoIsNum*?, RestoreIndex, out_lod^MultiFpnRois",
    kernel=_distribute, infer=_infer_distribute, lod="drop", fails="values")

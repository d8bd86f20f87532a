"""retinanet_detection_output and locality_aware_nms: boxes chosen among those of several levels, or merged first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.arrays import to_numpy
from ...core import dtype as dt
from ..core.operator import operator
from ..core.spec import Spec
from .nms import best_first, is_region, overlaps, standing, with_label_and_score
from .target_sampling import offsets_of


def _packed(xp: Any, found: Sequence[np.ndarray], dtype: Any) -> tuple[Any, list[Any]]:
    """The rows of all images, [[-1]] where there are none, and their offsets."""
    rows = np.concatenate(found) if found else np.zeros((0, 6))
    if not len(rows):
        return xp.full((1, 1), -1, dtype), [xp.asarray([0, 1], dtype="int64")]
    return xp.asarray(rows, dtype=dtype), [xp.asarray(offsets_of([len(part) for part in found]))]


# retinanet_detection_output

def _decoded(anchors: np.ndarray, deltas: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Anchors in pixels moved by deltas, in the image before it was scaled, cut at its edges."""
    sides = anchors[:, 2:] - anchors[:, :2] + 1
    middle = anchors[:, :2] + sides / 2 + deltas[:, :2] * sides
    half = np.exp(deltas[:, 2:]) * sides / 2
    edge = np.floor(size[:2] / size[2] + 0.5)[::-1] - 1  # halves are rounded up, as C++ does
    return np.clip(np.concatenate([middle - half, middle + half - 1], 1) / size[2], 0, np.concatenate([edge, edge]))


def _candidates(boxes: Any, scores: Any, anchors: Any, size: np.ndarray, threshold: float, most: int) -> np.ndarray:
    """The best boxes of a level: rows (class, score, corners)."""
    flat = scores.reshape(-1)
    chosen = np.flatnonzero(flat > threshold)
    chosen = chosen[best_first(np, flat[chosen], most)]
    anchor, kind = np.divmod(chosen, scores.shape[1])
    return np.concatenate([kind[:, None], flat[chosen, None], _decoded(anchors[anchor], boxes[anchor], size)], 1)


def _detection_output(xp, boxes, scores, anchors, sizes, *, score_threshold: float = 0.05, nms_top_k: int = 1000,
                      nms_threshold: float = 0.3, nms_eta: float = 1.0, keep_top_k: int = 100):
    levels = [tuple(to_numpy(x) for x in level) for level in zip(boxes, scores, anchors, strict=True)]
    found = []
    for n, size in enumerate(to_numpy(sizes)):
        rows = np.concatenate([
            _candidates(b[n], s[n], a.reshape(-1, 4), size, score_threshold if level < len(levels) - 1 else 0.0,
                        nms_top_k) for level, (b, s, a) in enumerate(levels)])
        kept = []
        for kind in range(levels[0][1].shape[2]):
            of_class = rows[rows[:, 0] == kind]
            of_class = of_class[best_first(np, of_class[:, 1])]
            kept.append(of_class[standing(np, of_class[:, 2:], nms_threshold, 1.0, nms_eta)] if len(of_class)
                        else of_class)
        all_kept = np.concatenate(kept)
        best = best_first(np, all_kept[:, 1], keep_top_k)
        found.append(all_kept[best] + np.array([1, 0, 0, 0, 0, 0]))
    return _packed(xp, found, boxes[0].dtype)


def _infer_detection_output(boxes, scores, anchors, sizes, **_):
    if not len(boxes) == len(scores) == len(anchors):
        raise ValueError(f"retinanet_detection_output(bboxes, scores, anchors): must be of as many levels. Received "
                         f"{len(boxes)}, {len(scores)} and {len(anchors)}.")
    return Spec((-1, 6), boxes[0].dtype), [Spec((-1,), dt.int64)]


retinanet_detection_output_op = operator(
    "retinanet_detection_output", "BBoxes*, Scores*, Anchors*, ImInfo -> Out, out_lod^Out", kernel=_detection_output,
    infer=_infer_detection_output, lod="drop")
"""The boxes [K, 6] (class from 1 on, score, corners) of all levels that stay, best first, with a LoD of images."""


# locality_aware_nms

def _merged(boxes: np.ndarray, scores: np.ndarray, threshold: float, more: float) -> tuple[np.ndarray, np.ndarray]:
    """Boxes that overlap the one before, merged with it by their scores, which are summed."""
    boxes, scores = boxes.copy(), scores.copy()
    heads: list[int] = []
    for n in range(len(boxes)):
        if heads and overlaps(np, boxes[n][None], boxes[heads[-1]][None], more)[0] > threshold:
            head, total = heads[-1], scores[n] + scores[heads[-1]]
            boxes[head] = (boxes[n] * scores[n] + boxes[head] * scores[head]) / total
            scores[head] = total
        else:
            heads.append(n)
    return boxes[heads], scores[heads]


def _locality_aware(xp, boxes, scores, *, background_label: int = -1, score_threshold: float = 0.0,
                    nms_top_k: int = -1, nms_threshold: float = 0.3, nms_eta: float = 1.0, keep_top_k: int = -1,
                    normalized: bool = True):
    more, found = 0.0 if normalized else 1.0, []
    for of_image, values in zip(to_numpy(boxes), to_numpy(scores)[:, 0], strict=True):
        merged, summed = _merged(of_image, values, nms_threshold, more)
        chosen = np.flatnonzero(summed > score_threshold)
        chosen = chosen[best_first(np, summed[chosen], nms_top_k)]
        kept = chosen[standing(np, merged[chosen], nms_threshold, more, nms_eta)] if len(chosen) else chosen
        kept = kept[:keep_top_k] if keep_top_k > -1 else kept
        rows = np.concatenate([np.zeros((len(kept), 1)), summed[kept, None], merged[kept]], 1)
        found.append(rows if background_label != 0 else rows[:0])
    return _packed(xp, found, boxes.dtype)


def _infer_locality_aware(boxes, scores, **_):
    if boxes.rank != 3 or not is_region(boxes.shape[2]) or scores.rank != 3 or scores.shape[1] not in (1, -1):
        raise ValueError(f"locality_aware_nms(bboxes, scores): must have the shapes [N, M, 4] (polygons: [N, M, 2 * "
                         f"corners]) and [N, 1, M]. Received {list(boxes.shape)} and {list(scores.shape)}.")
    return Spec((-1, with_label_and_score(boxes.shape[2])), boxes.dtype), [Spec((-1,), dt.int64)]


locality_aware_nms_op = operator("locality_aware_nms", "BBoxes, Scores -> Out, out_lod^Out", kernel=_locality_aware,
                                 infer=_infer_locality_aware, lod="drop", fails="values")
"""The boxes [K, 6] of one class that stay, neighbours merged before, with a LoD of images; polygons as well.

Zhou et al., EAST, 2017."""

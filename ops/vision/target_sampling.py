"""What anchors and proposals are to learn: rpn_target_assign, retinanet_target_assign, generate_proposal_labels.

Some of them are sampled for each image of a batch; how many there are depends on the values. What belongs to the images
lies one behind the other, with a LoD.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.arrays import to_numpy
from ...core import dtype as dt
from ..core.operator import operator
from ..core.spec import Spec
from ..random.draws import generator
from .matching import bounds_of

_NEAR = 1e-5  # overlaps that differ by less are equal


def pixel_overlaps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Intersection over union of boxes in pixels, [N, M]."""
    x, y = a[:, None], b[None]
    sides = np.minimum(x[..., 2:], y[..., 2:]) - np.maximum(x[..., :2], y[..., :2]) + 1
    common = np.maximum(sides, 0).prod(-1)
    areas = [(z[..., 2:] - z[..., :2] + 1).prod(-1) for z in (x, y)]
    return np.where(common > 0, common / (areas[0] + areas[1] - common), 0)


def _deltas(boxes: np.ndarray, wanted: np.ndarray, weights: Sequence[float] = ()) -> np.ndarray:
    """How boxes in pixels are to be moved and stretched to become others."""
    sides, wanted_sides = boxes[:, 2:] - boxes[:, :2] + 1, wanted[:, 2:] - wanted[:, :2] + 1
    shift = ((wanted[:, :2] + wanted_sides / 2) - (boxes[:, :2] + sides / 2)) / sides
    found = np.concatenate([shift, np.log(wanted_sides / sides)], 1)
    return found / np.asarray(weights, boxes.dtype) if len(weights) else found


def _sampled(numbers: np.ndarray, most: int, random: Any) -> np.ndarray:
    """At most so many of the numbers: the first ones, or drawn ones."""
    if len(numbers) <= most:
        return numbers
    return numbers[:most] if random is None else np.sort(numbers[np.argsort(random.random(len(numbers)))[:most]])


def offsets_of(counts: Sequence[int]) -> np.ndarray:
    """The offsets of so many rows of each image."""
    return np.concatenate([[0], np.cumsum(counts)]).astype("int64")


class _Images:
    """The anchors and true boxes of each image."""

    def __init__(self, what: str, anchors: Any, boxes: Any, crowd: Any, sizes: Any, lod: Any, straddle: float):
        self.anchors, self.boxes, self.crowd = (to_numpy(x) for x in (anchors.reshape(-1, 4), boxes, crowd))
        self.sizes, self.straddle = to_numpy(sizes), straddle
        self.bounds = bounds_of(f"{what}(gt_boxes)", boxes, lod)

    def __iter__(self) -> Any:
        """(numbers of the anchors, anchors, true boxes in pixels of the network's input, their rows)."""
        for (a, b), (height, width, scale) in zip(self.bounds, self.sizes, strict=True):
            inside = np.arange(len(self.anchors))
            if self.straddle >= 0:
                t = self.straddle
                x = self.anchors
                inside = np.flatnonzero((x[:, :2] >= -t).all(1) & (x[:, 2] < width + t) & (x[:, 3] < height + t))
            rows = np.arange(a, b)[self.crowd[a:b].reshape(-1) == 0]
            yield inside, self.anchors[inside], self.boxes[rows] * scale, rows


def _assigned(overlaps: np.ndarray, most: int | None, fraction: float, positive: float, negative: float,
              random: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(anchors with a box to learn, their weights, the positive ones, the negative ones).

    A negative anchor that was positive first has a place among those with a box, with the weight 0, as in Paddle.
    """
    of_anchor = overlaps.max(1) if overlaps.shape[1] else np.zeros(len(overlaps))
    is_best = (np.abs(overlaps - overlaps.max(0)) < _NEAR).any(1) if overlaps.size else np.zeros(len(overlaps), bool)
    chosen = np.flatnonzero(is_best | (of_anchor >= positive))
    far = np.flatnonzero(of_anchor < negative)
    if most is not None:
        chosen = _sampled(chosen, int(most * fraction), random)
        far = _sampled(far, most - len(chosen), random)
    label = np.full(len(overlaps), -1)
    label[chosen] = 1
    lost = int((label[far] == 1).sum())
    label[far] = 0
    positives = np.flatnonzero(label == 1)
    learnt = np.concatenate([np.full(lost, chosen[0] if lost else 0), positives]).astype("int64")
    weights = np.concatenate([np.zeros(lost), np.ones(len(chosen) - lost)])[:, None].repeat(4, 1)
    return learnt, weights, positives, np.flatnonzero(label == 0)


def _targets(images: _Images, labels: Any, options: Any) -> tuple[list[list[np.ndarray]], list[int]]:
    """For each image (anchors with a box, anchors with a label, labels, boxes, weights), and how many are positive."""
    found, counts = [], []
    for number, (inside, anchors, boxes, rows) in enumerate(images):
        overlaps = pixel_overlaps(anchors, boxes)
        learnt, weights, positives, negatives = _assigned(overlaps, *options)
        first = number * len(images.anchors)
        best = overlaps[learnt].argmax(1) if len(boxes) else np.zeros(0, "int64")
        deltas = _deltas(anchors[learnt], boxes[best]) if len(boxes) else np.zeros((0, 4), anchors.dtype)
        of_positives = np.ones(len(positives)) if labels is None else labels[rows[overlaps[positives].argmax(1)]]
        found.append([first + inside[learnt], first + inside[np.concatenate([positives, negatives])],
                      np.concatenate([of_positives, np.zeros(len(negatives))])[:, None], deltas, weights])
        counts.append(len(learnt) + 1)
    return found, counts


def _packed(xp: Any, found: list[list[np.ndarray]], dtypes: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The parts of all images one behind the other, and the offsets of each."""
    columns = list(zip(*found, strict=True))
    return ([xp.asarray(np.concatenate(part), dtype=dtype) for part, dtype in zip(columns, dtypes, strict=True)],
            [xp.asarray(offsets_of([len(x) for x in part])) for part in columns])


def _rpn(xp, anchors, boxes, crowd, sizes, lod=(), *, rpn_batch_size_per_im: int = 256,
         rpn_straddle_thresh: float = 0.0, rpn_positive_overlap: float = 0.7, rpn_negative_overlap: float = 0.3,
         rpn_fg_fraction: float = 0.25, use_random: bool = True):
    images = _Images("rpn_target_assign", anchors, boxes, crowd, sizes, lod, rpn_straddle_thresh)
    random = generator(np) if use_random else None
    found, _ = _targets(images, None, (rpn_batch_size_per_im, rpn_fg_fraction, rpn_positive_overlap,
                                       rpn_negative_overlap, random))
    parts, lods = _packed(xp, found, ["int32", "int32", "int32", anchors.dtype, anchors.dtype])
    return (*parts, *([offsets] for offsets in lods))


_VECTOR, _OFFSETS = Spec((-1,), dt.int32), [Spec((-1,), dt.int64)]


def _infer_targets(anchors: Spec, boxes: Spec, sizes: Spec) -> tuple:
    if boxes.rank != 2 or boxes.shape[1] not in (4, -1) or anchors.shape[-1] not in (4, -1) or sizes.rank != 2:
        raise ValueError(f"target assignment(anchor_box, gt_boxes, im_info): must have the shapes [..., 4], [B, 4] and "
                         f"[N, 3]. Received {list(anchors.shape)}, {list(boxes.shape)} and {list(sizes.shape)}.")
    deltas = Spec((-1, 4), anchors.dtype)
    return _VECTOR, _VECTOR, Spec((-1, 1), dt.int32), deltas, deltas


rpn_target_assign_op = operator(
    "rpn_target_assign", "Anchor, GtBoxes, IsCrowd, ImInfo, lod^GtBoxes -> LocationIndex, ScoreIndex, TargetLabel, "
    "TargetBBox, BBoxInsideWeight, lod_0^LocationIndex, lod_1^ScoreIndex, lod_2^TargetLabel, lod_3^TargetBBox, "
    "lod_4^BBoxInsideWeight", kernel=_rpn, lod="drop", effects="random", fails="values",
    infer=lambda anchors, boxes, crowd, sizes, lod=(), **_: (*_infer_targets(anchors, boxes, sizes), *[_OFFSETS] * 5))


def _retinanet(xp, anchors, boxes, labels, crowd, sizes, lod=(), *, positive_overlap: float = 0.5,
               negative_overlap: float = 0.4):
    images = _Images("retinanet_target_assign", anchors, boxes, crowd, sizes, lod, -1)
    found, counts = _targets(images, to_numpy(labels).reshape(-1),
                             (None, 0.0, positive_overlap, negative_overlap, None))
    parts, lods = _packed(xp, found, ["int32", "int32", "int32", anchors.dtype, anchors.dtype])
    numbers = xp.asarray(np.array(counts, "int32")[:, None])
    return (*parts, numbers, *([offsets] for offsets in lods), [xp.arange(len(counts) + 1)])


retinanet_target_assign_op = operator(
    "retinanet_target_assign", "Anchor, GtBoxes, GtLabels, IsCrowd, ImInfo, lod^GtBoxes -> LocationIndex, ScoreIndex, "
    "TargetLabel, TargetBBox, BBoxInsideWeight, ForegroundNumber, lod_0^LocationIndex, lod_1^ScoreIndex, "
    "lod_2^TargetLabel, lod_3^TargetBBox, lod_4^BBoxInsideWeight, lod_5^ForegroundNumber", kernel=_retinanet,
    lod="drop", fails="values",
    infer=lambda anchors, boxes, labels, crowd, sizes, lod=(), **_: (
        *_infer_targets(anchors, boxes, sizes), Spec((-1, 1), dt.int32), *[_OFFSETS] * 6))
"""For each image the anchors [L] that have a box to learn, those [S] that have a label, the labels [S, 1], the boxes as
deltas [L, 4] and their weights [L, 4]; the second also tells how many are positive, and one, [N, 1]."""


# generate_proposal_labels

def _labelled(rois: np.ndarray, classes: np.ndarray, crowd: np.ndarray, boxes: np.ndarray, scale: float,
              options: dict[str, Any], random: Any) -> list[np.ndarray]:
    """The regions of an image that are learnt from: (regions, labels, deltas, weights)."""
    is_cascade = options["is_cascade_rcnn"]
    regions = rois / scale
    if is_cascade:
        sides = regions[:, 2:] - regions[:, :2] + 1
        regions = regions[(sides > 0).all(1) & (regions[:, 2:] > regions[:, :2]).all(1)]
    else:
        regions = np.concatenate([boxes, regions])
    overlaps = pixel_overlaps(regions, boxes)
    best = overlaps.max(1) if len(boxes) else np.zeros(len(regions))
    if not is_cascade:
        best[:len(boxes)][crowd != 0] = -1
    near = np.flatnonzero(best >= options["fg_thresh"])
    far = np.flatnonzero((best >= options["bg_thresh_lo"]) & (best < options["bg_thresh_hi"]))
    if not is_cascade:
        near = _sampled(near, int(np.floor(options["batch_size_per_im"] * options["fg_fraction"])), random)
        far = _sampled(far, options["batch_size_per_im"] - len(near), random)
    matched = (np.abs(overlaps[near] - best[near, None]) < _NEAR).argmax(1) if len(near) else near
    chosen = np.concatenate([near, far])
    labels = np.concatenate([classes[matched], np.zeros(len(far), classes.dtype)])
    deltas = _deltas(regions[near], boxes[matched], options["bbox_reg_weights"])
    width = 4 * options["class_nums"]
    targets, weights = np.zeros((2, len(chosen), width), rois.dtype)
    for row, label in enumerate(labels):
        if label > 0:
            at = 4 * (1 if options["is_cls_agnostic"] else int(label))
            targets[row, at:at + 4], weights[row, at:at + 4] = deltas[row], 1
    return [regions[chosen] * scale, labels[:, None], targets, weights, weights]


def _proposal_labels(xp, rois, classes, crowd, boxes, sizes, lod=(), boxes_lod=(), *, batch_size_per_im: int = 256,
                     fg_fraction: float = 0.25, fg_thresh: float = 0.25, bg_thresh_hi: float = 0.5,
                     bg_thresh_lo: float = 0.0, bbox_reg_weights: list[float] = (), class_nums: int = 81,
                     use_random: bool = True, is_cascade_rcnn: bool = False, is_cls_agnostic: bool = False):
    options = {"fg_fraction": fg_fraction, "fg_thresh": fg_thresh, "bg_thresh_hi": bg_thresh_hi,
               "bg_thresh_lo": bg_thresh_lo, "bbox_reg_weights": bbox_reg_weights, "class_nums": class_nums,
               "is_cascade_rcnn": is_cascade_rcnn, "is_cls_agnostic": is_cls_agnostic,
               "batch_size_per_im": batch_size_per_im}
    random = generator(np) if use_random else None
    of_rois = bounds_of("generate_proposal_labels(rpn_rois)", rois, lod)
    of_boxes = bounds_of("generate_proposal_labels(gt_boxes)", boxes, boxes_lod)
    if len(of_rois) != len(of_boxes):
        raise ValueError(f"generate_proposal_labels(rpn_rois, gt_boxes): must be of as many images. Received "
                         f"{len(of_rois)} and {len(of_boxes)}.")
    regions, labels, crowds, true = (to_numpy(x) for x in (rois, classes.reshape(-1), crowd.reshape(-1), boxes))
    found = [_labelled(regions[a:b], labels[c:d], crowds[c:d], true[c:d], float(size[2]), options, random)
             for (a, b), (c, d), size in zip(of_rois, of_boxes, to_numpy(sizes), strict=True)]
    parts, lods = _packed(xp, found, [rois.dtype, "int32", rois.dtype, rois.dtype, rois.dtype])
    return (*parts, *([offsets] for offsets in lods))


def _infer_proposal_labels(rois, classes, crowd, boxes, sizes, lod=(), boxes_lod=(), *, class_nums=81, **_):
    if any(x.rank != 2 or x.shape[1] not in (4, -1) for x in (rois, boxes)):
        raise ValueError(f"generate_proposal_labels(rpn_rois, gt_boxes): must have the shapes [R, 4] and [B, 4]. "
                         f"Received {list(rois.shape)} and {list(boxes.shape)}.")
    wide = Spec((-1, 4 * class_nums), rois.dtype)
    return Spec((-1, 4), rois.dtype), Spec((-1, 1), dt.int32), wide, wide, wide, *[_OFFSETS] * 5


generate_proposal_labels_op = operator(
    "generate_proposal_labels", "RpnRois, GtClasses, IsCrowd, GtBoxes, ImInfo, lod^RpnRois, lod_boxes^GtBoxes -> Rois, "
    "LabelsInt32, BboxTargets, BboxInsideWeights, BboxOutsideWeights, lod_0^Rois, lod_1^LabelsInt32, "
    "lod_2^BboxTargets, lod_3^BboxInsideWeights, lod_4^BboxOutsideWeights", kernel=_proposal_labels,
    infer=_infer_proposal_labels, lod="drop", effects="random", fails="values")
"""The proposals of each image that are learnt from, with their classes [K, 1], what makes the true boxes of them
[K, 4 * classes], and where that counts."""

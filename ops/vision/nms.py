"""Boxes that others leave standing: nms and matrix_nms.

How many stay depends on the boxes: the first size of the results is not known before.
"""

from typing import Any

import numpy as np

from ...backend.devices import host_values
from ...core import dtype as dt
from ..core.infer import promoting
from ..core.operator import operator
from ..core.spec import Spec
from ..sequence.offsets import from_lengths
from . import polygons

_BLOCK = 64  # boxes that are compared with each other at once


def overlaps(xp: Any, a: Any, b: Any, more: float = 0.0) -> Any:
    """Intersection over union of boxes a [..., 4] and b [..., 4], which broadcast; 0 for boxes without area.

    `more` is added to sides: 1 where the last element of a box counts. More numbers than four are corners of polygons.
    """
    if a.shape[-1] > 4:
        return polygons.overlaps(xp, a, b)
    common: Any = 1.0
    for n in range(2):
        side = xp.minimum(a[..., n + 2], b[..., n + 2]) - xp.maximum(a[..., n], b[..., n])
        common = common * (xp.where(side >= 0, side + more, 0) if more else xp.maximum(side, 0))
    areas = [(x[..., 2] - x[..., 0] + more) * (x[..., 3] - x[..., 1] + more) for x in (a, b)]
    union = areas[0] + areas[1] - common
    union[union <= 0] = 1
    return common / union


def is_region(numbers: int) -> bool:
    """Whether so many numbers (-1: not known) are the corners of a box, or those of a polygon."""
    return numbers in (-1, 4) or (numbers > 4 and numbers % 2 == 0)


def with_label_and_score(numbers: int) -> int:
    """How many numbers a region that stays has, its label and score before its own; -1 where they are not known."""
    return -1 if numbers < 0 else numbers + 2


def standing(xp: Any, boxes: Any, threshold: float, more: float = 0.0, eta: float = 1.0, most: int = -1) -> list[int]:
    """Positions of the boxes, best first, that overlap no better one that stays by more than the threshold.

    With `eta` under 1 a threshold above a half is multiplied by it at each box that stays; `most` ends the search.
    """
    if eta < 1:
        return _standing_by_falling(xp, boxes, threshold, more, eta, most)
    kept: list[int] = []
    left = xp.arange(len(boxes))
    while len(left) and (most < 0 or len(kept) < most):
        block, left = left[:_BLOCK], left[_BLOCK:]
        stays = block[_standing_of_block(xp, boxes[block], threshold, more)]
        kept += host_values(stays)
        hidden = overlaps(xp, boxes[stays][:, None], boxes[left][None], more) > threshold
        left = left[~hidden.any(0)]
    return kept if most < 0 else kept[:most]


def _standing_of_block(xp: Any, boxes: Any, threshold: float, more: float) -> Any:
    """Which of a few boxes stay, as bools."""
    near = overlaps(xp, boxes[:, None], boxes[None], more) > threshold
    near = near if xp is np else np.asarray(host_values(near), bool)
    hides = [int.from_bytes(row.tobytes(), "little") for row in np.packbits(near, axis=1, bitorder="little")]
    stays, hidden = [], 0
    for n, others in enumerate(hides):
        stays.append(not hidden >> n & 1)
        if stays[-1]:
            hidden |= others
    return xp.asarray(stays)


def _standing_by_falling(xp: Any, boxes: Any, threshold: float, more: float, eta: float, most: int) -> list[int]:
    """As `standing`, box after box, each compared by the threshold of its turn."""
    worst = xp.zeros(len(boxes), boxes.dtype)
    kept: list[int] = []
    at = 0
    while at < len(boxes) and len(kept) != most:
        free = worst[at:] <= threshold
        if not bool(free.any()):
            break
        at += int(free.argmax())
        kept.append(at)
        worst[at:] = xp.maximum(worst[at:], overlaps(xp, boxes[at], boxes[at:], more))
        if threshold > 0.5:
            threshold *= eta
        at += 1
    return kept


def best_first(xp: Any, scores: Any, most: int = -1) -> Any:
    """The positions of scores from the largest on; equal ones keep their order."""
    order = xp.argsort(-scores, kind="stable")
    return order if most < 0 else order[:most]


def _nms(xp, boxes, *, iou_threshold: float = 1.0):
    if boxes.shape[1:] != (4,):
        raise ValueError(f"nms(boxes): must have the shape [N, 4]. Received {list(boxes.shape)}.")
    return xp.asarray(standing(xp, boxes, iou_threshold), dtype="int64")


def _infer_nms(boxes, **_):
    if boxes.rank != 2 or boxes.shape[1] not in (4, -1):
        raise ValueError(f"nms(boxes): must have the shape [N, 4]. Received {list(boxes.shape)}.")
    return Spec((-1,), dt.int64)


nms_op = operator("nms", "Boxes -> KeepBoxesIdxs", kernel=_nms, infer=_infer_nms, lod="drop")


# matrix_nms

def _decayed(xp: Any, boxes: Any, scores: Any, gaussian: bool, sigma: float, more: float) -> Any:
    """Scores, best first, each decayed by the better boxes that it overlaps."""
    near = xp.triu(overlaps(xp, boxes[:, None], boxes[None], more), 1)
    hidden = near.max(0)[:, None]
    decay = xp.exp((hidden * hidden - near * near) * sigma) if gaussian else (1 - near) / (1 - hidden)
    better = xp.triu(xp.ones(near.shape, bool), 1)
    return scores * xp.where(better, decay, 1).min(0)


def _of_class(xp: Any, boxes: Any, scores: Any, score_threshold: float, post_threshold: float, top: int,
              gaussian: bool, sigma: float, more: float) -> tuple[Any, Any]:
    """Positions and decayed scores of the boxes of one class that stay."""
    chosen = xp.flatnonzero(scores > score_threshold)
    chosen = chosen[best_first(xp, scores[chosen], top)]
    if not len(chosen):
        return chosen, scores[chosen]
    made = _decayed(xp, boxes[chosen], scores[chosen], gaussian, sigma, more)
    kept = made > post_threshold
    return chosen[kept], made[kept]


def _matrix_nms(xp, boxes, scores, *, score_threshold: float = 0.0, post_threshold: float = 0.0, nms_top_k: int = -1,
                keep_top_k: int = -1, use_gaussian: bool = False, gaussian_sigma: float = 2.0,
                background_label: int = 0, normalized: bool = True):
    if boxes.shape[2:] != (4,) or boxes.shape[:2] != (scores.shape[0], scores.shape[2]):
        raise ValueError(f"matrix_nms(bboxes, scores): must have the shapes [N, M, 4] and [N, classes, M]. "
                         f"Received {list(boxes.shape)} and {list(scores.shape)}.")
    rows, index, counts = [], [], []
    for n in range(len(boxes)):
        found = [(label, *_of_class(xp, boxes[n], scores[n, label], score_threshold, post_threshold, nms_top_k,
                                    use_gaussian, gaussian_sigma, 0.0 if normalized else 1.0))
                 for label in range(scores.shape[1]) if label != background_label]
        at = xp.concatenate([xp.zeros(0, "int64"), *(positions for _, positions, _ in found)])
        made = xp.concatenate([xp.zeros(0, boxes.dtype), *(values for _, _, values in found)])
        labels = xp.concatenate([xp.zeros(0, boxes.dtype),
                                 *(xp.full(len(values), label, boxes.dtype) for label, _, values in found)])
        order = best_first(xp, made, keep_top_k)
        rows.append(xp.concatenate([labels[order, None], made[order, None], boxes[n, at[order]]], 1))
        index.append(at[order, None] + n * boxes.shape[1])
        counts.append(len(order))
    lengths = xp.asarray(counts, dtype="int32")
    starts = from_lengths(xp, lengths)
    return xp.concatenate(rows), xp.concatenate(index).astype("int32"), lengths, [starts], [starts.copy()]


def _infer_matrix_nms(boxes, scores, **_):
    if boxes.rank != 3 or scores.rank != 3:
        raise ValueError(f"matrix_nms(bboxes, scores): must have the shapes [N, M, 4] and [N, classes, M]. "
                         f"Received {list(boxes.shape)} and {list(scores.shape)}.")
    starts = [Spec((-1,), dt.int64)]
    return Spec((-1, 6), boxes.dtype), Spec((-1, 1), dt.int32), Spec(boxes.shape[:1], dt.int32), starts, starts


matrix_nms_op = operator(
    "matrix_nms", "BBoxes, Scores -> Out, Index, RoisNum?, out_lod^Out, index_lod^Index", kernel=_matrix_nms,
    infer=promoting(_infer_matrix_nms), lod="drop")

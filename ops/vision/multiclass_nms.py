"""multiclass_nms3: of the boxes of each class, those that no better one hides, as detectors' files end with it.

How many stay depends on the boxes: the first size of the results is not known before.
"""

from typing import Any

from ...backend.devices import host_values
from ...core import dtype as dt
from ..core.infer import promoting
from ..core.operator import operator
from ..core.spec import Spec
from ..sequence.offsets import levels_of
from .matching import bounds_of
from .nms import best_first, is_region, standing, with_label_and_score


def _of_class(xp: Any, boxes: Any, scores: Any, score_threshold: float, top: int, threshold: float, eta: float,
              more: float) -> Any:
    """Positions of the boxes of one class that stay, best first."""
    chosen = xp.flatnonzero(scores > score_threshold)
    chosen = chosen[best_first(xp, scores[chosen], top)]
    return chosen[standing(xp, boxes[chosen], threshold, more, eta)] if len(chosen) else chosen


def _of_image(xp: Any, boxes: Any, scores: Any, background: int, keep: int, by_position: bool,
              how: tuple) -> tuple[Any, Any]:
    """Classes and positions of the boxes of one image that stay, class by class; boxes [classes, M, 4].

    Those of a class stand best first, or `by_position`.
    """
    labels = [label for label in range(len(scores)) if label != background]
    found = [_of_class(xp, boxes[label], scores[label], *how) for label in labels]
    at = xp.concatenate([xp.zeros(0, "int64"), *found])
    each = [xp.full(len(positions), label, "int64") for label, positions in zip(labels, found, strict=True)]
    which = xp.concatenate([xp.zeros(0, "int64"), *each])
    if -1 < keep < len(at):
        best = best_first(xp, scores[which, at], keep)
        best = best[xp.argsort(which[best], kind="stable")]
        which, at = which[best], at[best]
    if by_position:
        order = xp.argsort(which * boxes.shape[1] + at)
        which, at = which[order], at[order]
    return which, at


def _images(xp: Any, boxes: Any, scores: Any, counts: Any) -> list[tuple[Any, Any]]:
    """Boxes [classes, M, 4] and scores [classes, M] of each image."""
    if counts is None:
        return [(xp.broadcast_to(b, (len(s), *b.shape)), s) for b, s in zip(boxes, scores, strict=True)]
    if (counts < 0).any() or int(counts.sum()) != len(boxes):
        raise ValueError(f"multiclass_nms3(RoisNum): must share out the {len(boxes)} boxes. "
                         f"Received {counts.tolist()}.")
    ends = [0, *host_values(xp.cumsum(counts))]
    return [(boxes[a:b].swapaxes(0, 1), scores[a:b].T) for a, b in zip(ends[:-1], ends[1:], strict=True)]


def _check_sizes(boxes: Any, scores: Any, counts: Any) -> None:
    """ValueError where the known sizes of the two, arrays or specs, are not of the same boxes."""
    pairs = zip(boxes.shape, scores.shape[::2] if counts is None else scores.shape, strict=False)
    if any(-1 not in pair and pair[0] != pair[1] for pair in pairs):
        raise ValueError(f"multiclass_nms3(BBoxes, Scores): must have the same "
                         f"{'N and M' if counts is None else 'M and classes'}. "
                         f"Received {list(boxes.shape)} and {list(scores.shape)}.")


def _multiclass_nms(xp, boxes, scores, counts=None, *, background_label: int = 0, score_threshold: float = 0.0,
                    nms_top_k: int = -1, nms_threshold: float = 0.3, nms_eta: float = 1.0, keep_top_k: int = -1,
                    normalized: bool = True):
    _check_sizes(boxes, scores, counts)
    how = score_threshold, nms_top_k, nms_threshold, nms_eta, 0.0 if normalized else 1.0
    rows, index = [xp.zeros((0, with_label_and_score(boxes.shape[-1])), boxes.dtype)], [xp.zeros((0, 1), "int64")]
    before = 0
    for of_classes, values in _images(xp, boxes, scores, counts):
        which, at = _of_image(xp, of_classes, values, background_label, keep_top_k, counts is not None, how)
        labels = which.astype(boxes.dtype)[:, None]
        rows.append(xp.concatenate([labels, values[which, at][:, None], of_classes[which, at]], 1))
        # A box of its own for each class has a number of its own.
        index.append((before + at if counts is None else (before + at) * len(values) + which)[:, None])
        before += values.shape[1]
    found = xp.asarray([len(r) for r in rows[1:]], dtype="int32")
    return xp.concatenate(rows), xp.concatenate(index).astype("int32"), found


def _infer(boxes, scores, counts=None, **_):
    rank = 3 if counts is None else 2
    if boxes.rank != 3 or not is_region(boxes.shape[2]) or scores.rank != rank:
        wanted = "[N, M, 4] and [N, classes, M]" if counts is None else "[M, classes, 4] and [M, classes] with RoisNum"
        raise ValueError(f"multiclass_nms3(BBoxes, Scores): must have the shapes {wanted}. "
                         f"Received {list(boxes.shape)} and {list(scores.shape)}.")
    _check_sizes(boxes, scores, counts)
    images = scores.shape[:1] if counts is None else counts.shape
    out = Spec((-1, with_label_and_score(boxes.shape[2])), boxes.dtype)
    return out, Spec((-1, 1), dt.int32), Spec(images, dt.int32)


multiclass_nms_op = operator("multiclass_nms3", "BBoxes, Scores, RoisNum? -> Out, Index, NmsRoisNum?",
                             kernel=_multiclass_nms, infer=promoting(_infer), lod="drop")


# With a LoD, as Paddle 1.x has them

def _with_lod(xp, boxes, scores, lod=(), **attrs: Any) -> tuple[Any, Any, list]:
    """The boxes that stay, their numbers, and the offsets of the images."""
    counts = None
    if scores.ndim == 2:
        bounds = bounds_of("multiclass_nms(bboxes)", boxes, lod)
        counts = xp.asarray([b - a for a, b in bounds], dtype="int32")
    out, index, found = _multiclass_nms(xp, boxes, scores, counts, **attrs)
    offsets = xp.concatenate([xp.zeros(1, "int64"), xp.cumsum(found).astype("int64")])
    return out, index, [offsets]


def _nms_1(xp, boxes, scores, lod=(), *, background_label: int = 0, score_threshold: float = 0.0, nms_top_k: int = -1,
           nms_threshold: float = 0.3, nms_eta: float = 1.0, keep_top_k: int = -1, normalized: bool = True):
    out, _, offsets = _with_lod(xp, boxes, scores, lod, background_label=background_label, nms_top_k=nms_top_k,
                                score_threshold=score_threshold, nms_threshold=nms_threshold, nms_eta=nms_eta,
                                keep_top_k=keep_top_k, normalized=normalized)
    if not len(out):
        return xp.full((1, 1), -1, boxes.dtype), [xp.asarray([0, 1], dtype="int64")]
    return out, offsets


def _nms_2(xp, boxes, scores, lod=(), *, background_label: int = 0, score_threshold: float = 0.0, nms_top_k: int = -1,
           nms_threshold: float = 0.3, nms_eta: float = 1.0, keep_top_k: int = -1, normalized: bool = True):
    return _with_lod(xp, boxes, scores, lod, background_label=background_label, nms_top_k=nms_top_k,
                     score_threshold=score_threshold, nms_threshold=nms_threshold, nms_eta=nms_eta,
                     keep_top_k=keep_top_k, normalized=normalized)


def _infer_with_lod(boxes, scores, lod=(), **_):
    if boxes.rank != 3 or not is_region(boxes.shape[2]) or scores.rank not in (2, 3):
        raise ValueError("multiclass_nms(bboxes, scores): must have the shapes [N, M, 4] and [N, classes, M], or "
                         f"[M, classes, 4] and [M, classes] with a LoD. Received {list(boxes.shape)} and "
                         f"{list(scores.shape)}.")
    if scores.rank == 2:
        levels_of("multiclass_nms(bboxes)", lod)
    _check_sizes(boxes, scores, None if scores.rank == 3 else scores)
    return (Spec((-1, with_label_and_score(boxes.shape[2])), boxes.dtype), Spec((-1, 1), dt.int32),
            [Spec((-1,), dt.int64)])


def _infer_nms_1(boxes, scores, lod=(), **attrs):
    out, _, offsets = _infer_with_lod(boxes, scores, lod, **attrs)
    return out, offsets


nms_1_op = operator("multiclass_nms", "BBoxes, Scores, lod^BBoxes -> Out, out_lod^Out", kernel=_nms_1,
                    infer=promoting(_infer_nms_1), lod="drop", fails="values")
nms_2_op = operator("multiclass_nms2", "BBoxes, Scores, lod^BBoxes -> Out, Index&, out_lod^Out", kernel=_nms_2,
                    infer=promoting(_infer_with_lod), lod="drop", fails="values")
"""Boxes [K, 6] (class, score, corners) with a LoD of images. The first gives [[-1]] where none stays; the second tells
their numbers [K, 1] among all boxes."""

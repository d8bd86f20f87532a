"""detection_map: the mean average precision (mAP) of detections, of a batch or of all batches so far.

A detection counts as found where it overlaps the object of its class, that it overlaps most, by more than a threshold,
and is the surest to do so. After "The PASCAL Visual Object Classes Challenge" (Everingham et al., 2010).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...backend.arrays import to_numpy
from ...core import dtype as dt
from ..core.operator import operator
from ..core.spec import Spec
from .matching import bounds_of

_Hits = dict[int, list[tuple[float, int]]]  # by class: scores, and 1 for what counts


class _Counts:
    """How many objects each class has, and which detections found one, or found none."""

    def __init__(self) -> None:
        self.objects: dict[int, int] = defaultdict(int)
        self.right: _Hits = defaultdict(list)
        self.wrong: _Hits = defaultdict(list)

    def restore(self, counts: Any, right: Any, wrong: Any, right_lod: Sequence[Any],
                wrong_lod: Sequence[Any]) -> None:
        """Takes over what earlier batches gave."""
        for label, count in enumerate(to_numpy(counts).reshape(-1).tolist()):
            if count:
                self.objects[label] = count
        for hits, rows, lod in ((self.right, right, right_lod), (self.wrong, wrong, wrong_lod)):
            found = to_numpy(rows).tolist()
            for label, (begin, end) in enumerate(bounds_of("detection_map(TruePos)", rows, lod)):
                if end > begin:
                    hits[label] += [(score, int(hit)) for score, hit in found[begin:end]]

    def add(self, label: int, score: float, is_right: bool) -> None:
        """Counts a detection."""
        self.right[label].append((score, int(is_right)))
        self.wrong[label].append((score, int(not is_right)))


def _overlaps(box: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Intersection over union of a box with others."""
    sides = np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2])
    common = np.where((sides < 0).any(axis=1), 0, sides.prod(axis=1))
    areas = [np.maximum(z[..., 2:] - z[..., :2], 0).prod(axis=-1) for z in (box, boxes)]
    return common / (areas[0] + areas[1] - common)


def _count_image(counts: _Counts, found: np.ndarray, there: np.ndarray, threshold: float, with_difficult: bool) -> None:
    labels = there[:, 0].astype(int)
    is_hard = there[:, 1] != 0 if there.shape[1] == 6 else np.zeros(len(there), bool)
    for label in np.unique(labels).tolist():
        count = int(np.sum((labels == label) & (with_difficult | ~is_hard)))
        if count:
            counts.objects[label] += count
    for label in np.unique(found[:, 0].astype(int)).tolist():
        detected = found[found[:, 0].astype(int) == label]
        objects = np.flatnonzero(labels == label)
        if not len(objects):
            for score in detected[:, 1].tolist():
                counts.add(label, score, False)
            continue
        taken: set[int] = set()
        for row in detected[np.argsort(-detected[:, 1], kind="stable")]:
            near = _overlaps(np.clip(row[2:], 0, 1), there[objects, -4:])
            best = int(np.argmax(near))
            if not near[best] > threshold:
                counts.add(label, float(row[1]), False)
            elif with_difficult or not is_hard[objects[best]]:
                counts.add(label, float(row[1]), best not in taken)
                taken.add(best)


def _average_precision(right: list[tuple[float, int]], wrong: list[tuple[float, int]], objects: int,
                       ap_type: str) -> float:
    sums = [np.cumsum([hit for _, hit in sorted(hits, key=lambda pair: -pair[0])]) for hits in (right, wrong)]
    precision, recall = sums[0] / (sums[0] + sums[1]), sums[0] / objects
    if ap_type == "11point":
        return sum(float(precision[recall >= n / 10].max(initial=0)) for n in range(11)) / 11
    steps = np.diff(recall, prepend=0)
    return float(np.sum(np.where(np.abs(steps) > 1e-6, precision * np.abs(steps), 0)))


def _mean(counts: _Counts, ap_type: str) -> float:
    """The mean over the classes that have objects, the background's too; one without a detection counts as 0."""
    values = [_average_precision(counts.right[label], counts.wrong[label], objects, ap_type)
              if counts.right.get(label) else 0.0
              for label, objects in sorted(counts.objects.items())]
    return sum(values) / len(values) if values else 0.0


def _packed(hits: _Hits, class_num: int) -> tuple[np.ndarray, np.ndarray]:
    """The scores of all classes one behind the other, and where each class begins."""
    rows = [pair for label in sorted(hits) if 0 <= label < class_num for pair in hits[label]]
    sizes = _by_class({label: len(found) for label, found in hits.items()}, class_num, "int64")
    return np.array(rows, "float32").reshape(-1, 2), np.concatenate([[0], np.cumsum(sizes)]).astype("int64")


def _by_class(counts: Mapping[int, int], class_num: int, dtype: str) -> np.ndarray:
    """The count of each class."""
    found = np.zeros(class_num, dtype)
    for label, count in counts.items():
        if 0 <= label < class_num:
            found[label] = count
    return found


def _detection_map(xp, found, label, has_state, counts, right, wrong, found_lod, label_lod, right_lod=(),
                   wrong_lod=(), *, class_num: int, background_label: int = 0, overlap_threshold: float = 0.5,
                   evaluate_difficult: bool = True, ap_type: str = "integral"):
    total = _Counts()
    if has_state is not None and counts is not None and int(to_numpy(has_state).reshape(-1)[0]):
        total.restore(counts, right, wrong, right_lod, wrong_lod)
    detections, objects = to_numpy(found), to_numpy(label)
    images = (bounds_of("detection_map(DetectRes)", found, found_lod),
              bounds_of("detection_map(Label)", label, label_lod))
    if len(images[0]) != len(images[1]):
        raise ValueError(f"detection_map(detect_res, label): must be of equally many images. Received "
                         f"{len(images[0])} and {len(images[1])}.")
    for (begin, end), (first, last) in zip(*images, strict=True):
        _count_image(total, detections[begin:end], objects[first:last], overlap_threshold, evaluate_difficult)
    numbers = _by_class(total.objects, class_num, "int32").reshape(-1, 1)
    (hits, hit_lod), (misses, miss_lod) = _packed(total.right, class_num), _packed(total.wrong, class_num)
    value = np.array([_mean(total, ap_type)], "float32")
    return (*map(xp.asarray, (value, numbers, hits, misses)), [xp.asarray(hit_lod)], [xp.asarray(miss_lod)])


def _infer(found, label, has_state=None, counts=None, right=None, wrong=None, *lods, class_num=0, ap_type="integral",
           **_):
    if found.rank != 2 or found.shape[1] not in (6, -1):
        raise ValueError(f"detection_map(detect_res): must have shape [M, 6]: label, score, and a box. "
                         f"Received {list(found.shape)}.")
    if label.rank != 2 or label.shape[1] not in (5, 6, -1):
        raise ValueError(f"detection_map(label): must have shape [N, 5] or [N, 6]: label, whether it is difficult, "
                         f"and a box. Received {list(label.shape)}.")
    if ap_type not in ("integral", "11point"):
        raise ValueError(f"detection_map(ap_version): must be 'integral' or '11point'. Received {ap_type!r}.")
    pairs = Spec((-1, 2), dt.float32)
    return (Spec((1,), dt.float32), Spec((class_num, 1), dt.int32), pairs, pairs, [Spec((-1,), dt.int64)],
            [Spec((-1,), dt.int64)])


detection_map_op = operator(
    "detection_map", "DetectRes, Label, HasState?, PosCount?, TruePos?, FalsePos?, found_lod^DetectRes, "
    "label_lod^Label, right_lod^TruePos, wrong_lod^FalsePos -> MAP, AccumPosCount, AccumTruePos, AccumFalsePos, "
    "hit_lod^AccumTruePos, miss_lod^AccumFalsePos", kernel=_detection_map, infer=_infer, lod="drop", fails="values")
"""The mAP, and the counts that it is made of, to be handed to the next batch."""

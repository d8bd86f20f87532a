"""generate_mask_labels: the masks that regions are to learn, out of polygons around true objects.

He et al., Mask R-CNN, 2017. Polygons are filled as the COCO data set's tools fill them, by what lies between their
edges in each column of pixels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...backend.arrays import to_numpy
from ...core import dtype as dt
from ..core.operator import operator
from ..core.spec import Spec
from ..sequence.offsets import levels_of
from .matching import bounds_of
from .target_sampling import offsets_of, pixel_overlaps

_FINE = 5  # points of an edge for each pixel


def _edge(x0: int, y0: int, x1: int, y1: int) -> tuple[np.ndarray, np.ndarray]:
    """The points of an edge from one corner to the next, in steps of one along its longer side."""
    across, down = abs(x1 - x0), abs(y1 - y0)
    is_wide = across >= down
    back = x0 > x1 if is_wide else y0 > y1
    if back:
        x0, y0, x1, y1 = x1, y1, x0, y0
    steps = np.arange(max(across, down) + 1)
    steps = steps[::-1] if back else steps
    if is_wide:
        return steps + x0, (y0 + ((y1 - y0) / across if across else 0.0) * steps + 0.5).astype("int64")
    return (x0 + (x1 - x0) / down * steps + 0.5).astype("int64"), steps + y0


def filled(polygon: np.ndarray, size: int) -> np.ndarray:
    """Which pixels [size, size] of a square lie in a polygon [points, 2] (x, y)."""
    corners = (_FINE * polygon + 0.5).astype("int64")
    edges = [_edge(*corners[n], *corners[(n + 1) % len(corners)]) for n in range(len(corners))]
    u, v = (np.concatenate(part) for part in zip(*edges, strict=True))
    turns = np.flatnonzero(u[1:] != u[:-1]) + 1
    column = (np.where(u[turns] < u[turns - 1], u[turns], u[turns] - 1) + 0.5) / _FINE - 0.5
    row = np.ceil(np.clip((np.minimum(v[turns], v[turns - 1]) + 0.5) / _FINE - 0.5, 0, size))
    counts = (np.floor(column) == column) & (column >= 0) & (column <= size - 1)
    changes = (column[counts] * size + row[counts]).astype("int64")
    crossed = np.bincount(changes, minlength=size * size + 1)[:size * size]
    return (np.cumsum(crossed) % 2 == 1).reshape(size, size).T


def _mask(polygons: Sequence[np.ndarray], box: np.ndarray, size: int) -> np.ndarray:
    """Which pixels of a region, brought to a square, lie in one of the polygons of an object."""
    sides = np.maximum(box[2:] - box[:2], 1)
    return np.any([filled((polygon - box[:2]) * size / sides, size) for polygon in polygons], 0)


def _of_image(rois: np.ndarray, labels: np.ndarray, objects: Sequence[Sequence[np.ndarray]], scale: float, classes: int,
              size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(regions with a mask, their places among all, masks of each class, -1 where nothing is learnt)."""
    chosen = np.flatnonzero(labels > 0) if objects else np.zeros(0, "int64")
    if not len(chosen):  # one region that learns nothing, as in Paddle
        place = np.flatnonzero(labels == 0)[:1]
        return rois[place], place, np.full((len(place), classes * size * size), -1, "int32")
    regions = rois[chosen] / scale
    around = np.array([np.concatenate([np.concatenate(polygons).min(0), np.concatenate(polygons).max(0)])
                       for polygons in objects])
    nearest = pixel_overlaps(regions, around).argmax(1)
    masks = np.full((len(chosen), classes, size * size), -1, "int32")
    for row, (place, best) in enumerate(zip(chosen, nearest, strict=True)):
        masks[row, labels[place]] = _mask(objects[best], regions[row], size).reshape(-1)
    return regions * scale, chosen, masks.reshape(len(chosen), -1)


def _polygons(points: np.ndarray, lod: Sequence[np.ndarray]) -> list[list[list[np.ndarray]]]:
    """The polygons of each object of each image."""
    images, objects, polygons = ([*zip(level[:-1], level[1:], strict=True)] for level in lod)
    each = [points[a:b] for a, b in polygons]
    of_objects = [each[a:b] for a, b in objects]
    return [of_objects[a:b] for a, b in images]


def _mask_labels(xp, sizes, classes, crowd, segments, rois, labels, lod=(), rois_lod=(), *, num_classes: int,
                 resolution: int):
    of_images = _polygons(to_numpy(segments).astype("float64"), [to_numpy(level) for level in lod])
    bounds = bounds_of("generate_mask_labels(rois)", rois, rois_lod)
    if len(bounds) != len(of_images):
        raise ValueError(f"generate_mask_labels(gt_segms, rois): must be of as many images. Received {len(of_images)} "
                         f"and {len(bounds)}.")
    given = to_numpy(rois), to_numpy(labels).reshape(-1), to_numpy(classes).reshape(-1), to_numpy(crowd).reshape(-1)
    found, first = [], 0
    for objects, (a, b), scale in zip(of_images, bounds, to_numpy(sizes)[:, 2], strict=True):
        kept = [polygons for n, polygons in enumerate(objects, first) if given[2][n] > 0 and given[3][n] == 0]
        found.append(_of_image(given[0][a:b], given[1][a:b], kept, float(scale), num_classes, resolution))
        first += len(objects)
    offsets = offsets_of([len(part[0]) for part in found])
    parts = [np.concatenate(part) for part in zip(*found, strict=True)]
    return (xp.asarray(parts[0], dtype=rois.dtype), xp.asarray(parts[1][:, None], dtype="int32"), xp.asarray(parts[2]),
            *([xp.array(offsets)] for _ in range(3)))


def _infer(sizes, classes, crowd, segments, rois, labels, lod=(), rois_lod=(), *, num_classes, resolution):
    levels_of("generate_mask_labels(gt_segms)", lod, 3, 3)
    if segments.rank != 2 or segments.shape[1] not in (2, -1) or rois.shape[-1] not in (4, -1):
        raise ValueError(f"generate_mask_labels(gt_segms, rois): must have the shapes [points, 2] and [R, 4]. "
                         f"Received {list(segments.shape)} and {list(rois.shape)}.")
    return (Spec((-1, 4), rois.dtype), Spec((-1, 1), dt.int32), Spec((-1, num_classes * resolution ** 2), dt.int32),
            *[[Spec((-1,), dt.int64)]] * 3)


generate_mask_labels_op = operator(
    "generate_mask_labels", "ImInfo, GtClasses, IsCrowd, GtSegms, Rois, LabelsInt32, lod^GtSegms, lod_rois^Rois -> "
    "MaskRois, RoiHasMaskInt32, MaskInt32, lod_0^MaskRois, lod_1^RoiHasMaskInt32, lod_2^MaskInt32",
    kernel=_mask_labels, infer=_infer, lod="drop", fails="values")
"""Regions with a mask to learn [K, 4], their places among the regions of their image [K, 1], and the masks
[K, classes * resolution²] of 0 and 1, -1 where nothing is learnt. GtSegms: points [S, 2] of polygons, with a LoD of
three levels: images of objects of polygons."""

"""Boxes of YOLO's maps: yolo_box reads them, yolov3_loss compares them with true ones.

A map [N, anchors * (5 + classes), H, W] holds for each anchor and cell the place and the size of a box, whether there
is one, and its class. After "YOLOv3: An Incremental Improvement" (Redmon and Farhadi, 2018).
"""


import math

from ...core import dtype as dt
from ..array.gradient_shapes import reshape_to
from ..array.reshape import reshape, shape_handle
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.elementwise import multiply, scale
from ..math.unary import sign
from ..nn.activation import sigmoid
from ..nn.pool import put_back, take_positions_op
from . import yolo_kernels as kernels


def _yolo_box(xp, x, img_size, *, anchors: Ints = (), class_num: int = 1, conf_thresh: float = 0.01,
              downsample_ratio: int = 32, clip_bbox: bool = True, scale_x_y: float = 1.0, iou_aware: bool = False,
              iou_aware_factor: float = 0.5):
    overlap = None
    if iou_aware:
        count = len(anchors) // 2
        overlap, x = kernels.sigmoid(xp, x[:, :count]), x[:, count:]
    map_ = kernels.Map(xp, x, class_num, anchors, downsample_ratio, scale_x_y)
    sure = kernels.sigmoid(xp, map_.part[:, :, 4])
    if overlap is not None:
        sure = sure ** (1 - iou_aware_factor) * overlap ** iou_aware_factor
    boxes = map_.corners(img_size, clip_bbox)
    kept = (sure >= conf_thresh).astype(x.dtype)
    scores = kernels.sigmoid(xp, map_.part[:, :, 5:]) * (sure * kept)[:, :, None]
    boxes = boxes * kept[:, :, None]
    return tuple(xp.moveaxis(part, 2, -1).reshape(len(x), math.prod((part.shape[1], *part.shape[3:])), part.shape[2])
                 for part in (boxes, scores))


def _infer_yolo_box(x, img_size, *, anchors=(), class_num=1, iou_aware=False, **_):
    count = len(anchors) // 2
    channels = count * (5 + class_num + bool(iou_aware))
    if x.rank != 4 or x.shape[1] not in (-1, channels):
        raise ValueError(f"yolo_box(x, anchors, class_num): x must have the shape [N, {channels}, H, W], for each of "
                         f"{count} anchors {channels // max(count, 1)} channels. Received {list(x.shape)}.")
    places = -1 if -1 in x.shape[2:] else count * x.shape[2] * x.shape[3]
    return Spec((x.shape[0], places, 4), x.dtype), Spec((x.shape[0], places, class_num), x.dtype)


yolo_box_op = operator("yolo_box", "X, ImgSize -> Boxes, Scores", kernel=_yolo_box, infer=_infer_yolo_box, lod="drop")


# the loss: a sum over elements of the map, each compared with a target, by cross entropy or by distance

def _matches(xp, x, gt_box, gt_label, gt_score=None, *, anchors: Ints = (), anchor_mask: Ints = (), class_num: int = 1,
             ignore_thresh: float = 0.7, downsample_ratio: int = 32, use_label_smooth: bool = True,
             scale_x_y: float = 1.0):
    chosen = [size for n in anchor_mask for size in anchors[2 * n:2 * n + 2]]
    map_ = kernels.Map(xp, x, class_num, chosen, downsample_ratio, scale_x_y)
    truth = kernels.Truth(xp, map_, gt_box, gt_label, gt_score, anchors, anchor_mask)
    present = truth.presence(ignore_thresh)
    at, targets, weights, distances = truth.compared(present, use_label_smooth)
    return at, targets, weights, distances, present, truth.match.astype("int32")


def _infer_matches(x, gt_box, gt_label, gt_score=None, *, anchor_mask=(), class_num=1, **_):
    count, boxes = len(anchor_mask), gt_box.shape[1]
    channels = count * (5 + class_num)
    if x.rank != 4 or x.shape[1] not in (-1, channels):
        raise ValueError(f"yolo_loss(x, anchor_mask, class_num): x must have the shape [N, {channels}, H, W], for each "
                         f"of {count} anchors {5 + class_num} channels. Received {list(x.shape)}.")
    places = -1 if -1 in (boxes, *x.shape[2:]) else boxes * (4 + class_num) + count * x.shape[2] * x.shape[3]
    element = Spec((x.shape[0], 1, places), x.dtype)
    return (Spec(element.shape, dt.int64), element, element, element, Spec((x.shape[0], count, *x.shape[2:]), x.dtype),
            Spec((x.shape[0], boxes), dt.int32))


matches_op = operator("yolo_matches", "X, GTBox, GTLabel, GTScore? -> Positions, Targets, Weights, Distances, "
                      "ObjectnessMask, GTMatchMask", kernel=_matches, infer=_infer_matches, only_here=True)
"""What the loss compares: elements of the map, their targets and weights, 1 for those that are compared by distance;
where there is an object (its score; 0 for none, -1 for those left out), and the anchor of each true box, or -1."""


def _yolo_loss(xp, x, gt_box, gt_label, gt_score=None, *, anchors: Ints = (), anchor_mask: Ints = (),
               class_num: int = 1, ignore_thresh: float = 0.7, downsample_ratio: int = 32,
               use_label_smooth: bool = True, scale_x_y: float = 1.0):
    at, targets, weights, distances, present, match = _matches(
        xp, x, gt_box, gt_label, gt_score, anchors=anchors, anchor_mask=anchor_mask, class_num=class_num,
        ignore_thresh=ignore_thresh, downsample_ratio=downsample_ratio, use_label_smooth=use_label_smooth,
        scale_x_y=scale_x_y)
    found = xp.take_along_axis(x.reshape(len(x), 1, math.prod(x.shape[1:])), at, 2)
    entropy = xp.maximum(found, 0) - found * targets + xp.log1p(xp.exp(-xp.abs(found)))
    each = xp.where(distances > 0, xp.abs(found - targets), entropy)
    return (each * weights).sum((1, 2)), present, match


def _infer_yolo_loss(x, gt_box, gt_label, gt_score=None, **attrs):
    *_, present, match = _infer_matches(x, gt_box, gt_label, gt_score, **attrs)
    return Spec(x.shape[:1], x.dtype), present, match


def _yolo_gradient(g, X, GTBox, GTLabel, GTScore, anchors, anchor_mask, class_num, ignore_thresh, downsample_ratio,
                   use_label_smooth, scale_x_y):
    at, targets, weights, distances, *_ = apply(
        matches_op, X, GTBox, GTLabel, GTScore, anchors=anchors, anchor_mask=anchor_mask, class_num=class_num,
        ignore_thresh=ignore_thresh, downsample_ratio=downsample_ratio, use_label_smooth=use_label_smooth,
        scale_x_y=scale_x_y)
    flat = reshape(X, [0, 1, -1])
    found = apply(take_positions_op, flat, at)
    slope = distances * sign(found - targets) + scale(distances, -1.0, 1.0) * (sigmoid(found) - targets)
    return reshape_to(put_back(multiply(slope * weights, reshape(g, [-1, 1, 1])), at, shape_handle(flat)),
                      shape_handle(X))


yolo_loss_op = operator("yolov3_loss", "X, GTBox, GTLabel, GTScore? -> Loss, ObjectnessMask&, GTMatchMask&",
                        kernel=_yolo_loss, infer=_infer_yolo_loss, grad={"X": _yolo_gradient}, lod="drop")

"""Layers that choose among boxes: detection_output, multiclass_nms, matrix_nms, yolo_box; yolov3_loss, focal loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.dtype import int32
from ..layer_helper import LayerHelper
from ..mode import face
from . import nn
from .box_matching import box_coder
from .prior_boxes import constants


@face
def detection_output(loc: Any, scores: Any, prior_box: Any, prior_box_var: Any, background_label: int = 0,
                     nms_threshold: float = 0.3, nms_top_k: int = 400, keep_top_k: int = 200,
                     score_threshold: float = 0.01, nms_eta: float = 1.0, return_index: bool = False) -> Any:
    """What SSD sees: boxes [K, 6] (class, score, corners) with a LoD of images; [[-1]] where there are none.

    `loc` [N, M, 4] moves the prior boxes [M, 4], `scores` [N, M, classes] are brought to probabilities. As in Paddle
    1.8 the background is class 0, and `nms_eta` says nothing. With `return_index` the numbers of the boxes are given.
    """
    helper = LayerHelper("detection_output")
    decoded = box_coder(prior_box=prior_box, prior_box_var=prior_box_var, target_box=loc,
                        code_type="decode_center_size")
    scores = nn.transpose(nn.softmax(input=scores), perm=[0, 2, 1])
    scores.stop_gradient = True
    results = helper.apply("multiclass_nms2" if return_index else "multiclass_nms", decoded, scores,
                           background_label=0, nms_threshold=nms_threshold, nms_top_k=nms_top_k,
                           keep_top_k=keep_top_k, score_threshold=score_threshold, nms_eta=1.0)
    return constants(*results[:2]) if return_index else constants(results[0])


@face
def multiclass_nms(bboxes: Any, scores: Any, score_threshold: float, nms_top_k: int, keep_top_k: int,
                   nms_threshold: float = 0.3, normalized: bool = True, nms_eta: float = 1.0,
                   background_label: int = 0, name: str | None = None) -> Any:
    """Of the boxes of each class those that no better one hides: [K, 6] (class, score, corners) with a LoD of images.

    bboxes [N, M, 4] and scores [N, classes, M], or [M, classes, 4] and [M, classes] with a LoD. [[-1]] where none is.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> main = fluid.Program()
    >>> with fluid.program_guard(main, fluid.Program()):
    ...     boxes, scores = fluid.data("boxes", [1, 3, 4]), fluid.data("scores", [1, 2, 3])
    ...     kept = fluid.layers.multiclass_nms(boxes, scores, 0.1, 10, 10)
    >>> feed = {"boxes": np.array([[[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]]], "float32"),
    ...         "scores": np.array([[[0, 0, 0], [0.9, 0.8, 0.5]]], "float32")}
    >>> fluid.Executor(fluid.CPUPlace()).run(main, feed, [kept], return_numpy=False)[0].shape()
    [2, 6]
    """
    return constants(LayerHelper("multiclass_nms", name=name).apply(
        "multiclass_nms", bboxes, scores, background_label=background_label, score_threshold=score_threshold,
        nms_top_k=nms_top_k, nms_threshold=nms_threshold, nms_eta=nms_eta, keep_top_k=keep_top_k,
        normalized=normalized)[0])


@face
def matrix_nms(bboxes: Any, scores: Any, score_threshold: float, post_threshold: float, nms_top_k: int,
               keep_top_k: int, use_gaussian: bool = False, gaussian_sigma: float = 2.0, background_label: int = 0,
               normalized: bool = True, return_index: bool = False, name: str | None = None) -> Any:
    """Boxes [K, 6] (class, decayed score, corners) with a LoD of images: better ones that overlap decay the scores.

    Wang et al., SOLOv2: Dynamic and Fast Instance Segmentation, 2020.
    """
    out, index = LayerHelper("matrix_nms", name=name).apply(
        "matrix_nms", bboxes, scores, score_threshold=score_threshold, post_threshold=post_threshold,
        nms_top_k=nms_top_k, keep_top_k=keep_top_k, use_gaussian=use_gaussian, gaussian_sigma=gaussian_sigma,
        background_label=background_label, normalized=normalized)[:2]
    constants(out)
    return (out, index) if return_index else out


@face
def locality_aware_nms(bboxes: Any, scores: Any, score_threshold: float, nms_top_k: int, keep_top_k: int,
                       nms_threshold: float = 0.3, normalized: bool = True, nms_eta: float = 1.0,
                       background_label: int = -1, name: str | None = None) -> Any:
    """As `multiclass_nms` of one class: bboxes [N, M, 4], scores [N, 1, M]; neighbours that overlap are merged before.

    More than four numbers are corners of polygons (x, y, x, y, …), as detectors of text give quadrilaterals.
    Zhou et al., EAST: An Efficient and Accurate Scene Text Detector, 2017.
    """
    return constants(LayerHelper("locality_aware_nms", name=name).apply(
        "locality_aware_nms", bboxes, scores, background_label=background_label, score_threshold=score_threshold,
        nms_top_k=nms_top_k, nms_threshold=nms_threshold, nms_eta=nms_eta, keep_top_k=keep_top_k,
        normalized=normalized)[0])


@face
def retinanet_detection_output(bboxes: Sequence[Any], scores: Sequence[Any], anchors: Sequence[Any], im_info: Any,
                               score_threshold: float = 0.05, nms_top_k: int = 1000, keep_top_k: int = 100,
                               nms_threshold: float = 0.3, nms_eta: float = 1.0) -> Any:
    """What RetinaNet sees: boxes [K, 6] (class, score, corners) with a LoD of images, out of lists of levels.

    As in Paddle 1.8 `nms_eta` says nothing. Lin et al., Focal Loss for Dense Object Detection, 2017.
    """
    _check_lists("retinanet_detection_output", bboxes=bboxes, scores=scores, anchors=anchors)
    return constants(LayerHelper("retinanet_detection_output").apply(
        "retinanet_detection_output", list(bboxes), list(scores), list(anchors), im_info,
        score_threshold=score_threshold, nms_top_k=nms_top_k, nms_threshold=nms_threshold, keep_top_k=keep_top_k,
        nms_eta=1.0)[0])


@face
def sigmoid_focal_loss(x: Any, label: Any, fg_num: Any, gamma: float = 2.0, alpha: float = 0.25) -> Any:
    """The loss [N, classes] of scores x for labels [N, 1], which count from 1, divided by `fg_num` [1].

    Lin et al., Focal Loss for Dense Object Detection, 2017.
    """
    if label.dtype is not int32 or fg_num.dtype is not int32:
        raise TypeError(f"sigmoid_focal_loss(label, fg_num): must be of int32. Received {label.dtype.name} and "
                        f"{fg_num.dtype.name}.")
    return LayerHelper("sigmoid_focal_loss").apply("sigmoid_focal_loss", x, label, fg_num, gamma=gamma, alpha=alpha)


def _check_lists(what: str, **lists: Any) -> None:
    for name, value in lists.items():
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"{what}({name}): must be a list. Received {type(value).__name__}.")


@face
def yolov3_loss(x: Any, gt_box: Any, gt_label: Any, anchors: Sequence[int], anchor_mask: Sequence[int], class_num: int,
                ignore_thresh: float, downsample_ratio: int, gt_score: Any = None, use_label_smooth: bool = True,
                name: str | None = None, scale_x_y: float = 1.0) -> Any:
    """The loss [N] of YOLOv3's prediction x for true boxes [N, B, 4] with their classes [N, B] (and scores).

    Redmon and Farhadi, YOLOv3: An Incremental Improvement, 2018.
    """
    _check_lists("yolov3_loss", anchors=anchors, anchor_mask=anchor_mask)
    return LayerHelper("yolov3_loss", name=name).apply(
        "yolov3_loss", x, gt_box, gt_label, gt_score, anchors=list(anchors), anchor_mask=list(anchor_mask),
        class_num=class_num, ignore_thresh=ignore_thresh, downsample_ratio=downsample_ratio,
        use_label_smooth=use_label_smooth, scale_x_y=scale_x_y)[0]


@face
def yolo_box(x: Any, img_size: Any, anchors: Sequence[int], class_num: int, conf_thresh: float, downsample_ratio: int,
             clip_bbox: bool = True, name: str | None = None, scale_x_y: float = 1.0) -> tuple[Any, Any]:
    """The boxes [N, M, 4] and scores [N, M, classes] of YOLOv3's prediction x for images of sizes [N, 2]."""
    _check_lists("yolo_box", anchors=anchors)
    return LayerHelper("yolo_box", name=name).apply(
        "yolo_box", x, img_size, anchors=list(anchors), class_num=class_num, conf_thresh=conf_thresh,
        downsample_ratio=downsample_ratio, clip_bbox=clip_bbox, scale_x_y=scale_x_y)


__all__ = ["detection_output", "locality_aware_nms", "matrix_nms", "multiclass_nms", "retinanet_detection_output",
           "sigmoid_focal_loss", "yolo_box", "yolov3_loss"]

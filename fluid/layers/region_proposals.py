"""Layers of detectors in two stages: generate_proposals, what they learn, and their levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.core.operator import find
from ...ops.core.trace import apply, current_trace
from ..layer_helper import LayerHelper
from ..mode import face
from . import nn
from .prior_boxes import constants


@face
def generate_proposals(scores: Any, bbox_deltas: Any, im_info: Any, anchors: Any, variances: Any,
                       pre_nms_top_n: int = 6000, post_nms_top_n: int = 1000, nms_thresh: float = 0.5,
                       min_size: float = 0.1, eta: float = 1.0, name: str | None = None,
                       return_rois_num: bool = False) -> Any:
    """Regions [R, 4] that may show something, with their scores [R, 1] and a LoD of images: the best of the anchors.

    With `return_rois_num` a third result tells where the regions of each image end. Ren et al., Faster R-CNN, 2015.
    """
    results = LayerHelper("generate_proposals", name=name).apply(
        "generate_proposals", scores, bbox_deltas, im_info, anchors, variances, pre_nms_topN=pre_nms_top_n,
        post_nms_topN=post_nms_top_n, nms_thresh=nms_thresh, min_size=min_size, eta=eta)
    return constants(*results[:3 if return_rois_num else 2])


@face
def rpn_target_assign(bbox_pred: Any, cls_logits: Any, anchor_box: Any, anchor_var: Any, gt_boxes: Any, is_crowd: Any,
                      im_info: Any, rpn_batch_size_per_im: int = 256, rpn_straddle_thresh: float = 0.0,
                      rpn_fg_fraction: float = 0.5, rpn_positive_overlap: float = 0.7,
                      rpn_negative_overlap: float = 0.3, use_random: bool = True) -> tuple[Any, ...]:
    """What is learnt of some anchors: (their scores, their deltas, their labels, the true deltas, weights)."""
    location, score, label, deltas, weight = constants(*LayerHelper("rpn_target_assign").apply(
        "rpn_target_assign", anchor_box, gt_boxes, is_crowd, im_info, rpn_batch_size_per_im=rpn_batch_size_per_im,
        rpn_straddle_thresh=rpn_straddle_thresh, rpn_positive_overlap=rpn_positive_overlap,
        rpn_negative_overlap=rpn_negative_overlap, rpn_fg_fraction=rpn_fg_fraction, use_random=use_random)[:5])
    logits, moves = nn.reshape(x=cls_logits, shape=(-1, 1)), nn.reshape(x=bbox_pred, shape=(-1, 4))
    return nn.gather(logits, score), nn.gather(moves, location), label, deltas, weight


@face
def retinanet_target_assign(bbox_pred: Any, cls_logits: Any, anchor_box: Any, anchor_var: Any, gt_boxes: Any,
                            gt_labels: Any, is_crowd: Any, im_info: Any, num_classes: int = 1,
                            positive_overlap: float = 0.5, negative_overlap: float = 0.4) -> tuple[Any, ...]:
    """What is learnt of the anchors: (their scores, their deltas, labels, the true deltas, weights, positive ones)."""
    location, score, label, deltas, weight, count = constants(*LayerHelper("retinanet_target_assign").apply(
        "retinanet_target_assign", anchor_box, gt_boxes, gt_labels, is_crowd, im_info,
        positive_overlap=positive_overlap, negative_overlap=negative_overlap)[:6])
    logits, moves = nn.reshape(x=cls_logits, shape=(-1, num_classes)), nn.reshape(x=bbox_pred, shape=(-1, 4))
    return nn.gather(logits, score), nn.gather(moves, location), label, deltas, weight, count


@face
def generate_proposal_labels(rpn_rois: Any, gt_classes: Any, is_crowd: Any, gt_boxes: Any, im_info: Any,
                             batch_size_per_im: int = 256, fg_fraction: float = 0.25, fg_thresh: float = 0.25,
                             bg_thresh_hi: float = 0.5, bg_thresh_lo: float = 0.0,
                             bbox_reg_weights: Sequence[float] = (0.1, 0.1, 0.2, 0.2), class_nums: int | None = None,
                             use_random: bool = True, is_cls_agnostic: bool = False,
                             is_cascade_rcnn: bool = False) -> tuple[Any, ...]:
    """The regions that are learnt from: (regions, labels, deltas by class, where these count, and once more)."""
    attrs = {} if class_nums is None else {"class_nums": class_nums}
    return constants(*LayerHelper("generate_proposal_labels").apply(
        "generate_proposal_labels", rpn_rois, gt_classes, is_crowd, gt_boxes, im_info,
        batch_size_per_im=batch_size_per_im, fg_fraction=fg_fraction, fg_thresh=fg_thresh, bg_thresh_hi=bg_thresh_hi,
        bg_thresh_lo=bg_thresh_lo, bbox_reg_weights=[float(n) for n in bbox_reg_weights], use_random=use_random,
        is_cls_agnostic=is_cls_agnostic, is_cascade_rcnn=is_cascade_rcnn, **attrs)[:5])


@face
def generate_mask_labels(im_info: Any, gt_classes: Any, is_crowd: Any, gt_segms: Any, rois: Any, labels_int32: Any,
                         num_classes: int, resolution: int) -> tuple[Any, Any, Any]:
    """The masks that regions are to learn: (regions, their places among all, masks [K, classes * resolution²]).

    `gt_segms`: points of polygons around the true objects, with a LoD of three levels: images of objects of polygons.
    He et al., Mask R-CNN, 2017.
    """
    return constants(*LayerHelper("generate_mask_labels").apply(
        "generate_mask_labels", im_info, gt_classes, is_crowd, gt_segms, rois, labels_int32, num_classes=num_classes,
        resolution=resolution)[:3])


@face
def collect_fpn_proposals(multi_rois: Sequence[Any], multi_scores: Sequence[Any], min_level: int, max_level: int,
                          post_nms_top_n: int, name: str | None = None) -> Any:
    """The best of the regions of all levels, by image."""
    count = max_level - min_level + 1
    return constants(LayerHelper("collect_fpn_proposals", name=name).apply(
        "collect_fpn_proposals", list(multi_rois[:count]), list(multi_scores[:count]),
        post_nms_topN=post_nms_top_n)[0])


@face
def distribute_fpn_proposals(fpn_rois: Any, min_level: int, max_level: int, refer_level: int, refer_scale: int,
                             name: str | None = None) -> tuple[list[Any], Any]:
    """Regions sorted to the levels of a pyramid by their size, each level with a LoD; and where each went [R, 1].

    Lin et al., Feature Pyramid Networks for Object Detection, 2016.
    """
    helper = LayerHelper("distribute_fpn_proposals", name=name)
    names = {slot: [helper._result_name() for _ in range(count)]  # in the order in which 1.8 makes the results
             for slot, count in (("MultiFpnRois", max_level - min_level + 1), ("RestoreIndex", 1))}
    with current_trace().naming(lambda slot: names[slot].pop(0) if names.get(slot) else helper._result_name()):
        levels, _, restored, _ = apply(find("distribute_fpn_proposals"), fpn_rois, None, min_level=min_level,
                                       max_level=max_level, refer_level=refer_level, refer_scale=refer_scale)
    return list(levels), restored


__all__ = ["collect_fpn_proposals", "distribute_fpn_proposals", "generate_proposal_labels", "generate_proposals",
           "retinanet_target_assign", "rpn_target_assign"]

"""`fluid.layers.detection`: the layers of these families by the path under which 1.x has them."""

from .average_precision import detection_map
from .box_matching import (
    bipartite_match,
    box_clip,
    box_coder,
    box_decoder_and_assign,
    iou_similarity,
    polygon_box_transform,
    ssd_loss,
    target_assign,
)
from .box_selection import (
    detection_output,
    locality_aware_nms,
    matrix_nms,
    multiclass_nms,
    retinanet_detection_output,
    sigmoid_focal_loss,
    yolo_box,
    yolov3_loss,
)
from .prior_boxes import anchor_generator, density_prior_box, multi_box_head, prior_box
from .region_pooling import roi_perspective_transform
from .region_proposals import (
    collect_fpn_proposals,
    distribute_fpn_proposals,
    generate_mask_labels,
    generate_proposal_labels,
    generate_proposals,
    retinanet_target_assign,
    rpn_target_assign,
)

__all__ = ["anchor_generator", "bipartite_match", "box_clip", "box_coder", "box_decoder_and_assign",
           "collect_fpn_proposals", "density_prior_box", "detection_map", "detection_output",
           "distribute_fpn_proposals", "generate_mask_labels", "generate_proposal_labels", "generate_proposals",
           "iou_similarity", "locality_aware_nms", "matrix_nms", "multi_box_head", "multiclass_nms",
           "polygon_box_transform", "prior_box", "retinanet_detection_output", "retinanet_target_assign",
           "roi_perspective_transform", "rpn_target_assign", "sigmoid_focal_loss", "ssd_loss", "target_assign",
           "yolo_box", "yolov3_loss"]

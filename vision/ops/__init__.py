"""Operators of detection and segmentation: `paddle.vision.ops`."""

from ..image import decode_jpeg, read_file
from .blocks import ConvNormActivation
from .boxes import box_coder, prior_box, yolo_box, yolo_loss
from .convolution import DeformConv2D, deform_conv2d
from .nms import matrix_nms, nms
from .proposals import distribute_fpn_proposals, generate_proposals
from .roi import PSRoIPool, RoIAlign, RoIPool, psroi_pool, roi_align, roi_pool

__all__ = [
    "DeformConv2D", "PSRoIPool", "RoIAlign", "RoIPool", "box_coder", "decode_jpeg", "deform_conv2d",
    "distribute_fpn_proposals", "generate_proposals", "matrix_nms", "nms", "prior_box", "psroi_pool", "read_file",
    "roi_align", "roi_pool", "yolo_box", "yolo_loss",
]

"""Proposals of regions: made of anchors, and sorted by size."""

from __future__ import annotations

from typing import Any

from ...ops.core.trace import apply
from ...ops.vision.proposals import distribute_proposals_op, generate_proposals_op


def generate_proposals(scores: Any, bbox_deltas: Any, img_size: Any, anchors: Any, variances: Any,
                       pre_nms_top_n: int = 6000, post_nms_top_n: int = 1000, nms_thresh: float = 0.5,
                       min_size: float = 0.1, eta: float = 1.0, pixel_offset: bool = False,
                       return_rois_num: bool = False, name: str | None = None) -> tuple[Any, Any, Any]:
    """Regions that may hold an object: boxes [R, 4], their scores [R, 1], and how many each image has [N], or None.

    scores [N, A, H, W] and bbox_deltas [N, 4 * A, H, W] are those of anchors [H, W, A, 4] with their variances;
    img_size [N, 2] is height and width, in which boxes are kept. The `pre_nms_top_n` best of at least `min_size`
    go through `nms` with the threshold `nms_thresh` (which `eta` under 1 lowers), and `post_nms_top_n` of them stay.
    Ren et al., Faster R-CNN, 2015.

    >>> import proa as paddle
    >>> anchors = paddle.to_tensor([0.0, 0, 8, 8, 0, 0, 4, 4]).reshape([1, 1, 2, 4])
    >>> scores = paddle.to_tensor([0.9, 0.6]).reshape([1, 2, 1, 1])
    >>> moves = paddle.zeros([1, 8, 1, 1])  # each anchor as it is
    >>> boxes, found, count = paddle.vision.ops.generate_proposals(
    ...     scores, moves, paddle.to_tensor([[6.0, 6.0]]), anchors, paddle.ones([1, 1, 2, 4]), return_rois_num=True)
    >>> boxes.tolist(), count.tolist()
    ([[0.0, 0.0, 6.0, 6.0], [0.0, 0.0, 4.0, 4.0]], [2])
    """
    boxes, values, counts = apply(
        generate_proposals_op, scores, bbox_deltas, img_size, anchors, variances, pre_nms_topN=pre_nms_top_n,
        post_nms_topN=post_nms_top_n, nms_thresh=nms_thresh, min_size=min_size, eta=eta, pixel_offset=pixel_offset)
    return boxes, values, counts if return_rois_num else None


def distribute_fpn_proposals(fpn_rois: Any, min_level: int, max_level: int, refer_level: int, refer_scale: int,
                             pixel_offset: bool = False, rois_num: Any = None,
                             name: str | None = None) -> tuple[list[Any], Any, list[Any] | None]:
    """Boxes [R, 4] sorted to the levels of a pyramid by their size: a list of boxes for each level; where each box went
    [R, 1] among all; and, with rois_num [N], how many each image has on each level, otherwise None.

    A box of the size `refer_scale` belongs to `refer_level`, one of twice the size to the next.
    Lin et al., Feature Pyramid Networks for Object Detection, 2016.

    >>> import proa as paddle
    >>> boxes = paddle.to_tensor([[0.0, 0.0, 224.0, 224.0], [0.0, 0.0, 60.0, 60.0]])
    >>> levels, restored, _ = paddle.vision.ops.distribute_fpn_proposals(boxes, 2, 4, 4, 224)
    >>> [len(level) for level in levels], restored.tolist()
    ([1, 0, 1], [[1], [0]])
    """
    levels, counts, restored, _ = apply(
        distribute_proposals_op, fpn_rois, rois_num, [], min_level=min_level, max_level=max_level,
        refer_level=refer_level, refer_scale=refer_scale, pixel_offset=pixel_offset)
    return list(levels), restored, None if rois_num is None else list(counts)

"""Non-maximum suppression, boxes that others leave standing: nms, matrix_nms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.array.concat_split import concat
from ...ops.array.gather import gather
from ...ops.array.sorting import argsort
from ...ops.array.where import nonzero
from ...ops.core.trace import apply
from ...ops.math.comparison import equal
from ...ops.vision.nms import matrix_nms_op, nms_op


def nms(boxes: Any, iou_threshold: float = 0.3, scores: Any = None, category_idxs: Any = None,
        categories: Sequence[int] | None = None, top_k: int | None = None) -> Any:
    """Positions, int64, of the boxes [N, 4] that overlap no better one that stays by more than `iou_threshold`.

    The best have the largest scores [N], or without them stand first. With category_idxs [N] only boxes of one category
    count against each other, and only `categories` stay. At most `top_k` of the best are given.

    >>> import proa as paddle
    >>> boxes = paddle.to_tensor([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9], [3.0, 3.0, 4.0, 4.0]])
    >>> paddle.vision.ops.nms(boxes, 0.5).tolist()
    [0, 2]
    >>> paddle.vision.ops.nms(boxes, 0.5, paddle.to_tensor([0.1, 0.3, 0.2])).tolist()
    [1, 2]
    """
    if scores is None:
        if category_idxs is not None or top_k is not None:
            raise ValueError("nms(scores): category_idxs and top_k need the scores of the boxes. Received None.")
        return apply(nms_op, boxes, iou_threshold=iou_threshold)
    if category_idxs is None:
        return _first(_of(boxes, scores, iou_threshold), top_k)
    if categories is None:
        raise ValueError("nms(categories): with category_idxs, give the list of the categories wanted. Received None.")
    each = [_of_category(boxes, scores, category_idxs, number, iou_threshold) for number in categories]
    kept = concat(each, 0)
    return _first(gather(kept, argsort(gather(scores, kept), descending=True)), top_k)


def _of(boxes: Any, scores: Any, iou_threshold: float) -> Any:
    order = argsort(scores, descending=True)
    return gather(order, apply(nms_op, gather(boxes, order), iou_threshold=iou_threshold))


def _of_category(boxes: Any, scores: Any, category_idxs: Any, number: int, iou_threshold: float) -> Any:
    at = nonzero(equal(category_idxs, number)).reshape([-1])
    return gather(at, _of(gather(boxes, at), gather(scores, at), iou_threshold))


def _first(kept: Any, top_k: int | None) -> Any:
    return kept if top_k is None else kept[:top_k]


def matrix_nms(bboxes: Any, scores: Any, score_threshold: float, post_threshold: float, nms_top_k: int,
               keep_top_k: int, use_gaussian: bool = False, gaussian_sigma: float = 2.0, background_label: int = 0,
               normalized: bool = True, return_index: bool = False, return_rois_num: bool = True,
               name: str | None = None) -> tuple[Any, Any, Any]:
    """Boxes [N, M, 4] with scores [N, classes, M], the scores decayed by better boxes of the class that they overlap.

    Gives rows [K, 6] of (class, score, box), best first in each image; how many each image has [N], int32 (None unless
    `return_rois_num`); and their positions [K, 1] among N * M boxes, int32 (None unless `return_index`). Scores above
    `score_threshold` count, at most the `nms_top_k` best of a class; decayed ones above `post_threshold` stay, at most
    `keep_top_k` of an image; -1 is for all. `normalized` False counts the last element of boxes in elements.
    Wang et al., SOLOv2: Dynamic and Fast Instance Segmentation, 2020.

    >>> import proa as paddle
    >>> boxes = paddle.to_tensor([[[0.0, 0, 4, 4], [0, 0, 4, 2], [6, 6, 9, 9]]])
    >>> scores = paddle.to_tensor([[[1.0, 0.75, 0.5]]])
    >>> found, count, _ = paddle.vision.ops.matrix_nms(boxes, scores, 0.1, 0.0, -1, -1, background_label=-1)
    >>> found[:, 1].tolist(), count.tolist()
    ([1.0, 0.5, 0.375], [3])
    """
    rows, index, counts, *_ = apply(
        matrix_nms_op, bboxes, scores, score_threshold=score_threshold, post_threshold=post_threshold,
        nms_top_k=nms_top_k, keep_top_k=keep_top_k, use_gaussian=use_gaussian, gaussian_sigma=gaussian_sigma,
        background_label=background_label, normalized=normalized)
    return rows, counts if return_rois_num else None, index if return_index else None

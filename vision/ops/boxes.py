"""Boxes of detection: laid over images, said relative to others, and read from YOLO's maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.core.trace import apply
from ...ops.vision.boxes import box_coder_op, prior_box_op
from ...ops.vision.yolo import yolo_box_op, yolo_loss_op


def yolo_box(x: Any, img_size: Any, anchors: Sequence[int], class_num: int, conf_thresh: float, downsample_ratio: int,
             clip_bbox: bool = True, name: str | None = None, scale_x_y: float = 1.0, iou_aware: bool = False,
             iou_aware_factor: float = 0.5) -> tuple[Any, Any]:
    """The boxes [N, A * H * W, 4] in maps x [N, A * (5 + class_num), H, W], and their scores [N, A * H * W, class_num].

    `anchors` are A pairs of width and height in elements of the image that the map is of, which is
    `downsample_ratio` times as large; img_size [N, 2], int32, is what boxes are scaled to, height first.
    Boxes and scores are 0 where the confidence lies under `conf_thresh`. `clip_bbox` keeps boxes inside,
    `scale_x_y` stretches places in their cells. With `iou_aware` A channels in front hold overlaps, which count
    with the exponent `iou_aware_factor` in the confidence.
    Redmon and Farhadi, YOLOv3: An Incremental Improvement, 2018.

    >>> import proa as paddle
    >>> x, size = paddle.zeros([1, 6, 1, 1]), paddle.to_tensor([[32, 32]], "int32")
    >>> boxes, scores = paddle.vision.ops.yolo_box(x, size, [16, 16], 1, 0.01, 32)
    >>> boxes.tolist(), scores.tolist()
    ([[[8.0, 8.0, 24.0, 24.0]]], [[[0.25]]])
    """
    return apply(yolo_box_op, x, img_size, anchors=list(anchors), class_num=class_num, conf_thresh=conf_thresh,
                 downsample_ratio=downsample_ratio, clip_bbox=clip_bbox, scale_x_y=scale_x_y, iou_aware=iou_aware,
                 iou_aware_factor=iou_aware_factor)


def yolo_loss(x: Any, gt_box: Any, gt_label: Any, anchors: Sequence[int], anchor_mask: Sequence[int], class_num: int,
              ignore_thresh: float, downsample_ratio: int, gt_score: Any = None, use_label_smooth: bool = True,
              name: str | None = None, scale_x_y: float = 1.0) -> Any:
    """YOLO's loss [N] of maps x [N, M * (5 + class_num), H, W] against true boxes.

    gt_box [N, B, 4] holds middles, width and height as shares of the image (sides of 0 for no box), gt_label [N, B]
    their classes, gt_score [N, B] their weights, 1 by default. Each belongs to the anchor of the most similar shape;
    the map is that of the anchors that `anchor_mask` names. Elsewhere the map should hold nothing, except where a box
    overlaps a true one by more than `ignore_thresh`.

    >>> import proa as paddle
    >>> x = paddle.zeros([1, 2 * (5 + 3), 4, 4])  # two anchors a place, three classes
    >>> x.stop_gradient = False
    >>> box, label = paddle.to_tensor([[[0.3, 0.6, 0.2, 0.3]]]), paddle.to_tensor([[1]], "int32")
    >>> loss = paddle.vision.ops.yolo_loss(x, box, label, anchors=[10, 13, 33, 23], anchor_mask=[0, 1], class_num=3,
    ...                                    ignore_thresh=0.7, downsample_ratio=32)
    >>> loss.backward()
    >>> loss.shape, x.grad.shape
    ([1], [1, 16, 4, 4])
    """
    return apply(yolo_loss_op, x, gt_box, gt_label, gt_score, anchors=list(anchors), anchor_mask=list(anchor_mask),
                 class_num=class_num, ignore_thresh=ignore_thresh, downsample_ratio=downsample_ratio,
                 use_label_smooth=use_label_smooth, scale_x_y=scale_x_y)[0]


def prior_box(input: Any, image: Any, min_sizes: Any, max_sizes: Any = None, aspect_ratios: Any = (1.0,),
              variance: Sequence[float] = (0.1, 0.1, 0.2, 0.2), flip: bool = False, clip: bool = False,
              steps: Sequence[float] = (0.0, 0.0), offset: float = 0.5, min_max_aspect_ratios_order: bool = False,
              name: str | None = None) -> tuple[Any, Any]:
    """Boxes [H, W, P, 4] around the cells of input [N, C, H, W], as shares of the image, and their variances alike.

    A cell has a box of each of `min_sizes` in each of `aspect_ratios` (1 always, and with `flip` their inverses),
    and of each mean of a min and a max size. `steps` are the cells' width and height, by default the image's share.
    `min_max_aspect_ratios_order` puts the means behind the boxes of ratio 1.
    Liu et al., SSD: Single Shot MultiBox Detector, 2016.

    >>> import proa as paddle
    >>> boxes, _ = paddle.vision.ops.prior_box(paddle.zeros([1, 1, 1, 1]), paddle.zeros([1, 3, 8, 8]), [4.0])
    >>> boxes.tolist()
    [[[[0.25, 0.25, 0.75, 0.75]]]]
    """
    if len(steps) != 2:
        raise ValueError(f"prior_box(steps): must be two numbers. Received {list(steps)}.")
    return apply(prior_box_op, input, image, min_sizes=_list(min_sizes), max_sizes=_list(max_sizes),
                 aspect_ratios=_list(aspect_ratios), variances=_list(variance), flip=flip, clip=clip,
                 step_w=float(steps[0]), step_h=float(steps[1]), offset=float(offset),
                 min_max_aspect_ratios_order=min_max_aspect_ratios_order)


def _list(value: Any) -> list[float]:
    if value is None:
        return []
    return [float(n) for n in value] if isinstance(value, Sequence) else [float(value)]


def box_coder(prior_box: Any, prior_box_var: Any, target_box: Any, code_type: str = "encode_center_size",
              box_normalized: bool = True, axis: int = 0, name: str | None = None) -> Any:
    """Boxes relative to prior boxes [M, 4], or back: shifts of the middle and logarithms of growth, over variances.

    Encoding takes target_box [N, 4] to [N, M, 4]; decoding takes codes [N, M, 4] to boxes alike, the prior ones along
    dimension 1 (axis 0) or 0 (axis 1). prior_box_var is [M, 4], four numbers or None; `box_normalized` False counts the
    last element of boxes in elements.

    >>> import proa as paddle
    >>> prior = paddle.to_tensor([[0.0, 0.0, 2.0, 2.0]])
    >>> paddle.vision.ops.box_coder(prior, None, paddle.to_tensor([[1.0, 1.0, 3.0, 3.0]])).tolist()
    [[[0.5, 0.5, 0.0, 0.0]]]
    """
    if code_type not in ("encode_center_size", "decode_center_size"):
        raise ValueError(f"box_coder(code_type): 'encode_center_size' or 'decode_center_size'. "
                         f"Received {code_type!r}.")
    numbers = isinstance(prior_box_var, (list, tuple))
    return apply(box_coder_op, prior_box, None if numbers else prior_box_var, target_box, code_type=code_type,
                 box_normalized=box_normalized, axis=axis, variance=_list(prior_box_var) if numbers else [])

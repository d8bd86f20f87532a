"""Layers that compare, encode and match boxes: iou_similarity, box_coder, bipartite_match, target_assign, ssd_loss."""

from __future__ import annotations

from typing import Any

from ...ops.array.full import is_value
from ..layer_helper import LayerHelper, need_one_of
from ..mode import face
from . import loss as losses
from . import nn, tensor
from .prior_boxes import constants


@face
def iou_similarity(x: Any, y: Any, box_normalized: bool = True, name: str | None = None) -> Any:
    """Intersection over union of each box of x [N, 4] with each of y [M, 4]: [N, M]."""
    return LayerHelper("iou_similarity", name=name).apply("iou_similarity", x, y, box_normalized=box_normalized)


@face
def box_coder(prior_box: Any, prior_box_var: Any, target_box: Any, code_type: str = "encode_center_size",
              box_normalized: bool = True, name: str | None = None, axis: int = 0) -> Any:
    """Boxes as moves of other boxes ('encode_center_size'), or back ('decode_center_size')."""
    if not is_value(prior_box_var) and not isinstance(prior_box_var, (list, tuple)):
        raise TypeError("box_coder(prior_box_var): must be a Variable or a list of four numbers. "
                        f"Received {type(prior_box_var).__name__}.")
    need_one_of("box_coder(code_type)", code_type, "encode_center_size", "decode_center_size")
    need_one_of("box_coder(axis)", axis, 0, 1)
    is_given = is_value(prior_box_var)
    attrs = {} if is_given else {"variance": [float(n) for n in prior_box_var]}
    return LayerHelper("box_coder", name=name).apply(
        "box_coder", prior_box, prior_box_var if is_given else None, target_box, code_type=code_type,
        box_normalized=box_normalized, axis=axis, **attrs)


@face
def polygon_box_transform(input: Any, name: str | None = None) -> Any:
    """Coordinates of corners [N, G, H, W] out of how far they are from their cells."""
    return LayerHelper("polygon_box_transform", name=name).apply("polygon_box_transform", input)


@face
def box_clip(input: Any, im_info: Any, name: str | None = None) -> Any:
    """Boxes cut at the edges of their images, of which im_info [N, 3] tells height, width and scale."""
    return LayerHelper("box_clip", name=name).apply("box_clip", input, im_info)


@face
def box_decoder_and_assign(prior_box: Any, prior_box_var: Any, target_box: Any, box_score: Any, box_clip: float,
                           name: str | None = None) -> tuple[Any, Any]:
    """The boxes of each class that deltas make of `prior_box`, and that of the best class."""
    return LayerHelper("box_decoder_and_assign", name=name).apply(
        "box_decoder_and_assign", prior_box, prior_box_var, target_box, box_score, box_clip=box_clip)


@face
def bipartite_match(dist_matrix: Any, match_type: str | None = None, dist_threshold: float | None = None,
                    name: str | None = None) -> tuple[Any, Any]:
    """For each image and column of the matrix the row that it is matched with, or -1, and how near these are."""
    attrs: dict[str, Any] = {} if match_type is None else {"match_type": match_type}
    if dist_threshold is not None:
        attrs["dist_threshold"] = dist_threshold
    return LayerHelper("bipartite_match", name=name).apply("bipartite_match", dist_matrix, **attrs)


@face
def target_assign(input: Any, matched_indices: Any, negative_indices: Any = None, mismatch_value: int | None = None,
                  name: str | None = None) -> tuple[Any, Any]:
    """For each place of `matched_indices` the row of `input` that it names, and 1 where that counts, else 0."""
    attrs = {} if mismatch_value is None else {"mismatch_value": mismatch_value}
    return LayerHelper("target_assign", name=name).apply("target_assign", input, matched_indices, negative_indices,
                                                         **attrs)


@face
def ssd_loss(location: Any, confidence: Any, gt_box: Any, gt_label: Any, prior_box: Any, prior_box_var: Any = None,
             background_label: int = 0, overlap_threshold: float = 0.5, neg_pos_ratio: float = 3.0,
             neg_overlap: float = 0.5, loc_loss_weight: float = 1.0, conf_loss_weight: float = 1.0,
             match_type: str = "per_prediction", mining_type: str = "max_negative", normalize: bool = True,
             sample_size: int | None = None) -> Any:
    """The loss of SSD [N, 1]: of locations [N, M, 4] and scores [N, M, classes], for true boxes with a LoD.

    Boxes are matched, the most expensive of the others are mined as background, and both kinds of loss are summed over
    these, divided by how many are matched where `normalize`. Liu et al., SSD: Single Shot MultiBox Detector, 2016.
    """
    if mining_type != "max_negative":
        raise ValueError(f"ssd_loss(mining_type): must be 'max_negative'. Received {mining_type!r}.")
    helper = LayerHelper("ssd_loss")
    sizes = nn.shape(confidence)
    overlaps = iou_similarity(x=gt_box, y=prior_box)
    matched, distance = bipartite_match(overlaps, match_type, overlap_threshold)
    gt_label = nn.reshape(x=gt_label, shape=[*[0] * (len(gt_label.shape) - 1), -1, 1])
    gt_label.stop_gradient = True
    target_label, _ = target_assign(gt_label, matched, mismatch_value=background_label)
    confidence = nn.flatten(x=confidence, axis=2)
    target_label = nn.flatten(x=tensor.cast(x=target_label, dtype="int64"), axis=2)
    target_label.stop_gradient = True
    score_loss = losses.softmax_with_cross_entropy(confidence, target_label)
    rows = nn.slice(sizes, axes=[0], starts=[0], ends=[2])
    rows.stop_gradient = True
    score_loss = nn.reshape(x=score_loss, shape=[-1, 0], actual_shape=rows)
    score_loss.stop_gradient = True
    attrs = {} if sample_size is None else {"sample_size": sample_size}
    negative, updated = helper.apply("mine_hard_examples", score_loss, None, matched, distance,
                                     neg_pos_ratio=neg_pos_ratio, neg_dist_threshold=neg_overlap,
                                     mining_type=mining_type, **attrs)[:2]
    encoded = box_coder(prior_box=prior_box, prior_box_var=prior_box_var, target_box=gt_box,
                        code_type="encode_center_size")
    target_box, location_weight = target_assign(encoded, updated, mismatch_value=background_label)
    target_label, score_weight = target_assign(gt_label, updated, negative_indices=negative,
                                               mismatch_value=background_label)
    target_label = tensor.cast(x=nn.flatten(x=target_label, axis=2), dtype="int64")
    score_loss = losses.softmax_with_cross_entropy(confidence, target_label)
    score_weight = nn.flatten(x=score_weight, axis=2)
    score_loss = score_loss * score_weight
    constants(target_label, score_weight)
    location, target_box = nn.flatten(x=location, axis=2), nn.flatten(x=target_box, axis=2)
    location_loss = nn.smooth_l1(location, target_box)
    location_weight = nn.flatten(x=location_weight, axis=2)
    location_loss = location_loss * location_weight
    constants(target_box, location_weight)
    loss = conf_loss_weight * score_loss + loc_loss_weight * location_loss
    loss = nn.reshape(x=loss, shape=[-1, 0], actual_shape=rows)
    loss = nn.reduce_sum(loss, dim=1, keep_dim=True)
    return loss / nn.reduce_sum(location_weight) if normalize else loss


__all__ = ["bipartite_match", "box_clip", "box_coder", "box_decoder_and_assign", "iou_similarity",
           "polygon_box_transform", "ssd_loss", "target_assign"]

"""Records of detection with a LoD: boxes matched with true ones, and what anchors and proposals are to learn.

References are loops over elements. Where there is none, tests/fluid/test_detection.py compares with PaddlePaddle 1.8.5.
"""

import numpy as np
from proa.ops.core.trace import apply
from proa.ops.loss import focal
from proa.ops.vision import (
    anchors,
    boxes,
    detection_map,
    mask_targets,
    matching,
    multiclass_nms,
    proposals,
    retina_selection,
    target_sampling,
)
from records import Record, floats

OFFSETS = np.array([0, 2, 5])
SOME = {"data_dependent": True, "batched": []}


def _boxes(count, seed, size=1.0):
    ends = np.sort(floats(count, 2, 2, low=0, high=size, seed=seed), 1)
    return ends.reshape(count, 4)


def _area(x):
    return (x[2] - x[0]) * (x[3] - x[1])


def _iou(x, y):
    result = np.zeros((len(x), len(y)))
    for n, m in np.ndindex(*result.shape):
        sides = np.minimum(x[n, 2:], y[m, 2:]) - np.maximum(x[n, :2], y[m, :2])
        common = sides.clip(0).prod()
        result[n, m] = common / (_area(x[n]) + _area(y[m]) - common)
    return result


def _matched(distances, offsets):
    index, near = np.full((2, 3), -1), np.zeros((2, 3))
    for image, (a, b) in enumerate(zip(offsets, offsets[1:])):
        left = distances[a:b].copy()
        while left.size and left.max() > 0:
            row, column = np.unravel_index(left.argmax(), left.shape)
            index[image, column], near[image, column] = row, left[row, column]
            left[row], left[:, column] = 0, 0
    return index.astype("int32"), near


MATCHED = np.array([[0, -1, 1], [-1, 2, 0]], "int32")


def _assigned(x, index, offsets):
    out, weight = np.zeros((2, 3, 2)), np.zeros((2, 3, 1))
    for n, m in np.ndindex(2, 3):
        if index[n, m] >= 0:
            out[n, m], weight[n, m] = x[offsets[n] + index[n, m], m % x.shape[1]], 1
    return out, weight.astype("float32")


LOSSES, NEAR = floats(2, 5, low=0), floats(2, 5, low=0, seed=1)
PLACES = np.array([[0, -1, -1, -1, 1], [-1, 0, -1, -1, -1]], "int32")


def _mined(losses, index, near):
    found = []
    for n in range(len(losses)):
        free = [m for m in range(5) if index[n, m] == -1 and near[n, m] < 0.7]
        found += sorted(sorted(free, key=lambda m: -losses[n, m])[:2 * int((index[n] > -1).sum())])
    return np.array(found, "int32")[:, None], index


SIZES = np.array([[8.0, 9.0, 1.0], [14.0, 10.0, 2.0]])


def _clipped(x, sizes, offsets):
    result = x.copy()
    for n, (a, b) in enumerate(zip(offsets, offsets[1:])):
        height, width = np.round(sizes[n, :2] / sizes[n, 2])
        result[a:b] = x[a:b].clip(0, [width - 1, height - 1] * 2)
    return result


def _focal(x, label, count):
    result = np.zeros_like(x)
    for n, c in np.ndindex(*x.shape):
        p = 1 / (1 + np.exp(-x[n, c]))
        if label[n, 0] == c + 1:
            result[n, c] = -0.25 * (1 - p) ** 2 * np.log(p) / count[0]
        elif label[n, 0] != -1:
            result[n, c] = -0.75 * p ** 2 * np.log(1 - p) / count[0]
    return result


SCORES, COUNT = floats(5, 3, low=-2, high=2), np.array([3], "int32")
LABELS = np.array([[0], [1], [3], [-1], [2]], "int32")


def _weights(x, label, count):
    own = (label == np.arange(1, 4)) * 0.25 / 3
    return own, ((label != np.arange(1, 4)) & (label != -1)) * 0.75 / 3


GRID = {"anchor_sizes": [32.0, 64.0], "aspect_ratios": [0.5, 2.0], "variances": [0.1, 0.1, 0.2, 0.2],
        "stride": [16.0, 8.0]}
DENSE = {"variances": [0.1, 0.1, 0.2, 0.2], "fixed_sizes": [8.0, 16.0], "fixed_ratios": [1.0, 2.0],
         "densities": [2, 1]}
TRUTH = _boxes(5, 4, 60.0)
CROWD, CLASSES = np.array([[0], [0], [0], [1], [0]], "int32"), np.array([[1], [2], [3], [1], [2]], "int32")
INFO = np.array([[50.0, 55.0, 1.0], [60.0, 60.0, 2.0]])
ANCHORS = _boxes(20, 5, 60.0)


def _without_lod(op, **attrs):
    """An operator without the offsets of its results."""
    def function(*given):
        *inputs, offsets = given
        results = apply(op, *inputs, [offsets], **attrs)
        return results[:len(op.results) - len(op.made_offsets)]
    return function


FOUND = np.concatenate([[[1, 0.9], [2, 0.4], [1, 0.5], [1, 0.7], [2, 0.6]], _boxes(5, 2)], 1)
OBJECTS = np.concatenate([[[1, 0], [2, 0], [1, 1], [2, 0], [1, 0]], FOUND[:, 2:]], 1)

RECORDS = [
    Record("detection_map", lambda found, objects, lod: apply(
        detection_map.detection_map_op, found, objects, None, None, None, None, [lod], [lod], class_num=3,
        evaluate_difficult=False)[:4], [FOUND, OBJECTS, OFFSETS], None, **SOME),
    Record("iou_similarity", lambda x, y: apply(matching.iou_similarity_op, x, y), [_boxes(4, 1), _boxes(3, 2)], _iou),
    Record("bipartite_match", lambda x, lod: apply(matching.bipartite_match_op, x, [lod]),
           [floats(5, 3, low=0.01), OFFSETS], _matched, batched=[0]),
    Record("target_assign", lambda x, index, lod: apply(matching.target_assign_op, x, index, None, [lod]),
           [floats(5, 3, 2), MATCHED, OFFSETS], _assigned, batched=[0], differentiable=[]),
    Record("mine_hard_examples", lambda loss, index, near: apply(
        matching.mine_hard_examples_op, loss, None, index, near, neg_pos_ratio=2.0, neg_dist_threshold=0.7)[:2],
           [LOSSES, PLACES, NEAR], _mined, data_dependent=True),
    Record("box_clip", lambda x, sizes, lod: apply(boxes.box_clip_op, x, sizes, [lod]),
           [_boxes(5, 1, 20.0) - 3, SIZES, OFFSETS], _clipped, batched=[0]),
    Record("polygon_box_transform", lambda x: apply(boxes.polygon_box_transform_op, x), [floats(2, 4, 2, 3)],
           lambda x: np.stack([4 * np.indices(x.shape[2:])[1 - c % 2] - x[:, c] for c in range(4)], 1)),
    Record("box_decoder_and_assign", lambda *given: apply(boxes.box_decoder_and_assign_op, *given),
           [_boxes(4, 1, 30.0), floats(4, low=0.1), floats(4, 12), floats(4, 3, low=0, seed=2)], None,
           batched=[0, 2, 3]),
    Record("anchor_generator", lambda x: apply(anchors.anchor_generator_op, x, **GRID), [floats(1, 2, 3, 4)], None,
           batched=[]),
    Record("density_prior_box", lambda x, y: apply(anchors.density_prior_box_op, x, y, **DENSE),
           [floats(1, 2, 3, 4), floats(1, 3, 30, 44)], None, batched=[]),
    Record("sigmoid_focal_loss", lambda *given: apply(focal.sigmoid_focal_loss_op, *given), [SCORES, LABELS, COUNT],
           _focal, batched=[0, 1]),
    Record("focal_weights", lambda *given: apply(focal.weights_op, *given), [SCORES, LABELS, COUNT], _weights,
           batched=[0, 1], differentiable=[]),
    Record("multiclass_nms", lambda b, s, lod: apply(multiclass_nms.nms_1_op, b, s, [lod], nms_top_k=5)[0],
           [floats(5, 2, 4, low=0).cumsum(2), floats(5, 2, low=0, seed=3), OFFSETS], None, **SOME),
    Record("multiclass_nms2", lambda b, s, lod: apply(multiclass_nms.nms_2_op, b, s, [lod], nms_top_k=5)[:2],
           [floats(5, 2, 4, low=0).cumsum(2), floats(5, 2, low=0, seed=3), OFFSETS], None, **SOME),
    Record("generate_proposals", lambda *given: apply(proposals.generate_with_lod_op, *given)[:3],
           [floats(2, 2, 2, 3), floats(2, 8, 2, 3, seed=1), INFO, _boxes(12, 3, 40.0).reshape(2, 3, 2, 4),
            floats(2, 3, 2, 4, low=0.1, seed=2)], None, **SOME),
    Record("collect_fpn_proposals", lambda a, b, s, t, lod: apply(
        proposals.collect_proposals_op, [a, b], [s, t], [lod, lod], post_nms_topN=6)[0],
           [_boxes(5, 1), _boxes(5, 2), floats(5, 1), floats(5, 1, seed=1), OFFSETS], None, **SOME),
    Record("rpn_target_assign", _without_lod(target_sampling.rpn_target_assign_op, use_random=False,
                                             rpn_batch_size_per_im=8, rpn_positive_overlap=0.4),
           [ANCHORS, TRUTH, CROWD, INFO, OFFSETS], None, **SOME),
    Record("rpn_target_assign", _without_lod(target_sampling.rpn_target_assign_op, rpn_batch_size_per_im=6),
           [ANCHORS, TRUTH, CROWD, INFO, OFFSETS], None, label="random", **SOME),
    Record("generate_proposal_labels", lambda rois, classes, crowd, truth, info, lod: apply(
        target_sampling.generate_proposal_labels_op, rois, classes, crowd, truth, info, [lod], [lod],
        batch_size_per_im=3, class_nums=4, bbox_reg_weights=[0.1, 0.1, 0.2, 0.2])[:5],
           [_boxes(5, 7, 60.0), CLASSES, CROWD, TRUTH, INFO, OFFSETS], None, label="random", **SOME),
    Record("retinanet_detection_output", lambda *given: apply(
        retina_selection.retinanet_detection_output_op, given[:2], given[2:4], given[4:6], given[6], nms_top_k=8)[0],
           [floats(2, 5, 4), floats(2, 3, 4, seed=1), floats(2, 5, 2, low=0), floats(2, 3, 2, low=0, seed=3),
            _boxes(5, 1, 40.0), _boxes(3, 2, 40.0), INFO], None, **SOME),
    Record("locality_aware_nms", lambda b, s: apply(retina_selection.locality_aware_nms_op, b, s)[0],
           [np.stack([_boxes(6, 1), _boxes(6, 3)]), floats(2, 1, 6, low=0)], None, **SOME),
    Record("generate_mask_labels", lambda info, classes, crowd, points, rois, labels, *lod: apply(
        mask_targets.generate_mask_labels_op, info, classes, crowd, points, rois, labels, list(lod), [lod[0]],
        num_classes=4, resolution=5)[:3],
           [INFO, CLASSES, CROWD, floats(15, 2, low=0, high=50), _boxes(5, 7, 60.0), CLASSES, OFFSETS, np.arange(6),
            np.arange(0, 16, 3)], None, differentiable=[], **SOME),
    Record("retinanet_target_assign", _without_lod(target_sampling.retinanet_target_assign_op),
           [ANCHORS, TRUTH, CLASSES, CROWD, INFO, OFFSETS], None, **SOME),
    Record("generate_proposal_labels", lambda rois, classes, crowd, truth, info, lod: apply(
        target_sampling.generate_proposal_labels_op, rois, classes, crowd, truth, info, [lod], [lod], use_random=False,
        batch_size_per_im=8, class_nums=4, bbox_reg_weights=[0.1, 0.1, 0.2, 0.2])[:5],
           [_boxes(5, 7, 60.0), CLASSES, CROWD, TRUTH, INFO, OFFSETS], None, **SOME),
]


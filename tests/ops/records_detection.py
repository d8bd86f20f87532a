"""Records of detection: regions of images, moved convolutions, boxes and files.

References are loops over elements. Where there is none, tests/vision/test_ops.py compares values with PaddlePaddle's.
"""

import io
import pathlib

import numpy as np
import proa as paddle
from PIL import Image
from proa.ops.core.trace import apply
from proa.ops.vision import deform_conv, deform_roi, multiclass_nms, roi, roi_perspective, sample_at_places, yolo
from records import Record, floats, ints

V = paddle.vision.ops


# regions

IMAGES = floats(2, 4, 5, 6)
REGIONS = np.array([[0.3, 0.6, 7.9, 6.1], [4.2, 2.2, 13.0, 11.0], [2.0, 1.0, 5.1, 8.4]])
COUNTS = np.array([1, 2], "int32")
OF = [0, 1, 1]


def _bilinear(plane, y, x):
    if not (-1 <= y <= plane.shape[0] and -1 <= x <= plane.shape[1]):
        return 0.0
    y, x = min(max(y, 0), plane.shape[0] - 1), min(max(x, 0), plane.shape[1] - 1)
    return sum(max(1 - abs(y - i), 0) * max(1 - abs(x - j), 0) * plane[i, j] for i, j in np.ndindex(plane.shape))


def _aligned(x, boxes, counts, size=(2, 3), ratio=2, shift=0.5):
    result = np.zeros((len(boxes), x.shape[1], *size))
    for r, c, p, q in np.ndindex(*result.shape):
        left, top, right, bottom = boxes[r] * 0.5 - shift
        height, width = (bottom - top) / size[0], (right - left) / size[1]
        rows, columns = (ratio, ratio) if ratio > 0 else (int(np.ceil(height)), int(np.ceil(width)))
        result[r, c, p, q] = np.mean([
            _bilinear(x[OF[r], c], top + (p + (i + 0.5) / rows) * height, left + (q + (j + 0.5) / columns) * width)
            for i in range(rows) for j in range(columns)])
    return result


def _whole(x, start, size, bins, p, q):
    """The elements of a plane that stand in a bin."""
    part = x
    for axis, at in ((0, p), (1, q)):
        width = size[axis] / bins[axis]
        low, high = np.floor(at * width + start[axis]), np.ceil((at + 1) * width + start[axis])
        low, high = (int(np.clip(n, 0, x.shape[axis])) for n in (low, high))
        part = part[low:high] if axis == 0 else part[:, low:high]
    return part


def _round(x):
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


def _pooled(x, boxes, counts, bins=(2, 3)):
    result = np.zeros((len(boxes), x.shape[1], *bins))
    for r, c, p, q in np.ndindex(*result.shape):
        left, top, right, bottom = _round(boxes[r] * 0.5)
        part = _whole(x[OF[r], c], (top, left), (max(bottom - top + 1, 1), max(right - left + 1, 1)), bins, p, q)
        result[r, c, p, q] = part.max() if part.size else 0
    return result


def _integrated(x, boxes, counts, bins=(2, 3), steps=200):
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    result = np.zeros((len(boxes), x.shape[1], *bins))
    for r, p, q in np.ndindex(len(boxes), *bins):
        left, top, right, bottom = boxes[r] * 0.5
        rows, columns = ((start + (at + (np.arange(steps) + 0.5) / steps) * (end - start) / count) + 1 for
                         start, end, at, count in ((top, bottom, p, bins[0]), (left, right, q, bins[1])))
        hats = [np.maximum(1 - np.abs(places[:, None] - np.arange(size)), 0).mean(0)
                for places, size in ((rows, padded.shape[2]), (columns, padded.shape[3]))]
        result[r, :, p, q] = np.einsum("chw,h,w->c", padded[OF[r]], *hats)
    return result


def _own_channels(x, boxes, counts, bins=(2, 2)):
    result = np.zeros((len(boxes), x.shape[1] // (bins[0] * bins[1]), *bins))
    for r, c, p, q in np.ndindex(*result.shape):
        left, top = _round(boxes[r, :2]) * 0.5
        right, bottom = (_round(boxes[r, 2:]) + 1) * 0.5
        plane = x[OF[r], (c * bins[0] + p) * bins[1] + q]
        part = _whole(plane, (top, left), (max(bottom - top, 0.1), max(right - left, 0.1)), bins, p, q)
        result[r, c, p, q] = part.mean() if part.size else 0
    return result


def _transposed(forward, shape):
    """What the transpose of a linear function of images of that shape gives."""
    def reference(g, *others):
        units = np.eye(int(np.prod(shape))).reshape(-1, *shape)
        return np.array([(forward(unit, *others) * g).sum() for unit in units]).reshape(shape)
    return reference


SMALL = (2, 4, 3, 3)
PLACES = np.array([[[[0, 7]], [[3, -1]]], [[[11, 2]], [[5, 5]]], [[[4, 11]], [[-1, 0]]]])


def _put(g, at, counts):
    result = np.zeros((2, 2, 3, 4))
    for r, c, p, q in np.ndindex(*g.shape):
        if at[r, c, p, q] >= 0:
            result[OF[r], c].reshape(-1)[at[r, c, p, q]] += g[r, c, p, q]
    return result


def _take(x, at, counts):
    result = np.zeros(at.shape)
    for r, c, p, q in np.ndindex(*at.shape):
        result[r, c, p, q] = x[OF[r], c].reshape(-1)[at[r, c, p, q]] if at[r, c, p, q] >= 0 else 0
    return result


HALF = {"spatial_scale": 0.5}
QUADRANGLES = np.array([[2.0, 1, 9, 2, 8, 9, 1, 7], [0, 0, 8, 0, 8, 6, 0, 6], [3, 3, 5, 9, 2, 12, -3, 4]])
SHIFTED = {"spatial_scale": 0.5, "group_size": [1, 1], "pooled_height": 2, "pooled_width": 2, "part_size": [2, 2],
           "sample_per_part": 2}
GIVEN = {"differentiable": [0]}

REGIONAL = [
    Record("roi_align", lambda x, b, n: V.roi_align(x, b, n, (2, 3), sampling_ratio=2, **HALF),
           [IMAGES, REGIONS, COUNTS], _aligned, **GIVEN),
    Record("roi_align", lambda x, b, n: V.roi_align(x, b, n, 2, aligned=False, **HALF), [IMAGES, REGIONS, COUNTS],
           lambda x, b, n: _aligned(x, b, n, (2, 2), -1, 0.0), label="as many samples as elements", **GIVEN),
    Record("roi_align_back", lambda g, b, n: apply(roi.roi_align_back_op, g, b, n, None, size=list(SMALL),
                                                   sampling_ratio=2, aligned=True, **HALF),
           [floats(3, 4, 2, 3), REGIONS, COUNTS], _transposed(_aligned, SMALL), batched=[], **GIVEN),
    Record("roi_pool", lambda x, b, n: V.roi_pool(x, b, n, (2, 3), **HALF), [IMAGES, REGIONS, COUNTS], _pooled,
           **GIVEN),
    Record("prroi_pool", lambda x, b, n: apply(roi.prroi_pool_op, x, b, n, [], pooled_height=2, pooled_width=3,
                                               spatial_scale=0.5), [IMAGES, REGIONS, COUNTS], _integrated,
           batched=[0], differentiable=[0], tolerance=1e-3),
    Record("prroi_back", lambda g, b, n: apply(roi.prroi_back_op, g, b, n, None, size=[2, 4, 5, 6], spatial_scale=0.5),
           [floats(3, 4, 2, 3), REGIONS, COUNTS], None, batched=[], differentiable=[0]),
    Record("roi_perspective_transform", lambda x, b, lod: apply(
        roi_perspective.roi_perspective_transform_op, x, b, [lod], transformed_height=2, transformed_width=3,
        spatial_scale=0.5)[0], [IMAGES, QUADRANGLES, np.array([0, 1, 3])], None, batched=[0], differentiable=[0],
           second=False),
    Record("roi_perspective_back", lambda g, b, n: apply(
        roi_perspective.back_op, g, b, n, None, size=[2, 4, 5, 6], spatial_scale=0.5),
           [floats(3, 4, 2, 3), QUADRANGLES, COUNTS], None, batched=[], differentiable=[]),
    Record("deformable_psroi_pooling", lambda x, b, t, lod: apply(
        deform_roi.deformable_psroi_pooling_op, x, b, t, [lod], output_dim=4, **SHIFTED)[0],
           [IMAGES, REGIONS, floats(3, 2, 2, 2), np.array([0, 1, 3])], None, batched=[0], differentiable=[0, 2],
           second=False),
    Record("deformable_psroi_slopes", lambda g, x, b, t, n: apply(
        deform_roi.slopes_op, g, x, b, t, n, output_dim=4, **SHIFTED),
           [floats(3, 4, 2, 2), IMAGES, REGIONS, floats(3, 2, 2, 2), COUNTS], None, batched=[], differentiable=[]),
    Record("roi_counts", lambda b, lod: apply(roi.roi_counts_op, b, [lod]), [REGIONS, np.array([0, 1, 3])],
           lambda b, lod: np.diff(lod).astype("int32"), batched=[0]),
    Record("roi_put", lambda g, at, n: apply(roi.roi_put_op, g, at, n, None, size=[2, 2, 3, 4]),
           [floats(3, 2, 1, 2), PLACES, COUNTS], _put, batched=[]),
    Record("roi_take", lambda x, at, n: apply(roi.roi_take_op, x, at, n), [floats(2, 2, 3, 4), PLACES, COUNTS], _take),
    Record("psroi_pool", lambda x, b, n: V.psroi_pool(x, b, n, 2, **HALF), [IMAGES, REGIONS, COUNTS], _own_channels,
           **GIVEN),
    Record("psroi_back", lambda g, b, n: apply(roi.psroi_back_op, g, b, n, None, size=list(SMALL), **HALF),
           [floats(3, 1, 2, 2), REGIONS, COUNTS], _transposed(_own_channels, SMALL), batched=[], **GIVEN),
]


# moved convolutions

def _sampled(x, down, along):
    result = np.zeros((*x.shape[:2], *down.shape[1:]))
    for cell in np.ndindex(*down.shape):
        for i, j in np.ndindex(*x.shape[2:]):
            weight = max(1 - abs(down[cell] - i), 0) * max(1 - abs(along[cell] - j), 0)
            result[(cell[0], slice(None), *cell[1:])] += weight * x[cell[0], :, i, j]
    return result


def _places(offset, kernel=(2, 2), stride=1, padding=1):
    moved = offset.reshape(-1, kernel[0] * kernel[1], 2, *offset.shape[2:])
    result = np.zeros((2, len(moved), moved.shape[1], *offset.shape[2:]))
    for n, k, y, x in np.ndindex(*result.shape[1:]):
        result[:, n, k, y, x] = moved[n, k, :, y, x] + [y * stride - padding + k // 2, x * stride - padding + k % 2]
    return list(result)


def _moved(x, offset, w, mask=None, groups=1, deformable_groups=1):
    down, along = _places(offset)
    columns = _sampled(x.reshape(len(x) * deformable_groups, -1, *x.shape[2:]), down, along)
    if mask is not None:
        columns = columns * mask.reshape(len(columns), 1, *columns.shape[2:])
    columns = columns.reshape(len(x), groups, -1, *columns.shape[3:])
    weight = w.reshape(groups, len(w) // groups, -1)
    return np.einsum("gok,ngkyx->ngoyx", weight, columns).reshape(len(x), len(w), *offset.shape[2:])


IMAGE, OFFSET = floats(2, 4, 3, 3), floats(2, 8, 4, 4, low=-1.3, high=1.3, seed=1)
OFFSETS = floats(2, 16, 4, 4, low=-1.3, high=1.3, seed=2)
FILTER, FACTORS = floats(2, 4, 2, 2), floats(2, 8, 4, 4, low=0, seed=3)

PLACES = [floats(2, 2, 3, low=-1.4, high=3.4, seed=n) for n in (1, 2)]


def _spread(g, x, down, along):
    """By the samples of images that are 0 but for one element."""
    result = np.zeros(x.shape, x.dtype)
    for at in np.ndindex(x.shape):
        one = np.zeros(x.shape, x.dtype)
        one[at] = 1
        result[at] = (g * _sampled(one, down, along)).sum()
    return result


def _slopes(g, x, down, along):
    """By differences: between whole places samples are linear in each direction."""
    step = 2.0**-20
    return tuple((((_sampled(x, down + a * step, along + b * step) - _sampled(x, down, along)) * g).sum(1) / step
                  for a, b in ((1, 0), (0, 1))))


MOVED = [
    Record("deformable_places", lambda offset: apply(deform_conv.places_op, offset, kernel=[2, 2], paddings=[1, 1]),
           [OFFSET], _places),
    Record("sample_at_places", lambda x, y, z: apply(sample_at_places.sample_op, x, y, z),
           [floats(2, 3, 3, 4), *PLACES], _sampled, batched=[0, 1, 2]),
    Record("spread_at_places", lambda g, x, y, z: apply(sample_at_places.spread_op, g, x, y, z),
           [floats(2, 3, 2, 3, seed=3), floats(2, 3, 3, 4), *PLACES], _spread, batched=[0, 1, 2, 3],
           differentiable=[0, 2, 3]),
    Record("slopes_at_places", lambda g, x, y, z: apply(sample_at_places.slopes_op, g, x, y, z),
           [floats(2, 3, 2, 3, seed=3), floats(2, 3, 3, 4), *PLACES], _slopes, batched=[0, 1, 2, 3]),
    Record("deformable_conv_v1", lambda x, o, w: V.deform_conv2d(x, o, w, padding=1), [IMAGE, OFFSET, FILTER], _moved,
           batched=[0, 1]),
    Record("deformable_conv", lambda x, o, w, m: V.deform_conv2d(x, o, w, padding=1, deformable_groups=2, groups=2,
                                                                 mask=m),
           [IMAGE, OFFSETS, floats(4, 2, 2, 2), FACTORS],
           lambda x, o, w, m: _moved(x, o, w, m, 2, 2), batched=[0, 1, 3]),
]


# boxes

def _boxes(count, seed):
    middle, side = floats(count, 2, low=2, high=8, seed=seed), floats(count, 2, low=1, high=3, seed=seed + 1)
    return np.concatenate([middle - side, middle + side], 1)


def _overlap(a, b):
    sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    common = max(sides[0], 0) * max(sides[1], 0)
    return common / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - common)


def _standing(boxes):
    kept = []
    for n, box in enumerate(boxes):
        if all(_overlap(box, boxes[k]) <= 0.3 for k in kept):
            kept.append(n)
    return np.array(kept)


def _encoded(prior, variances, target):
    def parts(box):
        return (box[:, :2] + box[:, 2:]) / 2, box[:, 2:] - box[:, :2]
    (middle, sides), (wanted, wanted_sides) = parts(prior), parts(target)
    return np.concatenate([(wanted[:, None] - middle) / sides, np.log(wanted_sides[:, None] / sides)], -1) / variances


def _levels(boxes, counts):
    level = np.clip(np.floor(np.log2(np.sqrt((boxes[:, 2:] - boxes[:, :2]).prod(1)) / 4)) + 3, 2, 4)
    found = [np.flatnonzero(level == n) for n in (2, 3, 4)]
    image = np.repeat(np.arange(len(counts)), counts)
    each = [np.bincount(image[at], minlength=len(counts)) for at in found]
    return [[boxes[at] for at in found], np.argsort(np.concatenate(found))[:, None], each]


MAP, SIZES = floats(2, 14, 2, 3, low=-1.5, high=1.5), np.array([[60, 80], [64, 96]], "int32")
SQUARE = floats(2, 14, 3, 3, low=-1.5, high=1.5)
TRUTH = np.stack([_boxes(3, 5), _boxes(3, 7)]) / 11
TRUTH[1, 2, 2:] = 0
LABELS, WEIGHTS = ints(2, 3, high=2, dtype="int32"), floats(2, 3, low=0.3, seed=4)
ANCHORS = {"anchors": [10, 13, 16, 30, 33, 23], "anchor_mask": [0, 2], "class_num": 2, "ignore_thresh": 0.4,
           "downsample_ratio": 32}
SOME = {"data_dependent": True, "batched": []}
VARIANCES = floats(4, 4, low=0.1)
PROPOSED = [floats(2, 2, 2, 3), floats(2, 8, 2, 3, seed=1), np.array([[30.0, 40.0], [20.0, 20.0]]),
            _boxes(12, 3).reshape(2, 3, 2, 4) * 3, floats(2, 3, 2, 4, low=0.1, seed=2)]

BOXES = [
    Record("yolo_box", lambda x, size: V.yolo_box(x, size, [10, 13, 33, 23], 2, 0.3, 32), [MAP, SIZES], None,
           batched=[0, 1]),
    Record("yolov3_loss", lambda x, box, label, score: V.yolo_loss(x, box, label, gt_score=score, **ANCHORS),
           [SQUARE, TRUTH, LABELS, WEIGHTS], None, batched=[0, 1, 2, 3], **GIVEN),
    Record("yolov3_loss", lambda x, box, label: V.yolo_loss(x, box, label, use_label_smooth=False, **ANCHORS),
           [SQUARE, TRUTH, LABELS], None, label="without scores", batched=[0, 1, 2], **GIVEN),
    Record("yolo_matches", lambda x, box, label: apply(yolo.matches_op, x, box, label, None, **ANCHORS),
           [SQUARE, TRUTH, LABELS], None, batched=[0, 1, 2]),
    Record("prior_box", lambda x, image: V.prior_box(x, image, [4.0], [9.0], [2.0], flip=True, clip=True),
           [floats(1, 2, 3, 4), floats(1, 3, 24, 32)], None, batched=[]),
    Record("box_coder", lambda p, v, t: V.box_coder(p, v, t), [_boxes(4, 1), VARIANCES, _boxes(3, 3)], _encoded,
           batched=[2]),
    Record("box_coder", lambda p, v, t: V.box_coder(p, v, V.box_coder(p, v, t), "decode_center_size"),
           [_boxes(4, 1), VARIANCES, _boxes(3, 3)], lambda p, v, t: np.repeat(t[:, None], 4, 1), label="there and back",
           batched=[2]),
    Record("nms", lambda b: V.nms(b, 0.3), [_boxes(12, 9)], _standing, data_dependent=True),
    Record("matrix_nms", lambda b, s: V.matrix_nms(b, s, 0.1, 0.05, 4, 5, return_index=True),
           [np.stack([_boxes(6, 1), _boxes(6, 3)]), floats(2, 3, 6, low=0)], None, **SOME),
    Record("multiclass_nms3", lambda b, s: apply(multiclass_nms.multiclass_nms_op, b, s, None, nms_top_k=5),
           [np.stack([_boxes(6, 1), _boxes(6, 3)]), floats(2, 3, 6, low=0)], None, **SOME),
    Record("generate_proposals_v2", lambda *given: V.generate_proposals(*given, return_rois_num=True), PROPOSED, None,
           **SOME),
    Record("distribute_fpn_proposals", lambda b, n: V.distribute_fpn_proposals(b, 2, 4, 3, 4, rois_num=n),
           [_boxes(9, 11), np.array([5, 4], "int32")], _levels, **SOME),
]


# files

def _jpeg():
    stream = io.BytesIO()
    Image.fromarray(ints(9, 12, 3, high=256).astype("uint8")).save(stream, "JPEG")
    return np.frombuffer(stream.getvalue(), "uint8").copy()


def _rows(mode):
    def reference(data):
        image = Image.open(io.BytesIO(data.tobytes())).convert(mode)
        return np.atleast_3d(np.asarray(image)).transpose(2, 0, 1)
    return reference


ANY_FILE = str(pathlib.Path(__file__).parents[1] / "fixtures" / "files" / "net.pdmodel")

FILES = [
    Record("read_file", lambda: V.read_file(ANY_FILE), [], lambda: np.fromfile(ANY_FILE, "uint8"), **SOME),
    Record("decode_jpeg", V.decode_jpeg, [_jpeg()], _rows("RGB"), data_dependent=True),
    Record("decode_jpeg", lambda x: V.decode_jpeg(x, "gray"), [_jpeg()], _rows("L"), label="gray",
           data_dependent=True),
]

RECORDS = REGIONAL + MOVED + BOXES + FILES

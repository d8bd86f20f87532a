"""Records of operators that Paddle 1.x alone writes."""

import numpy as np
from proa.core.dtype import float64
from proa.ops.array import full
from proa.ops.core.trace import apply
from proa.ops.fluid import batch_size_like as filled
from proa.ops.fluid import filter_by_instag as tags
from proa.ops.fluid import hash as hashes
from proa.ops.fluid import l2_normalize as norms
from proa.ops.fluid import lookup_table as lookup
from proa.ops.fluid import mean_iou as metrics
from proa.ops.fluid import older_images as images
from proa.ops.fluid import older_shapes as reshape
from proa.ops.fluid import probability_losses as losses
from proa.ops.fluid import random_crop as crops
from proa.ops.fluid import scaled_products as products
from proa.ops.fluid import similarity_focus as focus
from proa.ops.fluid import tdm
from records import Record, bools, floats, ints


def _call(op, *rest, **attrs):
    """The operator with its first inputs left open."""
    return lambda *inputs: apply(op, *inputs, *rest, **attrs)


def _first(op, position, *rest, **attrs):
    """One of the operator's results, whose gradient alone has a rule."""
    return lambda *inputs: apply(op, *inputs, *rest, **attrs)[position]


def _log1p_exp(x):
    return np.log1p(np.exp(x))


def _cos(x, y):
    a, b = np.linalg.norm(x, axis=-1, keepdims=True), np.linalg.norm(y, axis=-1, keepdims=True)
    return (x * y).sum(-1, keepdims=True) / (a * b)


def _fsp(x, y):
    return np.einsum("nchw,ndhw->ncd", x, y) / (x.shape[2] * x.shape[3])


PRODUCTS = [
    Record("matmul", _call(products.matmul_op, transpose_X=False, transpose_Y=True, alpha=0.5),
           [floats(2, 3, 4), floats(2, 5, 4, seed=1)], lambda x, y: 0.5 * x @ y.swapaxes(1, 2)),
    Record("matmul", _call(products.matmul_op), [floats(3, 4), floats(4, 2)], lambda x, y: x @ y, label="plain"),
    Record("cos_sim", _first(products.cos_sim_op, 0), [floats(3, 4), floats(3, 4, seed=1)], _cos),
    Record("squared_l2_distance", _first(products.squared_l2_distance_op, 1),
           [floats(3, 4), floats(3, 4, seed=1)], lambda x, y: ((x - y)**2).sum(1, keepdims=True)),
    Record("squared_l2_norm", _call(products.squared_l2_norm_op), [floats(3, 4)], lambda x: (x * x).sum().reshape(1)),
    Record("l1_norm", _call(products.l1_norm_op), [floats(3, 4)], lambda x: np.abs(x).sum()),
    Record("minus", _call(products.minus_op), [floats(3, 4), floats(3, 4, seed=1)], lambda x, y: x - y),
    Record("fsp", _call(products.fsp_op), [floats(2, 3, 2, 4), floats(2, 2, 2, 4)], _fsp),
]


def _table(ids, w):
    return w[ids[..., 0]]


def _children(x, tree):
    found = np.stack([tree[node, 3:] if node and tree[node, 3] else [0, 0] for node in x[:, 0]])[:, None]
    return [found.astype("int32"), (tree[found, 0] != 0).astype("int32")]


TREE = np.array([[0, 0, 0, 1, 2], [0, 1, 0, 3, 4], [0, 1, 0, 5, 6], [7, 2, 1, 0, 0], [1, 2, 1, 0, 0], [0, 2, 2, 0, 0],
                 [3, 2, 2, 0, 0]])
LOOKUP = [
    Record("tdm_child", _call(tdm.tdm_child_op, child_nums=2), [np.array([[0], [1], [2], [3]]), TREE], _children),
    Record("lookup_table", _call(lookup.lookup_table_op), [ints(3, 1, high=5), floats(5, 4)], _table),
    Record("one_hot", _call(lookup.one_hot_op, None, depth=4), [ints(3, 1, high=4)],
           lambda x: np.eye(4, dtype="float32")[x[..., 0]]),
    Record("top_k", _call(lookup.top_k_op, None, k=2), [floats(3, 5)],
           lambda x: (np.sort(x, -1)[:, ::-1][:, :2], np.argsort(-x, -1)[:, :2])),
]


def _folded(g, x):
    a, b = g.shape[0] // x.shape[0], g.shape[1] // x.shape[1]
    return g.reshape(a, x.shape[0], b, x.shape[1]).sum((0, 2))


def _uncropped(g, x):
    result = np.zeros(x.shape)
    result[:2, 1:3] = g
    return result


SHAPES = [
    Record("reshape", _call(reshape.reshape_op, None, None, shape=[0, 2, -1]), [floats(3, 4)],
           lambda x: x.reshape(3, 2, 2)),
    Record("transpose", _call(reshape.transpose_op, axis=[1, 0]), [floats(3, 4)], lambda x: x.T),
    Record("squeeze", _call(reshape.squeeze_op, axes=[1]), [floats(3, 1, 4)], lambda x: x[:, 0]),
    Record("unsqueeze", _call(reshape.unsqueeze_op, None, None, axes=[1]), [floats(3, 4)], lambda x: x[:, None]),
    Record("flatten", _call(reshape.flatten_op, axis=2), [floats(3, 4, 2)], lambda x: x.reshape(12, 2)),
    Record("flatten2", _call(reshape.flatten2_op, axis=1), [floats(3, 4, 2)], lambda x: x.reshape(3, 8)),
    Record("expand", _call(reshape.expand_op, None, None, expand_times=[1, 3]), [floats(3, 4)],
           lambda x: np.tile(x, (1, 3))),
    Record("expand_as", _call(reshape.expand_as_op), [floats(3, 2), floats(3, 6)], lambda x, y: np.tile(x, (1, 3)),
           differentiable=[0]),
    Record("fold_as", _call(reshape.fold_as_op), [floats(3, 6), floats(3, 2)], _folded, differentiable=[0]),
    Record("reverse", _call(reshape.reverse_op, axis=[1]), [floats(3, 4)], lambda x: x[:, ::-1]),
    Record("diag", _call(reshape.diag_op), [floats(4)], np.diag),
    Record("crop", _call(reshape.crop_op, None, None, shape=[2, 2], offsets=[0, 1]), [floats(3, 4)],
           lambda x: x[:2, 1:3], batched=[]),
    Record("crop_tensor", _call(reshape.crop_tensor_op, None, None, None, None, shape=[2, 2], offsets=[0, 1]),
           [floats(3, 4)], lambda x: x[:2, 1:3], batched=[]),
    Record("uncrop", _call(reshape.uncrop_op, None, None, offsets=[0, 1]), [floats(2, 2), floats(3, 4)], _uncropped,
           differentiable=[0], batched=[]),
    Record("crop_like", _call(reshape.crop_like_op, None, None, offsets=[0, 1]), [floats(3, 4), floats(2, 2)],
           lambda x, y: x[:2, 1:3], differentiable=[0], batched=[]),
]

FILLED = [
    Record("fill_constant_batch_size_like",
           _call(full.fill_constant_batch_size_like, [], shape=[-1, 2], dtype=float64, value=1.5, input_dim_idx=0),
           [floats(3, 4)], lambda x: np.full((3, 2), 1.5), float32=False),
    Record("uniform_random_batch_size_like", _call(filled.uniform_random_batch_size_like_op, shape=[-1, 2]),
           [floats(3, 4)], None, float32=False),
    Record("gaussian_random_batch_size_like", _call(filled.gaussian_random_batch_size_like_op, shape=[-1, 2]),
           [floats(3, 4)], None, float32=False),
    Record("fill_zeros_like2", _call(filled.fill_zeros_like2_op), [floats(3, 4)],
           lambda x: np.zeros((3, 4), "float32"), float32=False),
    Record("sampling_id", _call(filled.sampling_id_op), [floats(3, 4, low=0.2, high=0.3)], None,
           float32=False),
]


def _of_label(x, label):
    return np.take_along_axis(x, label, -1)


def _smooth(x, y):
    d = x - y
    loss = np.where(np.abs(d) < 0.25, 2 * d * d, np.abs(d) - 0.125)
    return loss.sum(1, keepdims=True)


def _bpr(x, label):
    each = _log1p_exp(x - _of_label(x, label))
    return (each.sum(-1, keepdims=True) - np.log(2)) / (x.shape[1] - 1)


def _bpr_slope(g, x, label):
    slope = 1 / (1 + np.exp(_of_label(x, label) - x))
    np.put_along_axis(slope, label, 0.0, -1)
    np.put_along_axis(slope, label, -slope.sum(-1, keepdims=True), -1)
    return slope * g / (x.shape[1] - 1)


def _teacher(x, z):
    plain = np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)
    return np.where(z < -1, plain, np.where(z < 0, plain - x, np.where(
        z < 1, 2 * plain - x * z, 2 * plain - x - x * (z - 1))))


def _teacher_slope(g, x, z):
    s = 1 / (1 + np.exp(-x))
    return g * np.where(z < -1, s, np.where(z < 0, s - 1, 2 * s - z))


def _centered(x, label, centers, rate):
    d = x - centers[label[:, 0]]
    return (d * d).sum(1, keepdims=True) / 2


_LABELS = ints(3, 1, high=4)
_SHARES = floats(3, 4, low=0.1, high=0.9)
LOSSES = [
    Record("cross_entropy", _call(losses.cross_entropy_op), [_SHARES, _LABELS],
           lambda x, label: -np.log(_of_label(x, label))),
    Record("cross_entropy", _call(losses.cross_entropy_op, soft_label=True), [_SHARES, floats(3, 4, low=0.1, seed=1)],
           lambda x, label: -(label * np.log(x)).sum(-1, keepdims=True), label="soft", differentiable=[0]),
    Record("cross_entropy2", _first(losses.cross_entropy2_op, 0), [_SHARES, _LABELS],
           lambda x, label: -np.log(_of_label(x, label))),
    Record("cross_entropy_slope", _call(losses.cross_entropy_grad_op), [floats(3, 1), _SHARES, _LABELS],
           lambda g, x, label: -g / x * np.eye(4)[label[:, 0]]),
    Record("smooth_l1_loss", _first(losses.smooth_l1_loss_op, 1, None, None, sigma=2.0),
           [floats(3, 4), floats(3, 4, seed=1)], _smooth),
    Record("rank_loss", _call(losses.rank_loss_op), [bools(3, 1).astype(float), floats(3, 1), floats(3, 1, seed=1)],
           lambda z, a, b: _log1p_exp(a - b) - z * (a - b), differentiable=[1, 2]),
    Record("margin_rank_loss", _first(losses.margin_rank_loss_op, 0, margin=0.1),
           [bools(3, 1) * 2.0 - 1, floats(3, 1), floats(3, 1, seed=1)],
           lambda z, a, b: np.maximum(0.1 - z * (a - b), 0), differentiable=[1, 2]),
    Record("bpr_loss", _call(losses.bpr_loss_op), [floats(3, 4), _LABELS], _bpr, second=False),
    Record("bpr_slope", _call(losses.bpr_slope_op), [floats(3, 1), floats(3, 4), _LABELS], _bpr_slope,
           differentiable=[]),
    Record("hinge_loss", _call(losses.hinge_loss_op), [floats(3, 1), bools(3, 1).astype(float)],
           lambda x, z: np.maximum(1 - x * (2 * z - 1), 0), differentiable=[0]),
    Record("teacher_student_sigmoid_loss", _call(losses.teacher_student_sigmoid_loss_op),
           [floats(8, 1), floats(8, 1, low=-2.5, high=1.9, seed=1)], _teacher, differentiable=[0], second=False),
    Record("teacher_student_slope", _call(losses.teacher_student_slope_op),
           [floats(8, 1), floats(8, 1, seed=2), floats(8, 1, low=-2.5, high=1.9, seed=1)], _teacher_slope,
           differentiable=[]),
    Record("center_loss", _first(losses.center_loss_op, 2, cluster_num=4),
           [floats(3, 4), _LABELS, floats(4, 4, seed=1), floats(1)], _centered, differentiable=[0]),
]


def _lrn(x):
    square = np.pad(x * x, ((0, 0), (1, 2), (0, 0), (0, 0)))
    middle = 1 + 0.5 * sum(square[:, n:n + x.shape[1]] for n in range(4))
    return x * middle**-0.75


def _lrn_slope(g, x, middle):
    part = np.pad(g * x * middle**-1.75, ((0, 0), (2, 1), (0, 0), (0, 0)))
    return g * middle**-0.75 - 0.75 * x * sum(part[:, n:n + x.shape[1]] for n in range(4))


_LRN = {"n": 4, "alpha": 0.5, "beta": 0.75}
NORMS = [
    Record("norm", _first(norms.norm_op, 1, axis=1, epsilon=1e-10), [floats(3, 4)],
           lambda x: x / np.sqrt((x * x).sum(1, keepdims=True) + 1e-10)),
    Record("clip_by_norm", _call(norms.clip_by_norm_op, max_norm=0.5), [floats(3, 4)],
           lambda x: x * 0.5 / np.linalg.norm(x)),
    Record("lrn", _first(norms.lrn_op, 0, k=1.0, **_LRN), [floats(2, 6, 2, 2)], _lrn, second=False),
    Record("lrn_slope", _call(norms.lrn_slope_op, **_LRN),
           [floats(2, 6, 2, 2), floats(2, 6, 2, 2, seed=1), floats(2, 6, 2, 2, low=1, high=2, seed=2)], _lrn_slope,
           differentiable=[]),
    Record("affine_channel", _call(norms.affine_channel_op, data_layout="NCHW"),
           [floats(2, 3, 2, 2), floats(3), floats(3, seed=1)],
           lambda x, s, b: x * s[:, None, None] + b[:, None, None]),
    Record("soft_relu", _call(norms.soft_relu_op, threshold=2.0), [floats(3, 4, low=-4, high=4)],
           lambda x: _log1p_exp(np.clip(x, -2, 2))),
    Record("stanh", _call(norms.stanh_op), [floats(3, 4)], lambda x: 1.7159 * np.tanh(0.67 * x)),
    Record("isfinite", _call(norms.isfinite_op), [np.array([1.0, np.inf])], lambda x: np.array([False])),
    Record("isinf", _call(norms.isinf_op), [np.array([1.0, np.inf])], lambda x: np.array([True])),
    Record("isnan", _call(norms.isnan_op), [np.array([1.0, np.inf])], lambda x: np.array([False])),
]


def _doubled(x):
    return x.repeat(2, -2).repeat(2, -1)


def _spread(x):
    n, c, h, w = x.shape
    parts = x.reshape(n, 2, 2, c // 4, h, w).transpose(0, 3, 4, 1, 5, 2)
    return parts.reshape(n, c * 4, h // 2, w // 2)


def _interp(type, shape, method, **sizes):
    return Record(type, _call(getattr(images, f"{type}_op"), None, None, None, interp_method=method, **sizes),
                  [floats(*shape)], None, tolerance=1e-6)


_PADS = {"paddings": [1, 0, 2, 1], "mode": "constant"}
IMAGES = [
    Record("nearest_interp", _call(images.nearest_interp_op, None, None, None, interp_method="nearest", scale=2.0,
                                   align_corners=False), [floats(2, 3, 2, 3)], _doubled),
    _interp("bilinear_interp", (2, 3, 4, 4), "bilinear", out_h=6, out_w=7),
    _interp("trilinear_interp", (2, 2, 2, 4, 4), "trilinear", out_d=3, out_h=6, out_w=7),
    _interp("bicubic_interp", (2, 3, 4, 4), "bicubic", out_h=6, out_w=7),
    Record("pad2d", _call(images.pad2d_op, None, pad_value=0.5, **_PADS), [floats(2, 3, 2, 2)],
           lambda x: np.pad(x, ((0, 0), (0, 0), (1, 0), (2, 1)), constant_values=0.5)),
    Record("unpad2d", _call(images.unpad2d_op, None, **_PADS), [floats(2, 3, 3, 5)], lambda g: g[:, :, 1:, 2:4]),
    Record("pad_constant_like", _call(images.pad_constant_like_op, pad_value=0.5), [floats(3, 4), floats(3, 2)],
           lambda x, y: np.pad(y, ((0, 0), (0, 2)), constant_values=0.5), differentiable=[1]),
    Record("first_part", _call(images.first_part_op), [floats(3, 4), floats(3, 2)], lambda g, y: g[:, :2],
           differentiable=[0]),
    Record("shuffle_channel", _call(images.shuffle_channel_op, group=3), [floats(2, 6, 2, 2)],
           lambda x: x.reshape(2, 3, 2, 2, 2).swapaxes(1, 2).reshape(x.shape)),
    Record("space_to_depth", _call(images.space_to_depth_op, blocksize=2), [floats(2, 4, 2, 4)], _spread),
    Record("depth_to_space", _call(images.depth_to_space_op, blocksize=2), [_spread(floats(2, 4, 2, 4))],
           lambda g: floats(2, 4, 2, 4)),
]


def _mean_iou(x, y):
    counts = np.array([[np.sum((x == a) & (y == b)) for b in range(3)] for a in range(3)])
    right = np.diag(counts)
    wrong = counts.sum(0) + counts.sum(1) - 2 * right
    seen = right + wrong > 0
    return (np.array([np.mean(right[seen] / (right + wrong)[seen])], "float32"), wrong.astype("int32"),
            right.astype("int32"))


def _encoded(x):
    places = np.arange(3)[:, None] / 10000.0 ** (np.arange(2) / 1)
    return 2.0 * x + 0.5 * np.concatenate([np.sin(places), np.cos(places)], 1)


def _cvm(x, c):
    first = np.log(x[:, :1] + 1)
    return np.concatenate([first, np.log(x[:, 1:2] + 1) - first, x[:, 2:]], 1)


_ORDER = np.array([2, 0, 1])
METRICS = [
    Record("mean_iou", _call(metrics.mean_iou_op, None, None, None, num_classes=3),
           [ints(6, high=3, dtype="int32"), ints(6, high=3, dtype="int32", seed=1)], _mean_iou, tolerance=1e-6),
    Record("unique_with_counts", _call(metrics.unique_with_counts_op), [np.array([3, 1, 3, 2, 1])],
           lambda x: (np.array([3, 1, 2]), np.array([0, 1, 0, 2, 1]), np.array([2, 2, 1])), data_dependent=True),
    Record("add_position_encoding",
           lambda x: apply(metrics.add_position_encoding_op, x, [], alpha=2.0, beta=0.5), [floats(2, 3, 4)], _encoded),
    Record("cvm", lambda x, c: apply(metrics.cvm_op, x, c, []), [floats(3, 4, low=0), floats(3, 2)], _cvm,
           differentiable=[]),
    Record("cvm_slope", lambda g, c: apply(metrics.cvm_grad_op, g, c, []), [floats(3, 4), floats(3, 2)],
           lambda g, c: np.concatenate([c, g[:, 2:]], 1)),
    Record("cvm_slope", lambda g, c, o: apply(metrics.cvm_grad_op, g, c, [o]),
           [floats(6, 4), floats(3, 2), np.array([0, 2, 2, 6])],
           lambda g, c, o: np.concatenate([np.repeat(c, np.diff(o), 0), g[:, 2:]], 1), label="sequences"),
    Record("shuffle_batch", _call(metrics.shuffle_batch_op, startup_seed=3), [floats(3, 4), ints(1)], None,
           second=False, data_dependent=True),
    Record("unshuffle_batch", _call(metrics.unshuffle_op), [floats(3, 4), _ORDER], lambda g, n: g[np.argsort(n)]),
    Record("reorder_batch", _call(metrics.reorder_op), [floats(3, 4), _ORDER], lambda x, n: x[n]),
]

# what few scripts use; tests/fluid/test_other_operators.py has 1.8.5's answers

def _largest(x):
    """One plane's largest elements, one in each row and column."""
    found, left = np.zeros_like(x), np.ones(x.shape, bool)
    while left.any():
        at = np.unravel_index(np.where(left, x, -np.inf).argmax(), x.shape)
        found[at], left[at[0]], left[:, at[1]] = 1, False, False
    return found


LINES, ENDS, TAGS = floats(6, 2), np.array([0, 3, 4, 6]), np.array([[1], [2], [3], [1], [4], [9]])
KEPT = np.array([[0, 0, 3], [3, 4, 2]])
WEIGHTS = np.ones((2, 1), "float32")
OTHERS = [
    Record("hash", _call(hashes.hash_op, num_hash=2, mod_by=1000), [ints(4, 3, high=2**40)], None),
    Record("similarity_focus", _call(focus.similarity_focus_op, axis=1, indexes=[1]), [floats(2, 3, 4, 5)],
           lambda x: np.stack([np.stack([_largest(sample[1])] * 3) for sample in x])),
    Record("random_crop", lambda x, seed: apply(crops.random_crop_op, x, seed + 0, shape=[2, 3]),  # a seed of its own
           [floats(3, 4, 5), np.array([7])], None,
           differentiable=[], batched=[0]),
    Record("filter_by_instag", lambda x, t, f, a, b: apply(tags.filter_by_instag_op, x, t, f, [a], [b])[:3],
           [LINES, TAGS, np.array([1, 4]), ENDS, np.array([0, 2, 3, 6])],
           lambda x, *_: (x[[0, 1, 2, 4, 5]], WEIGHTS, KEPT),
           data_dependent=True, static=False),
    Record("put_filtered", _call(tags.put_filtered_op), [floats(5, 2), LINES, WEIGHTS, KEPT],
           lambda g, x, w, at: np.concatenate([g[:3], np.zeros((1, 2)), g[3:]]), differentiable=[0], batched=[]),
    Record("take_filtered", _call(tags.take_filtered_op), [LINES, WEIGHTS, KEPT], lambda x, w, at: x[[0, 1, 2, 4, 5]],
           data_dependent=True, differentiable=[0]),
    Record("tdm_sampler", _call(tdm.tdm_sampler_op, neg_samples_num_list=[1, 2], layer_offset_lod=[0, 2, 6]),
           [np.array([[0], [1], [2]]), np.array([[1, 3], [1, 4], [2, 0]]), np.arange(1, 7)[:, None]], None),
]
RECORDS = PRODUCTS + LOOKUP + SHAPES + FILLED + LOSSES + NORMS + IMAGES + METRICS + OTHERS

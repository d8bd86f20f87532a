"""Records of losses of sequences and of many classes, of masks and of beams."""

import itertools

import numpy as np
import proa as paddle
from proa.nn import functional as F
from proa.ops.core.trace import apply
from proa.ops.loss import ctc, hierarchical_sigmoid, transducer
from proa.ops.nn import masked_softmax
from proa.ops.optim import averages
from records import Record, floats

SCORES = floats(5, 3, 4, low=-1, high=1)
LABELS, STEPS, LENGTHS = np.array([[1, 2], [3, 3], [2, 1]], "int32"), np.array([5, 4, 3]), np.array([2, 2, 1])
WEIGHTS = floats(3, 1, low=0.5, high=2)


def _log_softmax(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def _ctc(x, labels, steps, lengths):
    """By looking at every path there is."""
    x, losses = _log_softmax(x), []
    for b in range(x.shape[1]):
        total = 0.0
        for path in itertools.product(range(x.shape[2]), repeat=int(steps[b])):
            read = [s for s, _ in itertools.groupby(path) if s != 0]
            if read == list(labels[b, :lengths[b]]):
                total += np.exp(sum(x[t, b, s] for t, s in enumerate(path)))
        losses.append(-np.log(total) if total else 0.0)
    return np.array(losses)


def _ctc_gradient(x, labels, steps, lengths, along=None):
    result = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-5
        b = place[1]
        result[place] = (_ctc(x + step, labels, steps, lengths) - _ctc(x - step, labels, steps, lengths))[b] / 2e-5
    return result


SMALL = (floats(3, 2, 3), np.array([[1], [2]], "int32"), np.array([3, 2]), np.array([1, 1]))
V = floats(3, 2, 3, seed=4)


def _slope(x, *others):
    return apply(ctc.warpctc_op, x, *others, [], [])[1].detach()


ALIGNED = floats(2, 4, 3, 5, low=-3, high=0)
SYMBOLS, TIMES, COUNTS = np.array([[1, 2], [3, 1]], "int32"), np.array([4, 3], "int32"), np.array([2, 1], "int32")


def _rnnt(x, label, steps, lengths):
    losses = []
    for b in range(len(x)):
        total, t_end, u_end = 0.0, int(steps[b]), int(lengths[b])
        for ups in itertools.combinations_with_replacement(range(t_end), u_end):  # the steps at which symbols come
            score, u = 0.0, 0
            for t in range(t_end):
                for _ in range(ups.count(t)):
                    score += x[b, t, u, label[b, u]]
                    u += 1
                score += x[b, t, u, 0]
            total += np.exp(score)
        losses.append(-np.log(total))
    return np.array(losses)


def _rnnt_slope(x, *others, **attrs):
    return apply(transducer.warprnnt_op, x, *others, **attrs)[1].detach()


def _hastened(x, label, steps, lengths):
    return F.rnnt_loss(x, label, steps, lengths, fastemit_lambda=0.0, reduction="none")


FEATURES, NODES, BIAS = floats(4, 3), floats(5, 3, seed=1), floats(5, 1, seed=2)
CLASSES = np.array([[0], [1], [4], [5]])
TABLE = np.array([[0, 2, -1], [0, 1, 3], [4, -1, -1], [1, 2, 3]])
CODES = np.array([[1, 0, -1], [0, 1, 1], [1, -1, -1], [0, 0, 1]])


def _tree(x, w, b, table, codes):
    scores = np.where(table >= 0, np.einsum("nd,nld->nl", x, w[table]) + b[table, 0], 0)
    return (np.log1p(np.exp(scores)) - np.where(table >= 0, codes, 0) * scores).sum(1, keepdims=True)


def _complete(classes, labels):
    depth = (classes - 1).bit_length()
    leaf = labels.reshape(-1, 1) + classes
    table = (leaf >> np.arange(1, depth + 1)) - 1
    return table, (leaf >> np.arange(depth)) & 1


def _margin(x, y):
    scores, rows = x.copy(), np.arange(len(x))
    scores[rows, y] = np.cos(1.2 * np.arccos(x[rows, y]) + 0.3) - 0.1
    return -_log_softmax(scores * 4)[rows, y][:, None]


def _softmax(x):
    return np.exp(_log_softmax(x))


ATTENTION = floats(2, 3, 4, 4)
MASK = floats(2, 1, 4, 4, low=-2)
OFFSET, COLUMNS = np.array([[[0, 2, 3, 3]]], "int32"), np.array([[[0, 2, 1]]], "int32")
PARAMETER = floats(3, 2)
COUNT = [np.array([1]), np.array([0]), np.array([1])]


def _average(*inputs):
    return apply(averages.average_accumulates_op, *inputs, average_window=1.0, max_average_window=4,
                 min_average_window=2)


RECORDS = [
    Record("warpctc", lambda *a: F.ctc_loss(*a, reduction="none"), [SCORES, LABELS, STEPS, LENGTHS], _ctc,
           batched=[1, 2, 3], float32=True),
    Record("warpctc_backward", lambda x, y, n, m, g: apply(ctc.warpctc_grad_op, x, _slope(x, y, n, m), y, n, m, g),
           [*SMALL, np.ones((2, 1))], lambda x, y, n, m, g: _ctc_gradient(x, y, n, m), tolerance=1e-8,
           batched=[1, 2, 3], float32=False, second=False),
    Record("warpctc_curvature", lambda x, y, n, m, v: apply(ctc.warpctc_curvature_op, x, y, n, m, v), [*SMALL, V],
           lambda x, y, n, m, v: (_ctc_gradient(x + 1e-4 * v, y, n, m) - _ctc_gradient(x - 1e-4 * v, y, n, m)) / 2e-4,
           tolerance=1e-6, batched=[1, 2, 3], differentiable=[4], float32=False),
    Record("warprnnt", _hastened, [ALIGNED, SYMBOLS, TIMES, COUNTS], _rnnt, batched=[0, 1, 2, 3]),
    Record("warprnnt_backward", lambda x, y, n, m, g: apply(
               transducer.warprnnt_grad_op, x, _rnnt_slope(x, y, n, m), y, n, m, g),
           [ALIGNED, SYMBOLS, TIMES, COUNTS, np.ones(2)], None, batched=[0, 1, 2, 3, 4], second=False),
    Record("warprnnt_curvature", lambda x, y, n, m, v: apply(transducer.warprnnt_curvature_op, x, y, n, m, v),
           [ALIGNED, SYMBOLS, TIMES, COUNTS, floats(2, 4, 3, 5, seed=3)], None, batched=[0, 1, 2, 3, 4],
           differentiable=[]),
    Record("hierarchical_sigmoid", lambda x, w, b, y: F.hsigmoid_loss(x, y, 6, w, b), [FEATURES, NODES, BIAS, CLASSES],
           lambda x, w, b, y: _tree(x, w, b, *_complete(6, y)), batched=[0, 3]),
    Record("hierarchical_sigmoid", lambda x, w, y: F.hsigmoid_loss(x, y, 6, w), [FEATURES, NODES, CLASSES],
           lambda x, w, y: _tree(x, w, 0 * BIAS, *_complete(6, y)), label="no bias", batched=[0, 2]),
    Record("hierarchical_sigmoid", lambda x, w, b, y, t, c: F.hsigmoid_loss(x, y, 6, w, b, t, c),
           [FEATURES, NODES, BIAS, CLASSES, TABLE, CODES], lambda x, w, b, y, t, c: _tree(x, w, b, t, c),
           label="other ways", batched=[0, 3, 4, 5]),
    Record("hierarchical_way", lambda y: apply(hierarchical_sigmoid.way_op, y, None, None, num_classes=8),
           [np.array([0, 5])], lambda y: [*_complete(8, y), np.ones((2, 3), bool)]),
    Record("margin_cross_entropy", lambda x, y: F.margin_cross_entropy(x, y, 1.2, 0.3, 0.1, 4.0, reduction=None),
           [floats(3, 4, low=-0.8, high=0.8), np.array([1, 0, 3])], _margin, batched=[0, 1]),
    Record("sequence_mask", lambda x: F.sequence_mask(x, 4, "float64"), [np.array([[1, 2], [4, 0]])],
           lambda x: (np.arange(4) < x[..., None]) * 1.0),
    Record("sequence_mask", lambda x: F.sequence_mask(x), [np.array([1, 3])], lambda x: (np.arange(3) < x[:, None]) * 1,
           label="greatest length", data_dependent=True),
    Record("sequence_mask", lambda x, n: F.sequence_mask(x, n), [np.array([1, 3]), np.array([4])],
           lambda x, n: (np.arange(4) < x[:, None]) * 1, label="tensor", data_dependent=True),
    Record("gather_tree", F.gather_tree,
           [np.array([[[2, 2], [6, 1]], [[3, 9], [6, 1]], [[0, 1], [9, 0]]]),
            np.array([[[0, 0], [1, 1]], [[1, 0], [1, 0]], [[0, 0], [0, 1]]])],
           lambda *_: np.array([[[2, 2], [1, 6]], [[3, 3], [6, 1]], [[0, 1], [9, 0]]])),
    Record("class_center_sample", lambda y: F.class_center_sample(y, 20, 2), [np.array([1, 3, 3, 0])],
           lambda y: [np.array([1, 2, 2, 0]), np.array([0, 1, 3])], data_dependent=True),
    Record("fused_softmax_mask", paddle.incubate.softmax_mask_fuse, [ATTENTION, MASK],
           lambda x, m: _softmax(x + m)),
    Record("fused_softmax_mask_upper_triangle", paddle.incubate.softmax_mask_fuse_upper_triangle, [ATTENTION],
           lambda x: _softmax(np.where(np.tril(np.ones((4, 4))) > 0, x, -1e300))),
    Record("csr_mask", lambda o, c: apply(masked_softmax.csr_mask_op, o, c, size=3), [OFFSET, COLUMNS],
           lambda o, c: np.array([[[[1, 0, 1], [0, 1, 0], [0, 0, 0]]]], bool)),
    Record("average_accumulates", _average, [PARAMETER, PARAMETER, 0 * PARAMETER, 0 * PARAMETER, *COUNT],
           lambda p, *_: [0 * p, 0 * p, 2 * p, np.array([0]), np.array([2]), np.array([2])], static=False),
]

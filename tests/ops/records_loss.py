"""Records of the losses, and of label_smooth."""

import numpy as np
import proa as paddle
from proa.nn import functional as F
from proa.ops.core.trace import apply
from proa.ops.loss import cross_entropy, losses
from records import Record, floats

SCORES = floats(6, 5, low=-2, high=2)
LABELS = np.array([1, 0, 4, 2, 1, 3])
COLUMN = LABELS[:, None]
WEIGHT = floats(5, low=0.5, high=2.0)
PROBABILITIES = floats(3, 4, low=0.1, high=0.9)
SOFT = floats(6, 5, low=0.1, high=0.5, seed=1)
X, Y = floats(3, 4, low=-2, high=2), floats(3, 4, low=-2, high=2, seed=5)


def _softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def _picked(x, y, axis=-1):
    return -np.take_along_axis(np.log(_softmax(x, axis)), np.expand_dims(y, axis), axis)


def _mean_but(ignored):
    def reference(x, y):
        return _picked(x, y)[:, 0][y != ignored].mean()

    return reference


def _weighted(x, y):
    return (_picked(x, y)[:, 0] * WEIGHT[y]).sum() / WEIGHT[y].sum()


def _unreduced(**more):
    return lambda x, y: F.cross_entropy(x, y, reduction="none", **more)


def _first_gradient(soft=False, use_softmax=True):
    def function(x, y, g):
        softmax = F.softmax(x.detach()) if use_softmax else x
        return apply(cross_entropy.backward_op, x, softmax.detach(), y, g, soft_label=soft, use_softmax=use_softmax,
                     ignore_index=1, axis=1)

    return function


def _onehot(y):
    return np.eye(5)[y[:, 0]]


G = floats(6, 1, low=0.5, high=1.5)
COUNTED = COLUMN != 1

CROSS_ENTROPY = [
    Record("softmax_with_cross_entropy", _unreduced(), [SCORES, COLUMN], lambda x, y: _picked(x, y[:, 0]),
           batched=[0, 1]),
    Record("cross_entropy_mean", lambda x, y: F.cross_entropy(x, y), [SCORES, LABELS],
           lambda x, y: _picked(x, y).mean(), batched=[0, 1]),
    Record("softmax_with_cross_entropy", lambda x, y: F.cross_entropy(x, y, paddle.to_tensor(WEIGHT)), [SCORES, LABELS],
           _weighted, label="weight", static=False, float32=False),
    Record("softmax_with_cross_entropy", _unreduced(ignore_index=1), [SCORES, LABELS],
           lambda x, y: _picked(x, y)[:, 0] * (y != 1), label="ignore", batched=[0, 1]),
    Record("softmax_with_cross_entropy", _unreduced(axis=1), [floats(2, 5, 3), LABELS.reshape(2, 3)],
           lambda x, y: _picked(x, y, 1)[:, 0], label="axis", batched=[0, 1]),
    Record("softmax_with_cross_entropy", lambda x, y: F.cross_entropy(x, y, soft_label=True, reduction="none"),
           [SCORES, SOFT], lambda x, y: -(y * np.log(_softmax(x))).sum(1, keepdims=True), label="soft",
           differentiable=[0]),
    Record("softmax_with_cross_entropy", _unreduced(use_softmax=False), [np.exp(SCORES) / 10, LABELS],
           lambda x, y: -np.log(x[np.arange(6), y]), label="probabilities", batched=[0, 1]),
    Record("cross_entropy_mean", lambda x, y: F.cross_entropy(x, y, ignore_index=1), [SCORES, LABELS], _mean_but(1),
           label="of those that count", batched=[0, 1]),
    Record("cross_entropy_backward", _first_gradient(), [SCORES, COLUMN, G],
           lambda x, y, g: g * COUNTED * (_softmax(x) - _onehot(y)), batched=[0, 1, 2], differentiable=[2]),
    Record("cross_entropy_along", lambda x, y, v: apply(cross_entropy.along_op, x, y, v, ignore_index=1, axis=1),
           [SCORES, COLUMN, SOFT], lambda x, y, v: (COUNTED * (_softmax(x) - _onehot(y)) * v).sum(1, keepdims=True),
           batched=[0, 1, 2]),
    Record("cross_entropy_weight", lambda g, y: apply(cross_entropy.weight_op, g, y, ignore_index=1, axis=1),
           [G, COLUMN], lambda g, y: g * COUNTED, batched=[0, 1]),
]


def _nll(reduction, weight=None):
    def function(x, y):
        w = None if weight is None else paddle.to_tensor(weight, dtype=x.dtype)
        return F.nll_loss(x, y, w, ignore_index=1, reduction=reduction)

    return function


def _nll_reference(reduction, weight=None):
    def function(x, y):
        w = (np.ones(5) if weight is None else weight)[y] * (y != 1)
        each = -x[np.arange(len(y)), y] * w
        return each if reduction == "none" else each.sum() / (w.sum() if reduction == "mean" else 1)

    return function


def _nll_backward_reference(g, y, total):
    result = np.zeros((6, 5))
    result[np.arange(6), y] = -g / total * (y != 1)
    return result


def _logits(x, y, w):
    log1 = -np.log1p(np.exp(-x))
    return -(w * y * log1 + (1 - y) * (log1 - x))


def _huber(x, y):
    d = np.abs(x - y)
    return np.where(d <= 0.7, d * d / 2, 0.7 * (d - 0.35))


def _bce(x, y):
    return -(y * np.log(x) + (1 - y) * np.log(1 - x))


TARGETS = floats(3, 4, low=0.1, high=0.9, seed=2)

OTHERS = [
    *(Record("nll_loss", _nll(r, w), [SCORES, LABELS], _nll_reference(r, w),
             label=f"{r}{'' if w is None else ' weight'}", batched=[0, 1], static=w is None)
      for r in ("mean", "sum", "none") for w in (None, WEIGHT)),
    Record("nll_loss_backward", lambda g, y, total: apply(
               losses.nll_backward_op, g, y, total, None, None, shape=[6, 5], ignore_index=1, reduction="mean"),
           [np.array(1.5), LABELS, np.array(4.0)], _nll_backward_reference, differentiable=[0], batched=[]),
    Record("bce_loss", lambda x, y: F.binary_cross_entropy(x, y, reduction="none"), [PROBABILITIES, TARGETS], _bce,
           differentiable=[0]),
    Record("whole_numbers", lambda x: apply(cross_entropy.whole_op, x), [LABELS.astype("float64")],
           lambda x: x.astype("int64"), differentiable=[]),
    Record("bce_slope", lambda x, y: apply(losses.bce_slope_op, x, y), [PROBABILITIES, TARGETS],
           lambda x, y: (x - y) / (x * (1 - x)), differentiable=[0]),
    Record("sigmoid_cross_entropy_with_logits", lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none"),
           [X, TARGETS], lambda x, y: _logits(x, y, 1.0), differentiable=[0]),
    Record("sigmoid_cross_entropy_with_logits", lambda x, y, w: F.binary_cross_entropy_with_logits(
               x, y, pos_weight=w, reduction="none"), [X, TARGETS, floats(4, low=0.5, high=3.0)], _logits,
           label="weight", differentiable=[0, 2]),
    Record("sigmoid_cross_entropy_with_logits_grad",
           lambda x, y, g: apply(losses.logits_grad_op, x, y, g, ignore_index=-100), [X, TARGETS, Y],
           lambda x, y, g: g * (1 / (1 + np.exp(-x)) - y), differentiable=[0, 2]),
    Record("huber_slope", lambda r, g: apply(losses.huber_slope_op, r, g, delta=0.7), [X, Y],
           lambda r, g: g * np.clip(r, -0.7, 0.7)),
    Record("huber_loss", lambda x, y: F.smooth_l1_loss(x, y, "none", 0.7), [X, Y], _huber),
    Record("kldiv_loss", lambda x, y: F.kl_div(x, y, "none"), [X, TARGETS], lambda x, y: y * (np.log(y) - x),
           differentiable=[0]),
    Record("log_loss", lambda x, y: F.log_loss(x, y), [PROBABILITIES, TARGETS],
           lambda x, y: -y * np.log(x + 1e-4) - (1 - y) * np.log(1 - x + 1e-4), differentiable=[0]),
    Record("label_smooth", lambda x: F.label_smooth(x, epsilon=0.2), [PROBABILITIES], lambda x: 0.8 * x + 0.05),
]

RECORDS = CROSS_ENTROPY + OTHERS

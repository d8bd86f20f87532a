"""Records of operators that only layers of `static.nn` apply."""

import numpy as np
from proa.ops.core.trace import apply
from proa.ops.loss.nce import nce_op
from proa.ops.nn.data_norm import data_norm_op, slots_shown_op
from proa.ops.nn.row_conv import filter_gradient_op, row_conv_op
from records import Record, floats, ints


def row_conv(x, w):
    padded = np.pad(x, ((0, 0), (0, len(w) - 1), (0, 0)))
    return sum(padded[:, k:k + x.shape[1]] * w[k] for k in range(len(w)))


def filter_gradient(x, g, like):
    padded = np.pad(x, ((0, 0), (0, len(like) - 1), (0, 0)))
    return np.stack([(padded[:, k:k + g.shape[1]] * g).sum((0, 1)) for k in range(len(like))])


def data_norm(x, size, total, squares, scale=1.0, shift=0.0):
    return (x - total / size) * np.sqrt(size / squares) * scale + shift


SUMMARIES = [floats(4, low=5.0, high=9.0), floats(4, seed=1), floats(4, low=3.0, high=8.0, seed=2)]
SHOWN = np.array([[0.0, 2.0, 1.0, 3.0], [1.0, 0.5, 0.0, 1.0]])


def nce(**attrs):
    def call(x, label, weight, bias, sample_weight):
        return apply(nce_op, x, label, sample_weight, weight, bias, None, None, None, num_total_classes=6, **attrs)[0]

    return call


def nce_reference(chance, noise):
    def reference(x, label, weight, bias, sample_weight):
        labels = np.concatenate([label, np.broadcast_to(noise, (len(x), len(noise)))], 1)
        o = 1 / (1 + np.exp(-(np.einsum("nkd,nd->nk", weight[labels], x) + bias.reshape(-1)[labels])))
        b = chance(labels) * len(noise)
        parts = np.where(np.arange(labels.shape[1]) < label.shape[1], o, b) / (o + b)
        return -np.log(parts).sum(1, keepdims=True) * sample_weight

    return reference


NCE = [floats(3, 4), ints(3, 2, high=6), floats(6, 4, seed=1), floats(6, 1), floats(3, 1, low=0.5, high=2.0)]

RECORDS = [
    Record("row_conv", lambda x, w: apply(row_conv_op, x, w, []), [floats(2, 5, 3), floats(3, 3)], row_conv,
           batched=[0]),
    Record("row_conv", lambda x, w: apply(row_conv_op, x, w, []), [floats(2, 2, 3), floats(4, 3)], row_conv, "short",
           batched=[0]),
    Record("row_conv_filter_gradient", lambda x, g, like: apply(filter_gradient_op, x, g, like, []),
           [floats(2, 5, 3), floats(2, 5, 3, seed=1), floats(3, 3)], filter_gradient, differentiable=[0, 1],
           batched=[0, 1]),
    Record("data_norm", lambda x, *summaries: apply(data_norm_op, x, *summaries, None, None)[0],
           [floats(3, 4), *SUMMARIES], data_norm, differentiable=[0], batched=[0]),
    Record("data_norm", lambda x, *rest: apply(data_norm_op, x, *rest, enable_scale_and_shift=True)[0],
           [floats(3, 4), *SUMMARIES, floats(4, seed=3), floats(4, seed=4)], data_norm, "scaled",
           differentiable=[0, 4, 5], batched=[0]),
    Record("data_norm", lambda x, *summaries: apply(data_norm_op, x, *summaries, None, None, slot_dim=2)[0],
           [SHOWN, *SUMMARIES], lambda x, *rest: data_norm(x, *rest) * np.repeat(x[:, ::2] != 0, 2, 1), "slots",
           differentiable=[], batched=[0]),
    Record("slots_shown", lambda x: apply(slots_shown_op, x, slot_dim=2), [SHOWN],
           lambda x: np.repeat(x[:, ::2] != 0, 2, 1).astype(x.dtype)),
    Record("nce", nce(custom_neg_classes=[5, 0, 3]), NCE, nce_reference(lambda labels: 1 / 6, [5, 0, 3]),
           differentiable=[0, 2, 3], batched=[0, 1, 4]),
    Record("nce", nce(custom_neg_classes=[5, 0], sampler=1), NCE,
           nce_reference(lambda labels: np.log((labels + 2) / (labels + 1)) / np.log(6), [5, 0]), "log_uniform",
           differentiable=[0, 2, 3], batched=[0, 1, 4]),
    Record("nce", nce(num_neg_samples=3, seed=7), NCE, None, "drawn", differentiable=[0, 2, 3], batched=[0, 1, 4]),
]

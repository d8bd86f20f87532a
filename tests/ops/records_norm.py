"""Records of normalization, dropout, embedding and padding."""

import numpy as np
from proa.nn import functional as F
from proa.ops.array import pad
from proa.ops.core.trace import apply
from proa.ops.nn import dropout, embedding, norm
from records import Record, floats

X = floats(4, 3, 2, 5)
W, B, M = floats(3, low=0.5, high=1.5), floats(3, seed=1), floats(3, seed=2)
V = floats(3, low=0.5, high=2.0, seed=3)
CHANNELS = (1, 3, 1, 1)


def _normal(x, axes, epsilon=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def _batch(x, w, b):
    return _normal(x, (0, 2, 3)) * w.reshape(CHANNELS) + b.reshape(CHANNELS)


def _running(x, w, b, m, v):
    return (x - m.reshape(CHANNELS)) / np.sqrt(v.reshape(CHANNELS) + 1e-5) * w.reshape(CHANNELS) + b.reshape(CHANNELS)


def _trained(x, w, b, **more):
    import proa as paddle

    zeros, ones = paddle.zeros([3], x.dtype), paddle.ones([3], x.dtype)
    return F.batch_norm(x, zeros, ones, w, b, training=True, **more)


def _evaluated(x, w, b, m, v):
    return F.batch_norm(x, m.detach(), v.detach(), w, b)


def _norm_grad(x, w, g):
    mean = x.mean([0, 2, 3])
    centered = x - mean.reshape([1, 3, 1, 1])
    inverse = ((centered * centered).mean([0, 2, 3]) + 1e-5).rsqrt()
    return apply(norm.norm_grad_op, x, w, mean.detach(), inverse.detach(), g, kind="batch", epsilon=1e-5,
                 inverted=True)


def _norm_grad_reference(x, w, g):
    normal, inverse = _normal(x, (0, 2, 3)), 1 / np.sqrt(x.var((0, 2, 3), keepdims=True) + 1e-5)
    h = g * w.reshape(CHANNELS)

    def mean(t):
        return t.mean((0, 2, 3), keepdims=True)

    dx = (h - mean(h) - normal * mean(h * normal)) * inverse
    return [dx, (g * normal).sum((0, 2, 3)), g.sum((0, 2, 3))]


def _grouped(x, w, b):
    y = _normal(x.reshape(2, 2, 2, 3, 2), (2, 3, 4)).reshape(x.shape)
    return y * w.reshape(1, 4, 1, 1) + b.reshape(1, 4, 1, 1)


def _instance(x, w, b):
    return _normal(x, (2, 3)) * w.reshape(1, 4, 1, 1) + b.reshape(1, 4, 1, 1)


IMAGES, W4, B4 = floats(2, 4, 3, 2), floats(4, low=0.5, high=1.5), floats(4, seed=1)

NORMS = [
    Record("batch_norm", _trained, [X, W, B], _batch),
    Record("batch_norm", lambda x: _trained(x, None, None), [X], lambda x: _normal(x, (0, 2, 3)), label="plain"),
    Record("batch_norm", lambda x, w, b: _trained(x, w, b, data_format="NHWC"), [X.transpose(0, 2, 3, 1).copy(), W, B],
           lambda x, w, b: _normal(x, (0, 1, 2)) * w + b, label="last"),
    Record("batch_norm", lambda x, w, b: _trained(x, w, b), [floats(5, 3), W, B],
           lambda x, w, b: _normal(x, (0,)) * w + b, label="matrix"),
    Record("batch_norm", _evaluated, [X, W, B, M, V], _running, label="evaluation", differentiable=[0, 1, 2]),
    Record("layer_norm", lambda x, w, b: F.layer_norm(x, [2, 5], w, b), [X, floats(10), floats(10, seed=1)],
           lambda x, w, b: _normal(x, (2, 3)) * w.reshape(2, 5) + b.reshape(2, 5)),
    Record("layer_norm", lambda x: F.layer_norm(x, 5), [X], lambda x: _normal(x, (3,)), label="plain"),
    Record("layer_norm", lambda x, b: F.layer_norm(x, 5, bias=b), [X, floats(5)], lambda x, b: _normal(x, (3,)) + b,
           label="bias only"),
    Record("group_norm", lambda x, w, b: apply(norm.group_norm_op, x, w, b, groups=2)[0], [IMAGES, W4, B4], _grouped),
    Record("instance_norm", lambda x, w, b: apply(norm.instance_norm_op, x, w, b)[0], [IMAGES, W4, B4], _instance),
    Record("norm_grad", _norm_grad, [X, W, floats(4, 3, 2, 5, seed=4)], _norm_grad_reference),
    Record("p_norm", lambda x: F.normalize(x, 2, 1), [floats(3, 4, low=0.5)],
           lambda x: x / np.sqrt((x * x).sum(1, keepdims=True)), label="normalize"),
]

KEEP = (np.arange(12).reshape(3, 4) % 3 > 0).astype("uint8")

DROPOUTS = [
    Record("dropout", lambda x: F.dropout(x, 0.25, training=False), [floats(3, 4)], lambda x: x, label="evaluation"),
    Record("dropout", lambda x: F.dropout(x, 0.25, training=False, mode="downscale_in_infer"), [floats(3, 4)],
           lambda x: x * 0.75, label="downscale evaluation"),
    Record("dropout", lambda x: F.dropout(x, 1.0), [floats(3, 4)], lambda x: x * 0, label="all"),
    Record("dropout_backward", lambda g, mask: apply(
               dropout.dropout_backward_op, g, mask, dropout_prob=0.25, dropout_implementation="upscale_in_train"),
           [floats(3, 4), KEEP], lambda g, mask: g * mask / 0.75),
]

IDS = np.array([[1, 3, 1], [0, 4, 1]])


def _padded_rows(ids, w):
    return w[ids] * (ids != 3)[..., None]


def _counted_rows(ids, g):
    result = np.zeros((5, 2))
    np.add.at(result, ids, g)
    return result


EMBEDDINGS = [
    Record("lookup_table_v2", F.embedding, [IDS, floats(5, 2)], lambda ids, w: w[ids]),
    Record("lookup_table_v2", lambda ids, w: F.embedding(ids, w, padding_idx=3), [IDS, floats(5, 2)], _padded_rows,
           label="padding"),
    Record("lookup_table_backward", lambda ids, g: apply(embedding.lookup_backward_op, ids, g, shape=[5, 2]),
           [IDS, floats(2, 3, 2)], _counted_rows, batched=[0, 1]),
]

VOLUME = floats(2, 2, 3, 4, 3)
WIDTHS = [(0, 0), (0, 0), (1, 0), (2, 1), (0, 2)]


def _unpad(mode):
    def function(g):
        return apply(pad.unpad3d_op, g, None, paddings=[1, 2, 2, 1, 0, 0], mode=mode, data_format="NCDHW")

    return function


def _unpad_reference(mode):
    def function(g):
        places = np.pad(np.arange(6).reshape(2, 3), [(2, 1), (1, 2)], mode).reshape(-1)
        flat = g.reshape(2, 1, 1, -1)
        result = np.zeros((2, 1, 1, 6))
        for n, place in enumerate(places):
            result[..., place] += flat[..., n]
        return result.reshape(2, 1, 1, 2, 3)

    return function


MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}

PADS = [
    *(Record("pad3d", lambda x, _mode=mode: F.pad(x, [0, 2, 2, 1, 1, 0], _mode, data_format="NCDHW"), [VOLUME],
             lambda x, _name=name: np.pad(x, WIDTHS, _name), label=mode) for mode, name in MODES.items()),
    Record("pad_image", lambda x: F.pad(x, [1, 2], value=3.0, data_format="NLC"), [floats(2, 3, 4)],
           lambda x: np.pad(x, [(0, 0), (1, 2), (0, 0)], constant_values=3.0), label="last"),
    Record("pad_image", lambda x: F.pad(x, [0, 1, 2, 0]), [floats(2, 3, 4, 2)],
           lambda x: np.pad(x, [(0, 0), (0, 0), (2, 0), (0, 1)])),
    *(Record("unpad3d", _unpad(mode), [floats(2, 1, 1, 5, 6)], _unpad_reference(MODES[mode]), label=mode)
      for mode in ("reflect", "replicate", "circular") if mode != "reflect"),
    Record("unpad3d", _unpad("constant"), [floats(2, 1, 1, 5, 6)], lambda g: g[..., 2:4, 1:4], label="constant"),
    Record("pad", lambda x: F.pad(x, [1, 2, 0, 1], value=2.0), [floats(3, 4)],
           lambda x: np.pad(x, [(1, 2), (0, 1)], constant_values=2.0), batched=[]),
    Record("unpad", lambda g: apply(pad.unpad_op, g, paddings=[1, 2, 0, 1]), [floats(6, 4)], lambda g: g[1:4, :3],
           batched=[]),
]

RECORDS = NORMS + DROPOUTS + EMBEDDINGS + PADS
